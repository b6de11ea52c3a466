"""What of a memory is searchable: title, date, sender, content and tags, as one bag of tokens."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from datetime import UTC, datetime

from comis_core.model import Memory
from comis_core.text import Analyser, Kind
from comis_plugins.lexical.terms import Grams, Speller

ROLES = frozenset({"user", "assistant", "system", "tool"})
"""Senders that are no names: everybody's every turn would match a question about "the user"."""

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip

_REMEMBERED = 4096
"""Senders, days and sets of tags whose terms are kept: a batch has few, each many times."""


class FieldReader:
    """Reads memories into the hashes of their tokens. Safe for many threads."""

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser
        self._speller = Speller()
        self._repeated = functools.lru_cache(maxsize=_REMEMBERED)(self._text)
        self._day = functools.lru_cache(maxsize=_REMEMBERED)(self._date)

    def read(self, memory: Memory) -> list[Grams]:
        """The hashes of every token of the memory's fields, repeated as often as the text repeats it."""
        moment = memory.occurred_at or (memory.created_at if memory.created_given else None)
        grams = self._text(memory.content)
        if memory.title:
            grams += self._text(memory.title)
        if memory.sender and memory.sender.casefold() not in ROLES:
            grams += self._repeated(memory.sender)
        if moment is not None:
            grams += self._day(*_day(moment))
        if memory.tags:
            grams += self._repeated(" ".join(memory.tags))
        return grams

    def _text(self, text: str) -> list[Grams]:
        return self._speller.read(self._analyser.analyse(text).tokens)

    def _date(self, year: int, month: int, day: int) -> Sequence[Grams]:
        """The day as people write it, and in ISO 8601 as one more way to find it: "8 May 2023", 2023-05-08."""
        whole = [
            token
            for token in self._analyser.analyse(f"{year:04}-{month:02}-{day:02}").tokens
            if token.kind is Kind.COMPOUND
        ]
        return [*self._text(f"{day} {MONTHS[month - 1]} {year}"), *self._speller.uncounted(whole)]


def _day(moment: datetime) -> tuple[int, int, int]:
    """The day in UTC, so that the same moment is the same day whoever stored it."""
    day = moment.astimezone(UTC)
    return day.year, day.month, day.day
