"""Scanning: where a prepared text breaks into pieces, and a piece into its parts.

A piece is what a reader takes for one thing: a word, a number, an acronym, an identifier, path, address or URL, a run
of a script that is written without spaces, an emoji.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterator

import regex

EMOJI_JOINER = "\u200d"

# Scripts that put no space between words: Han, kana, Bopomofo and Yi; those that Unicode's line breaking leaves to a
# dictionary (Thai, Lao, Khmer, Myanmar ...); and Hangul, which does space its phrases but glues particles to nouns.
_UNSPACED = r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Yi}\p{Hangul}ー\p{Line_Break=SA}]&&[\p{L}\p{M}\p{N}]]"
_CONNECTOR = r"(?:://|:[/\\]{1,2}|::|->|[-./:@'&+=\\?#%~])"


def _spelt(letter: str, digit: str, sign: str, start: str, inside: str) -> tuple[str, str, str, str]:
    """The forms of what is spelt, tried in this order: a grouped number, an acronym, the name of a language, a word.

    Args:
        letter, digit, sign: classes of letters, of decimal digits, and of letters and numbers of every kind.
        start, inside: classes of what a word begins with, and of what else it holds.
    """
    alone, ended = rf"(?<!{sign})", rf"(?!{sign})"
    return (
        rf"{alone}{digit}{{1,3}}(?:,{digit}{{3}})+(?:\.{digit}+)?{ended}",
        rf"{alone}(?:(?:{letter}\.){{2,}}+{ended}|(?:{letter}\.)++{letter}{ended})",
        rf"{alone}[A-Za-z](?:\+\+|\#){ended}",  # C++, C#
        rf"{start}{inside}*+(?:{_CONNECTOR}_*{start}{inside}*+)*+",
    )


_GROUPED_NUMBER, _ACRONYM, _LANGUAGE_NAME, _WORD = _spelt(
    r"\p{L}",
    r"\p{Nd}",
    r"[\p{L}\p{N}]",
    rf"[[\p{{L}}\p{{N}}]--{_UNSPACED}]",
    rf"[[\p{{L}}\p{{N}}\p{{M}}_]--{_UNSPACED}]",
)
_RUN = rf"{_UNSPACED}[{_UNSPACED}\p{{M}}]*+"
# Extended_Pictographic also holds signs that are no emoji in running text: (c), (r), arrows, the information sign.
_PICTURE = r"[\p{Extended_Pictographic}--[©®ℹ〰〽\u2190-\u21FF]]"
_EMOJI = rf"(?:\p{{Regional_Indicator}}{{2}}|{_PICTURE}(?:\u200D\p{{Extended_Pictographic}})*+)"

_BINDING = "_-./:@'&+=\\?#%~>"

# From the loosest bond to the tightest: an address breaks into names, a name at its dots, then at hyphens, then at
# apostrophes, and at last where camel case starts a new word.
_BONDS = (r"[:/\\?#&=%@+~]+|->", r"\.", r"[-_]+", r"'", r"(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})")


@functools.cache
def _pieces() -> regex.Pattern[str]:
    return regex.compile("|".join((_GROUPED_NUMBER, _ACRONYM, _LANGUAGE_NAME, _WORD, _RUN, _EMOJI)), regex.V1)


@functools.cache
def _ascii_pieces() -> re.Pattern[str]:
    """The same for text in ASCII, which has no runs and no emoji, by the faster of the two engines."""
    forms = _spelt("[A-Za-z]", "[0-9]", "[A-Za-z0-9]", "[A-Za-z0-9]", "[A-Za-z0-9_]")
    return re.compile(rf"(?=[A-Za-z0-9])(?:{'|'.join(forms)})")


@functools.cache
def _run() -> regex.Pattern[str]:
    return regex.compile(_RUN, regex.V1)


@functools.cache
def _emoji() -> regex.Pattern[str]:
    return regex.compile(_EMOJI, regex.V1)


@functools.cache
def _bonds() -> tuple[regex.Pattern[str], ...]:
    return tuple(regex.compile(bond, regex.V1) for bond in _BONDS)


@functools.cache
def _simple_forms() -> tuple[regex.Pattern[str], ...]:
    decimal = r"\p{Nd}+\.\p{Nd}+"
    return tuple(regex.compile(form, regex.V1) for form in (_GROUPED_NUMBER, _ACRONYM, _LANGUAGE_NAME, decimal))


@functools.cache
def _syllables() -> regex.Pattern[str]:
    """One written syllable of a South-East Asian script: the vowel signs before and after a consonant stay with it."""
    return regex.compile(
        r"\p{Logical_Order_Exception}?"
        r"[\p{L}\p{N}--[\p{Logical_Order_Exception}\p{Indic_Syllabic_Category=Vowel_Dependent}]]"
        r"(?:[\p{M}[\p{Indic_Syllabic_Category=Vowel_Dependent}--\p{Logical_Order_Exception}]]"
        r"|(?<=\p{Indic_Syllabic_Category=Invisible_Stacker})\p{L}){0,12}+"  # no real one is longer
        r"|.",
        regex.V1 | regex.DOTALL,
    )


@functools.cache
def classification() -> bytes:
    """A digest (8 bytes) of the character classes that scanning relies on, which change with the data of `regex`."""
    runs = regex.findall(r"[\p{L}\p{M}\p{N}\p{Extended_Pictographic}]+", _everything(), regex.V1)
    return hashlib.blake2b("\n".join(runs).encode(), digest_size=8).digest()


def _everything() -> str:
    """Every character below U+32400. Decoded at one go: an engine opens with it, and `chr` for each takes 9 ms."""
    rows = range(0x324)
    codes = bytearray(4 * 0x32400)
    codes[0::4] = bytes(range(256)) * len(rows)
    codes[1::4] = b"".join(bytes((row & 0xFF,)) * 256 for row in rows)
    codes[2::4] = b"".join(bytes((row >> 8,)) * 256 for row in rows)
    del codes[4 * 0xD800 : 4 * 0xE000]  # surrogates are no characters
    return codes.decode("utf-32-le")


def pieces(prepared: str) -> list[str]:
    """Break a prepared text into its pieces, in order. Punctuation, space and other signs fall away."""
    found: list[str] = (_ascii_pieces() if prepared.isascii() else _pieces()).findall(prepared)
    return found


def is_emoji(piece: str) -> bool:
    """Whether `piece` is an emoji: a picture, a flag, or several joined to one."""
    return _emoji().match(piece) is not None


def is_run(piece: str) -> bool:
    """Whether `piece` is a run of a script that is written without spaces."""
    return _run().match(piece) is not None


def characters(run: str) -> list[str]:
    """The characters of an unspaced run: for South-East Asian scripts the written syllables."""
    found: list[str] = _syllables().findall(run)
    return found


def simple_form(piece: str) -> str | None:
    """The one word that a number, an acronym or C++ stands for (1,000 is 1000, U.S. is US); None for other pieces."""
    grouped, acronym, language_name, decimal = _simple_forms()
    if grouped.fullmatch(piece):
        return piece.replace(",", "")
    if acronym.fullmatch(piece):
        return piece.replace(".", "")
    if language_name.fullmatch(piece) or decimal.fullmatch(piece):
        return piece
    return None


def parts(piece: str, bond: int = 0) -> Iterator[tuple[str, bool]]:
    """Break `piece` down bond by bond: yield (part, whether more parts follow from it), each whole before its parts."""
    piece = piece.strip(_BINDING)
    patterns = _bonds()
    for index in range(bond, len(patterns)):
        found = [part for part in patterns[index].split(piece) if part]
        if len(found) > 1:
            yield piece, True
            for part in found:
                yield from parts(part, index + 1)
            return
    if piece:
        yield piece, False
