"""Where a text mentions names that are known already, in whatever script."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence

import regex

from comis_core.text import fold_name
from comis_plugins.entities.words import common, dates, function_words

_LONGEST_NAME = 6
"""Words of a name that is looked for."""
_LONGEST_RUN = 12
"""Characters of a name that is looked for in a script without spaces."""

IsKnown = Callable[[str], bool]


@functools.cache
def _ascii_words() -> re.Pattern[str]:
    return re.compile(r"@?[A-Za-z0-9]\w*(?:[-'&./]\w+)*(?:\+\+|#)?", re.ASCII)


@functools.cache
def _words() -> regex.Pattern[str]:
    inside = rf"[[\p{{L}}\p{{M}}\p{{N}}_]--{_UNSPACED}]"
    start = rf"[[\p{{L}}\p{{N}}]--{_UNSPACED}]"
    return regex.compile(rf"@?{start}{inside}*+(?:[-'&./]{inside}++)*+(?:\+\+|\#)?", regex.V1)


_UNSPACED = r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Hangul}ー・\p{Line_Break=SA}]&&[\p{L}\p{M}\p{N}ー・]]"


@functools.cache
def _runs() -> regex.Pattern[str]:
    """Runs of scripts without spaces between words, and of Hangul, which glues particles to its names."""
    return regex.compile(rf"{_UNSPACED}{{2,}}", regex.V1)


@functools.cache
def _joined() -> regex.Pattern[str]:
    """Two signs between which no name begins or ends: within a word of katakana; and, at its beginning, of Hangul."""
    return regex.compile(r"[\p{Katakana}ー][\p{Katakana}ー]|(?P<start>\p{Hangul}\p{Hangul})", regex.V1)


def mentioned(text: str, is_known: IsKnown, *, asking: bool = False) -> Iterator[tuple[str, str]]:
    """(folded name, as it is written) of the known names in a text, the longest one at each place.

    A name counts where it is written as one: its first word with a capital, a digit, or in a script without capitals.
    In a question (`asking`), where people do not care for capitals, small letters do too, unless the name is a single
    word that is also a common word.
    """
    yield from _spelt(text, is_known, asking)
    if not text.isascii():
        for run in _runs().findall(text):
            yield from ((name, name) for name in _in_run(fold_name(run), is_known))


def _spelt(text: str, is_known: IsKnown, asking: bool) -> Iterator[tuple[str, str]]:
    if text.isascii():
        words = _ascii_words().findall(text)
        keys = " ".join(words).lower().split(" ")  # at one go, for no word has a space
    else:
        words = _words().findall(text)
        keys = [fold_name(word) for word in words]
    if "'" in text:
        keys = [key.removesuffix("'s") for key in keys]
    end = 0
    for place, word in enumerate(words):
        as_name = not word.islower() or not word.isalpha()
        if place >= end and (as_name or asking):
            size = _longest(keys, place, is_known, as_name)
            if size:
                end = place + size
                yield " ".join(keys[place:end]), " ".join(words[place:end]).removesuffix("'s")


def _longest(keys: Sequence[str], place: int, is_known: IsKnown, as_name: bool) -> int:
    """How many words the longest known name at a place has, 0 when there is none."""
    name = key = keys[place]
    longest = 0
    for size, word in enumerate(keys[place + 1 : place + _LONGEST_NAME], start=2):
        name = f"{name} {word}"
        if is_known(name):
            longest = size
    if longest:
        return longest
    if not is_known(key) or key in dates():
        return 0
    is_common = key in common() or key in function_words()
    return int(not is_common or (as_name and place > 0))


def _in_run(run: str, is_known: IsKnown) -> Iterator[str]:
    place = 0
    while place < len(run) - 1:
        sizes = range(min(_LONGEST_RUN, len(run) - place), 1, -1)
        size = next((size for size in sizes if is_known(run[place : place + size]) and _stands(run, place, size)), 0)
        if size:
            yield run[place : place + size]
        place += size or 1


def _stands(run: str, start: int, size: int) -> bool:
    """Whether a name may begin and end there."""
    before, after = _joined().match(run, start - 1) if start else None, _joined().match(run, start + size - 1)
    return before is None and (after is None or after["start"] is not None)
