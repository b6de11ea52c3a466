"""Content that cannot pass for anything but content: one line, nothing invisible, nothing that looks like a tag."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable

import regex

TAGS = ("system", "learned", "external", "another sender", "superseded")
"""What the prompt block writes in square brackets."""

LINE_BREAK = " ⏎ "
"""What stands for a line break inside a memory."""

_LONGEST_TAG = 48
_OPENING = "[［⁅⟦⦋⦍⦏【〔〖〘〚❲﹝「『"
_BRACKETS = frozenset(_OPENING)
_CLOSING = "]］⁆⟧⦌⦎⦐】〕〗〙〛❳﹞」』"
_TAG_STARTS = tuple(tag.replace(" ", "") for tag in TAGS)
_LOOK_ALIKES = str.maketrans({
    letter: plain
    for plain, letters in {
        "a": "аαɑᴀ", "d": "ԁᴅ", "e": "еєεҽᴇ3", "h": "һհнʜ", "l": "ӏіιıʟ1|", "m": "мμᴍ", "n": "пոηνɴ", "o": "оοօᴏ0",
        "p": "рρᴘ", "r": "гʀᴦ", "s": "ѕꜱʂ5$", "t": "тτᴛ", "u": "υսᴜ", "x": "хχ", "y": "уүγʏ",
    }.items()
    for letter in letters
})  # fmt: skip
"""Letters of other scripts, and signs, that look like a letter of a tag."""


@functools.cache
def _breaks() -> regex.Pattern[str]:
    return regex.compile(r"\s*[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]\s*")


@functools.cache
def _invisible() -> regex.Pattern[str]:
    """Bidirectional marks, zero-width characters, fillers, tag characters and controls.

    Joiners are kept between two letters or emoji beyond ASCII, where scripts and emoji need them.
    """
    return regex.compile(
        r"(?<![^\x00-\x7F\s])[\u200C\u200D]|[\u200C\u200D](?![^\x00-\x7F\s])"
        r"|[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\u200C\u200D\uFE0F]]",
        regex.V1,
    )


@functools.cache
def _skipped() -> regex.Pattern[str]:
    return regex.compile(r"[\s\p{M}\p{P}]+")


def neutral(content: str) -> str:
    """The content as one line in which nothing can be taken for a line, tag or mark of the prompt block."""
    line = content.strip()
    if line.isascii() and line.isprintable():
        return _without_tags(line) if "[" in line else line
    line = _invisible().sub("", _breaks().sub(LINE_BREAK, line).replace("\t", " "))
    return _without_tags(line) if not _BRACKETS.isdisjoint(line) else line


def delimiter(contents: Iterable[str], seed: int) -> str:
    """Eight hexadecimal digits that follow from `seed` and occur in none of these contents."""
    from hashlib import blake2b

    folded = [content.casefold() for content in contents]
    attempt = 0
    while True:
        word = blake2b(f"{seed}/{attempt}".encode(), digest_size=4).hexdigest()
        if not any(word in content for content in folded):
            return word
        attempt += 1


def _without_tags(line: str) -> str:
    signs = list(line)
    for start, sign in enumerate(line):
        if sign in _OPENING and _starts_like_a_tag(line[start + 1 : start + 1 + _LONGEST_TAG]):
            signs[start] = "("
            end = next((at for at in range(start + 1, len(line)) if line[at] in _CLOSING), None)
            if end is not None and end <= start + _LONGEST_TAG:
                signs[end] = ")"
    return "".join(signs)


def _starts_like_a_tag(text: str) -> bool:
    letters = unicodedata.normalize("NFKD", text).casefold().translate(_LOOK_ALIKES)
    return str(_skipped().sub("", letters)).startswith(_TAG_STARTS)
