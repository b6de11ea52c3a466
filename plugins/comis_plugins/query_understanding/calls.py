"""Mentions that only call somebody: "Hey Alfred, where is Ben's key?" is about Ben."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence

import attrs

from comis_core.model.shown import Compared
from comis_plugins.query_understanding.participants import Mention

_GREETING = (
    r"[\s\"'“‘¿¡@]*(?:(?:hey|hi|hello|hallo|ok|okay|please|thanks|thank\s+you|dear|so|well|and|now|yo"
    r"|good\s+(?:morning|afternoon|evening|day|night))\b[\s,.!]*(?:there\b[\s,]*)?){0,3}@?"
)
_SET_OFF = r"\s*[,:;!?.…—–]+\s*|\s+-+\s+"
_JOINED = r"\s*(?:,|&|\band\b|\bor\b)\s*(?:\b(?:and|or)\b\s*)?"
_END = r"[\s.!?…\"'”’)]*"


@attrs.frozen(eq=False, repr=False)
class Call(Compared):
    """A mention that calls. text[start:end] is what can go: the name, the greeting, and what sets them off."""

    mention: Mention
    start: int
    end: int


@functools.cache
def _pattern(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE)


def calls(text: str, mentions: Sequence[Mention]) -> Iterator[Call]:
    """The mentions that are set off at the beginning of the text, at its end, or on both sides.

    One that is possessive, or joined with another name ("Alfred, Ben and Ana"), calls nobody.
    """
    for place, mention in enumerate(mentions):
        call = None if mention.is_possessive or _is_listed(text, mentions, place) else _call(text, mention)
        if call is not None:
            yield call


def without_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text without these parts, which are in order and apart."""
    pieces, done = [], 0
    for start, end in spans:
        pieces.append(text[done:start])
        done = end
    return " ".join(piece for piece in [*pieces, text[done:]] if piece)


def _call(text: str, mention: Mention) -> Call | None:
    greeting = _pattern(_GREETING).fullmatch(text, 0, mention.start)
    after = _pattern(_SET_OFF).match(text, mention.end)
    if greeting is not None:
        greeted = any(map(str.isalpha, greeting[0]))
        return Call(mention, 0, _end(text, mention, after)) if after or greeted else None
    before = text[: mention.start].rstrip(" @")
    if not before.endswith((",", "—", "–", " -")):
        return None
    start = len(before) - 1
    if _pattern(_END).fullmatch(text, mention.end):
        return Call(mention, start, mention.end)
    return Call(mention, start, _end(text, mention, after)) if after is not None else None


def _end(text: str, mention: Mention, after: re.Match[str] | None) -> int:
    end = after.end() if after else mention.end
    return len(text) - len(text[end:].lstrip())


def _is_listed(text: str, mentions: Sequence[Mention], place: int) -> bool:
    """Whether it is one of several names in a row: "Alfred, Ben and Ana", "Ana, Ben, Alfred"."""

    def joined(one: int, other: int) -> bool:
        if one < 0 or other >= len(mentions):
            return False
        between = text[mentions[one].tail : mentions[other].start]
        return _pattern(_JOINED).fullmatch(between) is not None

    def by_word(one: int, other: int) -> bool:
        return joined(one, other) and text[mentions[one].tail : mentions[other].start].strip() != ","

    after = by_word(place, place + 1) or (joined(place, place + 1) and joined(place + 1, place + 2))
    return after or by_word(place - 1, place) or (joined(place - 1, place) and joined(place - 2, place - 1))
