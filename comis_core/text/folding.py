"""Folding: the many ways of writing one word, brought to one.

`prepare` works on a whole text and keeps its case, because case still tells where an identifier is joined; `fold` works
on one casefolded word. Marks that only decorate a letter go (Latin, Greek and Russian accents, Arabic and Hebrew vowel
points); marks that are letters stay (vowel signs and viramas of Indian scripts, Thai vowels and tones, kana voicing).
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

import regex

from comis_core.text.normal import JOINER, normalise

# What people type for an apostrophe, and the hyphens that are not the ASCII one. They are mapped before NFKC, which
# would turn an acute accent standing alone into a space and a combining mark.
_PUNCTUATION: Mapping[int, str] = MappingProxyType(
    dict.fromkeys(map(ord, "’ʼ‘‛′ʹ`´＇"), "'") | dict.fromkeys(map(ord, "‐‑﹣－"), "-")
)
_FRACTION_SLASH = "\u2044"

# Letters that carry no separable mark, yet are typed without it; and letters of Arabic script that differ by keyboard.
_LETTERS: Mapping[int, str] = MappingProxyType({
    ord(letter): folded
    for letters, folds in (
        ("ı ø đ ł ħ ŧ æ œ ð þ", "i o d l h t ae oe d th"),
        ("ى ی ة ک ٱ", "ي ي ه ك ا"),
        ("ँ", "ं"),
    )
    for letter, folded in zip(letters.split(), folds.split(), strict=True)
})


@functools.cache
def _spacers() -> regex.Pattern[str]:
    """Where NFKC would glue two words: `Acme™` to acmetm, `6½` to 61/2."""
    return regex.compile(r"[™℠]|(?<=\p{N})(?=[¼-¾⅐-⅞↉])", regex.V1)


@functools.cache
def _invisible() -> regex.Pattern[str]:
    """Skin tones, variation selectors, soft hyphens, joiners: all but the joiner inside an emoji sequence."""
    return regex.compile(
        r"(?<=\p{Emoji_Modifier_Base}\uFE0F?)\p{Emoji_Modifier}"
        r"|[\p{Default_Ignorable_Code_Point}--[\u034F\u200D]]"
        r"|\u200D(?!\p{Extended_Pictographic})",
        regex.V1,
    )


@functools.cache
def _decoration() -> regex.Pattern[str]:
    """Marks, in decomposed text, that a reader may leave out."""
    return regex.compile(
        r"(?<=[\p{Latin}\p{Greek}\p{Arabic}\p{Hebrew}])\p{Mn}+"
        r"|(?<=\p{Cyrillic})[\u0300\u0301]+"  # stress marks; the breve of й is part of the letter
        r"|(?<=е)\u0308"  # ё
        r"|(?<=\p{Devanagari})\u093C"  # nukta, which most people do not type
        r"|\p{Me}|\u0640",  # the frame of a keycap; tatweel
        regex.V1,
    )


@functools.cache
def _digit() -> regex.Pattern[str]:
    return regex.compile(r"[\p{Nd}--0-9]", regex.V1)


def _in_ascii(digit: regex.Match[str]) -> str:
    return str(unicodedata.decimal(digit[0], digit[0]))


def prepare(text: str) -> str:
    """Bring `text` to NFKC with one apostrophe and one hyphen, without invisible characters; its case is kept."""
    if text.isascii():
        return text.replace("`", "'")
    text = normalise(text)
    text = _spacers().sub(" ", text).translate(_PUNCTUATION)
    text = unicodedata.normalize("NFKC", _invisible().sub("", text))
    return text.replace(_FRACTION_SLASH, "/").replace(JOINER, "")


def casefold(word: str) -> str:
    """Casefold a word of prepared text; the result is NFKC again."""
    folded = word.casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFKC", folded)


def fold(word: str) -> str:
    """Fold one casefolded word: decorating marks dropped, look-alike letters and digits brought to one form.

    A word that consists of nothing but decoration folds to the empty string.
    """
    if word.isascii():
        return word
    bare = _decoration().sub("", unicodedata.normalize("NFD", _digit().sub(_in_ascii, word)))
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)
