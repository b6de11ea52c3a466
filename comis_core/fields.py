"""What of a memory is searchable besides its text: who said it and on which day.

Public: every index over words asks alike, so that one question means the same to all of them.
"""

from __future__ import annotations

from datetime import UTC, date

from comis_core.model import Memory

UNSEARCHED = frozenset({"user", "assistant", "system", "tool"})
"""Senders that are no names: everybody's every turn would match a question about "the user".

Fewer than `senders.ROLES`: a bot or an agent may be asked for by that word, and then its turns are meant.
"""
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def speaker(memory: Memory) -> str:
    """The sender's name; empty when there is none, or only a role."""
    sender = memory.sender
    return sender if sender and sender.casefold() not in UNSEARCHED else ""


def day(memory: Memory) -> date | None:
    """The event's day in UTC, else the record's if the caller gave it; the store's own stamp says nothing of the text.

    In UTC, so that the same moment is the same day whoever stored it.
    """
    moment = memory.occurred_at or (memory.created_at if memory.created_given else None)
    return None if moment is None else moment.astimezone(UTC).date()


def written(day: date) -> str:
    """A day as people write it in English, whatever the machine's locale: "8 May 2023"."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
