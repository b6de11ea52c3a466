"""What of a memory is searchable, as fields of analysed tokens."""

from __future__ import annotations

import functools
from datetime import UTC, datetime

import attrs

from comis_core.model import Memory
from comis_core.text import Analyser

ROLES = frozenset({"user", "assistant", "system", "tool"})
"""Senders that are no names: everybody's every turn would match a question about "the user"."""
REMEMBERED = 4096
"""Senders, days and sets of tags whose tokens are kept."""
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


@attrs.frozen(kw_only=True)
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
            speaker=self._repeated(_speaker(memory.sender)),
            date=self._repeated(_date(memory)),
            content=self._tokens(memory.content),
            tags=self._repeated(" ".join(memory.tags)),
        )

    def _tokens(self, text: str) -> str:
        return " ".join(self._analyser.all_stems(text)) if text else ""


def _speaker(sender: str | None) -> str:
    return sender if sender and sender.casefold() not in ROLES else ""


def _date(memory: Memory) -> str:
    """The event's date, else the record's if the caller gave it: the store's own stamp says nothing about the text."""
    moment = memory.occurred_at or (memory.created_at if memory.created_given else None)
    return _written(moment) if moment is not None else ""


def _written(moment: datetime) -> str:
    """The UTC day as people write it and as ISO 8601 has it: "8 May 2023 2023-05-08"."""
    day = moment.astimezone(UTC).date()
    return f"{day.day} {MONTHS[day.month - 1]} {day.year} {day.isoformat()}"
