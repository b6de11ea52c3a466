"""What of a memory is searchable: title, date, sender, content and tags, as one bag of tokens."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from datetime import date

from comis_core.fields import day, speaker, written
from comis_core.model import Memory
from comis_core.text import Analyser, Kind
from comis_plugins.lexical.terms import Grams, Speller

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
        grams = self._text(memory.content)
        if memory.title:
            grams += self._text(memory.title)
        if name := speaker(memory):
            grams += self._repeated(name)
        if (known := day(memory)) is not None:
            grams += self._day(known)
        if memory.tags:
            grams += self._repeated(" ".join(memory.tags))
        return grams

    def _text(self, text: str) -> list[Grams]:
        return self._speller.read(self._analyser.analyse(text).tokens)

    def _date(self, day: date) -> Sequence[Grams]:
        """The day as people write it, and in ISO 8601 as one more way to find it: "8 May 2023", 2023-05-08."""
        whole = [token for token in self._analyser.analyse(day.isoformat()).tokens if token.kind is Kind.COMPOUND]
        return [*self._text(written(day)), *self._speller.uncounted(whole)]
