"""Stored traces: kept with a recall, looked at and replayed later."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import attrs

from comis_core.errors import ComisError
from comis_core.model import Recall, Scope, Trace, from_microseconds
from comis_core.model.shown import Shown
from comis_core.recall import Supervisor, replay, why_not
from comis_core.recall.differences import differences
from comis_core.recall.parts import Pipeline
from comis_core.recall.stored import answered, record_of, trace_of
from comis_core.store import Store
from comis_core.store.traces import TraceRow

ON_REQUEST = 100
"""So many traces of a scope stay when calls ask for them and `rag.traces.keep` says fewer."""

PATIENCE_SECONDS = 0.25
"""So long a recall waits for others that write before it does without its trace."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class StoredTrace(Shown):
    """How an answer came about, as it was kept: ids and numbers, never text.

    It names memories by their ids even after they are gone; what they said cannot be had from it.
    """

    id: str
    scope: Scope
    kind: str
    """"recall" or "search"."""
    asked_at: datetime
    """The moment of asking."""
    trace: Trace

    @property
    def answer(self) -> tuple[tuple[str, float], ...]:
        """(memory id, score) of what came back then, best first."""
        return tuple(answered(self.trace))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Replayed(Shown):
    """A stored recall, walked again."""

    then: StoredTrace
    now: Recall
    """The new answer. Its `notes` say how many candidates have gone since."""

    @property
    def same(self) -> bool:
        """Whether the same memories came back in the same order with the same scores."""
        return self.then.answer == tuple((item.memory.id, item.score) for item in self.now)

    @property
    def gone(self) -> tuple[str, ...]:
        """Ids of the former answer that the new one does not have."""
        found = {item.memory.id for item in self.now}
        return tuple(id for id, _ in self.then.answer if id not in found)

    @property
    def come(self) -> tuple[str, ...]:
        """Ids of the new answer that the former one did not have."""
        known = {id for id, _ in self.then.answer}
        return tuple(item.memory.id for item in self.now if item.memory.id not in known)

    @property
    def reasons(self) -> tuple[str, ...]:
        """What made it another answer, a sentence each in the order of the stages; never empty unless `same`.

        Memories that went or came, another fusion, factors with other values (what was used or confirmed since,
        another configuration), another order, another end.
        """
        return () if self.same else differences(self.then.trace, self.now.trace)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Traces:
    """The stored traces of one engine.

    pipeline: the scope's pipeline in force, with which replays are walked.
    """

    store: Store
    supervisor: Supervisor
    pipeline: Callable[[Scope], Pipeline]

    def kept(self, scope: Scope, answer: Recall, *, asked: bool, standing: int, seconds: float) -> Recall:
        """The answer with the id of its trace, which is kept. One that cannot be written becomes a note.

        Args:
            asked: whether the call asks for it, whatever the config says.
            standing: `rag.traces.keep`.
            seconds: what is left of the recall's deadline; no more is waited for others that write.
        """
        inputs = answer.trace.inputs
        try:
            id = self.store.keep_trace(
                scope,
                kind=inputs["kind"],
                asked_at=inputs["now"],
                record=record_of(answer.trace),
                most=max(standing, ON_REQUEST) if asked else standing,
                patience=max(0.0, min(PATIENCE_SECONDS, seconds)),
            )
        except ComisError as error:
            return attrs.evolve(answer, notes=(*answer.notes, f"the trace was not kept: {error.message}"))
        return attrs.evolve(answer, trace_id=id)

    def get(self, scope: Scope, id: str) -> StoredTrace:
        """A stored trace. Raises NotFoundError."""
        return _stored(scope, self.store.trace(scope, id))

    def newest(self, scope: Scope, limit: int) -> list[StoredTrace]:
        """The scope's last traces, newest first."""
        return [_stored(scope, row) for row in self.store.traces(scope, limit)]

    def replay(self, scope: Scope, id: str) -> Replayed:
        """Walk a stored recall again over what is there now. Raises NotFoundError."""
        stored = self.get(scope, id)
        again = replay(self.pipeline(scope), self.store, stored.trace.inputs, supervisor=self.supervisor)
        return Replayed(then=stored, now=again)

    def why_not(self, scope: Scope, id: str, memory_id: str) -> str:
        """Why a memory was not in a stored answer. Raises NotFoundError for an unknown trace."""
        return why_not(self.get(scope, id).trace, memory_id, source=self.store)


def _stored(scope: Scope, row: TraceRow) -> StoredTrace:
    return StoredTrace(
        id=row.id, scope=scope, kind=row.kind, asked_at=from_microseconds(row.asked_at), trace=trace_of(row.record)
    )
