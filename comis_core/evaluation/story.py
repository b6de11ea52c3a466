"""A case becomes a store: its rows in order, at their own times where it matters when each was recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

import attrs

from comis_core.clock import SystemClock
from comis_core.errors import ComisError
from comis_core.evaluation.data import Case, Eviction, Pointer, ReportedTurn, Revision
from comis_core.model import NewMemory, Trust

if TYPE_CHECKING:
    from comis_core.agent import Agent

BATCH = 1000
"""Memories stored in one transaction."""

_ALWAYS = datetime(1, 1, 1, tzinfo=UTC)
"""Before every version."""


@attrs.define
class CaseClock:
    """The machine's own time, until a case with times of its own is played through."""

    moment: datetime | None = None

    def now(self) -> datetime:
        """The moment it was set to, else the present one."""
        return SystemClock().now() if self.moment is None else self.moment


@attrs.frozen(kw_only=True)
class Arrival:
    """A memory is stored. id: the data's."""

    id: str
    memory: NewMemory


Event = Arrival | Revision | Eviction | Pointer | ReportedTurn


@attrs.define
class Names:
    """Under which of the data's ids each memory is known, version by version; equal rows are one memory."""

    stored: dict[str, str] = attrs.field(factory=dict)
    """The data's id of a memory -> the id under which it is stored."""
    _versions: dict[str, list[tuple[datetime, list[str]]]] = attrs.field(factory=dict)

    def first(self, name: str, id: str) -> None:
        """A memory of the data was stored under this id, or found there."""
        self.stored[name] = id
        versions = self._versions.setdefault(id, [(_ALWAYS, [])])
        versions[0][1].append(name)

    def next(self, name: str, id: str, opened_at: datetime) -> None:
        """A version of the data was written under this id."""
        self._versions[id].append((opened_at, [name]))

    def of(self, id: str, *, as_of: datetime | None = None) -> Sequence[str]:
        """The data's ids of the version that was open at a moment of record time, by default of the last one."""
        versions = self._versions[id]
        return next(names for opened, names in reversed(versions) if as_of is None or opened <= as_of)


def fill(agent: Agent, case: Case, *, operator: Agent | None = None) -> Names:
    """Store a case. Returns how what is stored is called in the data.

    Args:
        operator: an admin handle that stores memories of trust `system`, and nothing else.

    Raises:
        ComisError: a row was refused, or the case has times of its own and the engine's clock cannot be set to them.
    """
    names = Names()
    for kind, alike in groupby(_story(case), key=lambda event: type(event[1])):
        events = list(alike)
        if kind is Arrival:
            _at(agent, case, events[-1][0])
            arrivals = [event for _, event in events if isinstance(event, Arrival)]
            for by_operator, some in groupby(arrivals, key=lambda arrival: arrival.memory.trust is Trust.SYSTEM):
                _store(operator or agent if by_operator else agent, case, list(some), names)
            continue
        # Of a version that is replaced before its text was embedded there would never be a vector.
        agent.engine.drain()
        for moment, event in events:
            _at(agent, case, moment)
            _change(agent, case, event, names)
    _at(agent, case, case.last_moment)
    return names


def _story(case: Case) -> Iterator[tuple[datetime, Event]]:
    """What happens, in order: by time if the case is timed, else row by row; what points to others comes after them."""
    arrivals = dict(zip(case.memory_ids, case.memories, strict=True))
    when = case.arrivals
    story: list[tuple[datetime, Event]] = [(when[name], Arrival(id=name, memory=row)) for name, row in arrivals.items()]
    story += [(revision.at, revision) for revision in case.revisions]
    story += [(eviction.at, eviction) for eviction in case.evictions]
    for pointer in case.pointers:
        story.append((pointer.at or max(when[pointer.source], when[pointer.target]), pointer))
    for turn in case.turns:
        all_there = max((when[name] for name in turn.recalled), default=case.beginning)
        story.append((turn.at or all_there, turn))
    # Sorting is stable: of what happens in one moment, memories come first and what points to them last.
    yield from sorted(story, key=lambda event: event[0]) if case.timed else story


def _at(agent: Agent, case: Case, moment: datetime) -> None:
    """Set the engine's clock, if the case is played at its own times."""
    if not case.timed:
        return
    clock = agent.engine.clock
    if not isinstance(clock, CaseClock):
        raise ComisError(
            "a case with versions, dated turns or questions about the past is played at its own times, and this "
            "engine's clock cannot be set to them",
            hint="open the engine with clock=CaseClock()",
        )
    clock.moment = moment


def _change(agent: Agent, case: Case, event: Event, names: Names) -> None:
    try:
        _do(agent, event, names)
    except ComisError as error:
        place = getattr(event, "place", "") or f"{case.set}/{case.name}"
        raise ComisError(f"{place}: {error.message}", hint=error.hint) from error


def _do(agent: Agent, event: Event, names: Names) -> None:
    match event:
        case Revision():
            memory = agent.update(names.stored[event.of], **event.changes)
            names.next(event.id, memory.id, memory.opened_at)
        case Eviction():
            agent.evict(names.stored[event.of])
        case Pointer():
            said = attrs.evolve(event.annotation, target=names.stored[event.target])
            agent.annotate(names.stored[event.source], said)
        case ReportedTurn():
            _report(agent, event, names)


def _report(agent: Agent, turn: ReportedTurn, names: Names) -> None:
    agent.turn_ended(
        turn.text,
        turn.answer,
        recalled=[names.stored[name] for name in turn.recalled],
        session="evaluation",
        turn=turn.id,
        cited=[names.stored[name] for name in turn.cited],
        sender=turn.sender,
        intent=turn.intent,
    )


def _store(agent: Agent, case: Case, arrivals: Sequence[Arrival], names: Names) -> None:
    for start in range(0, len(arrivals), BATCH):
        batch = arrivals[start : start + BATCH]
        result = agent.store_many([arrival.memory for arrival in batch], validate=False)
        if result.rejected:
            first = result.rejected[0]
            name = batch[first.index].id
            place = case.places.get(name) or f"{case.set}/{case.name}"
            raise ComisError(f"{place}: memory {name!r} was refused: {first.reason}")
        for arrival, stored in zip(batch, result.stored, strict=True):
            names.first(arrival.id, stored.id)
