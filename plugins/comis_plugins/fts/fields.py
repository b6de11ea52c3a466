"""What of a memory is searchable, as fields of analysed tokens."""

from __future__ import annotations

import functools

import attrs

from comis_core.fields import day, speaker, written
from comis_core.model import Memory
from comis_core.text import Analyser

REMEMBERED = 4096
"""Senders, days and sets of tags whose tokens are kept."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Fields:
    """The tokens of a memory, each field as one text of tokens between spaces."""

    title: str
    speaker: str
    date: str
    content: str
    tags: str


class FieldReader:
    """Reads memories into fields. Safe for many threads."""

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser
        # A batch has few senders, days and sets of tags, each many times.
        self._repeated = functools.lru_cache(maxsize=REMEMBERED)(self._tokens)

    def read(self, memory: Memory) -> Fields:
        """The searchable fields with every stem, stop words too, so that a query of nothing else finds something."""
        return Fields(
            title=self._tokens(memory.title or ""),
            speaker=self._repeated(speaker(memory)),
            date=self._repeated(_date(memory)),
            content=self._tokens(memory.content),
            tags=self._repeated(" ".join(memory.tags)),
        )

    def _tokens(self, text: str) -> str:
        return " ".join(self._analyser.all_stems(text)) if text else ""


def _date(memory: Memory) -> str:
    """The day as people write it and as ISO 8601 has it: "8 May 2023 2023-05-08"."""
    known = day(memory)
    return "" if known is None else f"{written(known)} {known.isoformat()}"
