"""Evaluation cases: a folder `<set>/<case>` is a store of its own and the questions asked of it.

* `memories.jsonl`, in the order in which they are stored: id, content, and optionally title, type, trust, sender,
  session, turn, tags, key, created_at, occurred_at, expires_at, proof_count, confidence. `annotations`: objects with
  the fields of `Annotation`, whose `target` is an id of this file. `supersedes`: ids that the row replaces.
  `evicted_at`: when it was hidden from recall.
  `updates`: an id whose next version this row is, written at its created_at; it says only what has changed, and has an
  id of its own, so that a question can ask for the version.
* `edges.jsonl`, if there is one: cause, effect, and optionally confidence and `at`, when it was said.
* `turns.jsonl`, if there is one: what an agent reported at the end of earlier turns: id, text (the request), recalled
  (ids), cited (ids among them) or answer or both, and optionally sender, intent and `at`, when the turn ended.
* `queries.jsonl`: id, text, relevant (ids), and optionally category, asker, now, record_as_of, event_as_of.

A time without a zone is UTC. Keys that nobody reads, ids that come twice, values that could not be stored and what is
dated before a memory that it is about are refused, with file, line and field.

A case with versions, evictions, dated edges, dated turns or questions about what was recorded when is played through in
the order of its times; every other one is stored at once, its turns last.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import attrs

from comis_core.model import Annotation, Filters, NewMemory

NO_TIME = datetime(2025, 1, 1, tzinfo=UTC)
"""The present of a case without a single date."""


@attrs.frozen(kw_only=True)
class Question:
    """One query with its gold. `relevant` holds the data's own memory ids."""

    id: str
    text: str
    relevant: frozenset[str]
    category: str = ""
    asker: str | None = None
    now: datetime | None = None
    record_as_of: datetime | None = None
    event_as_of: datetime | None = None
    place: str = ""

    @property
    def filters(self) -> Filters | None:
        """What may be seen, if the question asks about the past."""
        if self.record_as_of is None and self.event_as_of is None:
            return None
        return Filters(record_as_of=self.record_as_of, event_as_of=self.event_as_of)


@attrs.frozen(kw_only=True)
class Pointer:
    """Something said about a memory that points to another one; both are the data's ids.

    annotation: what is said, its target left open. at: when it was said; None = as soon as both are there.
    place: file and line that say it, as everywhere here.
    """

    source: str
    target: str
    annotation: Annotation
    at: datetime | None = None
    place: str = ""


@attrs.frozen(kw_only=True)
class Revision:
    """The next version of a memory. id: the data's id of this version; of: that of the memory."""

    id: str
    of: str
    at: datetime
    changes: Mapping[str, Any]
    place: str = ""


@attrs.frozen(kw_only=True)
class Eviction:
    """A memory is hidden from recall."""

    of: str
    at: datetime
    place: str = ""


@attrs.frozen(kw_only=True)
class ReportedTurn:
    """What an agent reported at the end of an earlier turn. `recalled` and `cited` hold the data's own memory ids.

    at: when the turn ended; None = as soon as everything it recalled is there.
    """

    id: str
    text: str
    recalled: tuple[str, ...]
    cited: tuple[str, ...] = ()
    answer: str = ""
    sender: str | None = None
    intent: str = "factual"
    at: datetime | None = None
    place: str = ""


@attrs.frozen(kw_only=True)
class Case:
    """One store's worth of memories and the questions asked of it."""

    set: str
    name: str
    memory_ids: tuple[str, ...]
    """The data's ids, in the order of `memories`."""
    memories: tuple[NewMemory, ...]
    questions: tuple[Question, ...]
    pointers: tuple[Pointer, ...] = ()
    revisions: tuple[Revision, ...] = ()
    evictions: tuple[Eviction, ...] = ()
    turns: tuple[ReportedTurn, ...] = ()
    places: Mapping[str, str] = attrs.field(factory=dict)
    """The data's id of a memory -> file and line that give it."""

    @cached_property
    def last_moment(self) -> datetime:
        """The latest record time of the case: "now" for questions that name none."""
        stored = [memory.created_at for memory in self.memories]
        given = [*stored, *(revision.at for revision in self.revisions), *self._dates]
        return max((moment for moment in given if moment is not None), default=NO_TIME)

    @cached_property
    def arrivals(self) -> Mapping[str, datetime]:
        """The data's id of each memory -> when it is stored; one without a date comes with the first that has one."""
        rows = dict(zip(self.memory_ids, self.memories, strict=True))
        return {name: row.created_at or self.beginning for name, row in rows.items()}

    @cached_property
    def beginning(self) -> datetime:
        """The earliest record time of a memory."""
        return min((row.created_at for row in self.memories if row.created_at is not None), default=NO_TIME)

    @property
    def timed(self) -> bool:
        """Whether it matters when each thing was recorded."""
        asked = any(question.record_as_of is not None for question in self.questions)
        return asked or bool(self.revisions or self.evictions) or any(self._dates)

    @property
    def _dates(self) -> tuple[datetime | None, ...]:
        """When what need not be dated happened."""
        return (*(pointer.at for pointer in self.pointers), *(turn.at for turn in self.turns))


UNCATEGORISED = "uncategorised"
"""Category of questions that name none."""
