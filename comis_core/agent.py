"""The facade people call: one agent's memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import attrs

from comis_core import arguments, memory_fields
from comis_core.errors import ArgumentError, MemoryRejected
from comis_core.model import (
    Annotation,
    BatchResult,
    Filters,
    Item,
    Memory,
    NewMemory,
    Page,
    Recall,
    Scope,
    Stored,
    to_microseconds,
)
from comis_core.model.shown import Compared
from comis_core.store.browse import MAX_PAGE

if TYPE_CHECKING:
    from comis_core.engine import Engine, Replayed, StoredTrace
    from comis_core.links import Link

EXPORT_PAGE = 500


@attrs.frozen(eq=False, repr=False)
class Agent(Compared):
    """A handle on the memory of one (tenant, agent); cheap, holds no state of its own.

    Made by `Engine.agent`. Every method works on this scope alone. System memories are stored,
    changed, removed and hidden by `admin` handles alone.
    """

    engine: Engine
    scope: Scope
    admin: bool = False

    # -- writing

    def store(self, content: str, **fields: Any) -> Stored:
        """Remember one thing.

        Args:
            content: the text, not empty, at most 64 KiB.
            fields: any other field of `NewMemory`: title, type, trust, sender, channel, session, turn, tags, key,
                occurred_at, expires_at, pinned, proof_count, confidence, importance, source_ids, id, created_at,
                annotations, supersedes.

        Returns:
            What became of it; `duplicate` if the same text from the same sender, session and trust was there already.

        Raises:
            MemoryRejected: the memory breaks a rule; the message says which.
        """
        result = self.store_many([memory_fields.new_memory(content, fields)])
        if result.rejected:
            raise MemoryRejected(result.rejected[0].reason)
        return result.stored[0]

    def store_many(self, memories: Iterable[NewMemory], *, validate: bool = True) -> BatchResult:
        """Remember a batch in one transaction: rows that break a rule are refused by index, the others go in.

        `validate=False` skips the validators (evaluation, restoring an export of one's own).
        """
        rows = arguments.several("memories", memories, "NewMemory")
        arguments.a_flag("validate", validate)
        return self.engine.writes.add(self.scope, rows, validate=validate, allow_system=self.admin)

    def update(self, id: str, **changes: Any) -> Memory:
        """Write a new version of a memory under the same id; the prior version stays in `history`.

        Args:
            changes: fields of `NewMemory` except id and created_at.

        Raises:
            NotFoundError: no live memory of this scope has that id.
            MemoryRejected: the new version breaks a rule.
        """
        memory_fields.check_known(changes, refused={"id", "created_at", "annotations", "supersedes"})
        return self.engine.writes.update(self.scope, arguments.an_id("id", id), changes, allow_system=self.admin)

    def delete(self, *ids: str) -> int:
        """Remove memories and everything derived from them, every version. Returns how many there were.

        Raises:
            MemoryRejected: one is a system memory, and this is no admin handle; nothing was removed.
        """
        return self.engine.store.delete(self.scope, arguments.ids("delete", ids), allow_system=self.admin)

    def clear(self) -> int:
        """Remove all non-system, non-pinned memories of this agent. Returns how many there were."""
        return self.engine.store.clear(self.scope.tenant, self.scope.agent)

    def evict(self, *ids: str) -> int:
        """Hide memories from recall, reversibly. Returns how many changed. Raises as `delete` does."""
        return self.engine.store.evict(self.scope, arguments.ids("evict", ids), allow_system=self.admin)

    def restore(self, *ids: str) -> int:
        """Undo `evict`. Returns how many changed. Raises as `delete` does."""
        if count := self.engine.store.restore(self.scope, arguments.ids("restore", ids), allow_system=self.admin):
            self.engine.restored(self.scope)
        return count

    def annotate(self, id: str, *annotations: Annotation) -> None:
        """Say something about a memory: entities, aliases, causes, triples, what it replaces. Raises NotFoundError.

        Raises:
            MemoryRejected: an annotation breaks the rules; but for an admin also one that replaces a system memory, or
                says anything but a cause of one.
        """
        number = arguments.an_id("id", id)
        self.engine.store.annotate(self.scope, number, annotations, allow_system=self.admin)

    def link(self, cause_id: str, effect_id: str, confidence: float = 1.0) -> None:
        """Say that one memory is a cause of another; recall follows it in both directions (plugin `causal`).

        Args:
            confidence: how sure that is, 0..1; of what was said about two memories the surest counts.

        Raises:
            NotFoundError: this scope has no such memory. ComisError: both are the same.
            MemoryRejected: the confidence is out of range.
        """
        from comis_core.links import link

        ends = arguments.an_id("cause_id", cause_id), arguments.an_id("effect_id", effect_id)
        link(self.engine.store, self.scope, *ends, confidence)

    # -- reading

    def get(self, id: str, *, as_of: datetime | None = None) -> Memory:
        """A memory by id, also an evicted one; the version of `as_of` (record time) if given. Raises NotFoundError."""
        moment = None if as_of is None else arguments.a_moment("as_of", as_of)
        return self.engine.store.get(self.scope, arguments.an_id("id", id), as_of=moment)

    def history(self, id: str) -> Sequence[Memory]:
        """Every version of a memory, oldest first. Raises NotFoundError."""
        return self.engine.store.history(self.scope, arguments.an_id("id", id))

    def annotations(self, id: str, *, as_of: datetime | None = None) -> Sequence[Annotation]:
        """What has been said about a memory; by the moment `as_of` (record time) if given. Raises NotFoundError."""
        moment = None if as_of is None else arguments.a_moment("as_of", as_of)
        return self.engine.store.annotations(self.scope, arguments.an_id("id", id), as_of=moment)

    def links(self, id: str) -> Sequence[Link]:
        """What a memory caused and what caused it, as far as both are in sight, surest first. Raises NotFoundError."""
        from comis_core.links import links

        now = to_microseconds(self.engine.clock.now())
        return links(self.engine.store, self.scope, arguments.an_id("id", id), now=now)

    def browse(
        self,
        *,
        filters: Filters | None = None,
        limit: int = 50,
        cursor: str | None = None,
        sender: str | None = None,
        session: str | None = None,
        key: str | None = None,
        include_evicted: bool = False,
    ) -> Page:
        """Memories by date, newest first, a page at a time.

        Args:
            filters: narrows what is listed.
            limit: memories of a page, 1..1000.
            cursor: the last page's, to go on behind it.
            sender, session, key: exactly these.
            include_evicted: also what is hidden from recall.

        Raises:
            ComisError: an argument is out of range or of another kind, or no page gave the cursor.
        """
        return self.engine.store.browse(
            self.scope,
            filters=_filters(filters) or Filters(),
            limit=arguments.a_count("limit", limit, most=MAX_PAGE),
            cursor=arguments.a_text_or_none("cursor", cursor),
            sender=arguments.a_text_or_none("sender", sender),
            session=arguments.a_text_or_none("session", session),
            key=arguments.a_text_or_none("key", key),
            include_evicted=arguments.a_flag("include_evicted", include_evicted),
        )

    def count(self) -> int:
        """How many live memories there are."""
        return self.engine.store.count(self.scope)

    def export(self, *, include_evicted: bool = False) -> Iterator[Memory]:
        """Every live memory, newest first, read in pages."""
        cursor = None
        while True:
            page = self.browse(limit=EXPORT_PAGE, cursor=cursor, include_evicted=include_evicted)
            yield from page.memories
            cursor = page.cursor
            if cursor is None:
                return

    def check(self, memory: NewMemory) -> str:
        """Why `store_many` would refuse this memory; empty when it would not. Writes nothing."""
        refused = self.engine.writes.judge(memory).refused
        return refused or self.engine.store.refusal(self.scope, memory, allow_system=self.admin)

    # -- recall

    def recall(
        self,
        query: str,
        *,
        sender: str | None = None,
        time_zone: str = "UTC",
        filters: Filters | None = None,
        now: datetime | None = None,
        max_results: int | None = None,
        max_context_chars: int | None = None,
        min_score: float | None = None,
        keep_trace: bool | None = None,
    ) -> Recall:
        """The few memories that matter for a question, with the block for the prompt and the reasons.

        Args:
            query: any text, of which at most 4,000 characters are read, from both ends; nothing in it is syntax.
            sender: who asks; memories of other senders are marked as theirs.
            time_zone: IANA zone of the asker, for time expressions and dates.
            filters: narrows what may be seen, inside every lane.
            now: the moment of asking; the engine's clock by default.
            max_results, max_context_chars, min_score: override the config for this call.
            keep_trace: whether to store how the answer came about, as ids and numbers, under `Recall.trace_id`; None
                leaves it to `rag.traces.keep`.
        """
        return self._ask(
            query,
            kind="recall",
            sender=sender,
            time_zone=time_zone,
            filters=filters,
            now=now,
            max_results=max_results,
            max_context_chars=max_context_chars,
            min_score=min_score,
            keep_trace=keep_trace,
        )

    def search(
        self,
        query: str,
        *,
        sender: str | None = None,
        time_zone: str = "UTC",
        filters: Filters | None = None,
        now: datetime | None = None,
        limit: int = 10,
        min_score: float | None = None,
        keep_trace: bool | None = None,
    ) -> Recall:
        """The same walk without diversity, budget and prompt block: for tools that list what is there."""
        return self._ask(
            query,
            kind="search",
            sender=sender,
            time_zone=time_zone,
            filters=filters,
            now=now,
            max_results=limit,
            min_score=min_score,
            keep_trace=keep_trace,
        )

    def why_not(self, query: str, id: str, **options: Any) -> str:
        """Why a memory is not in the answer to a question, in one sentence; `options` are those of `recall`."""
        from comis_core.recall import why_not

        return why_not(self.recall(query, **options), arguments.an_id("id", id), source=self.engine.store)

    # -- stored traces

    def trace(self, trace_id: str) -> StoredTrace:
        """How a former answer came about (`Recall.trace_id`). Raises NotFoundError."""
        return self.engine.traces.get(self.scope, arguments.a_trace_id(trace_id))

    def traces(self, *, limit: int = 20) -> list[StoredTrace]:
        """The last traces that were kept, newest first."""
        return self.engine.traces.newest(self.scope, arguments.a_count("limit", limit))

    def replay(self, trace_id: str) -> Replayed:
        """Walk a former recall again, from what its lanes said then, over what is there now. Raises NotFoundError.

        As long as its candidates are still there and the pipeline is the same, so is the ranking.
        """
        return self.engine.traces.replay(self.scope, arguments.a_trace_id(trace_id))

    def why_not_then(self, trace_id: str, id: str) -> str:
        """Why a memory was not in a former answer, in one sentence. Raises NotFoundError for an unknown trace."""
        return self.engine.traces.why_not(self.scope, arguments.a_trace_id(trace_id), arguments.an_id("id", id))

    def turn_ended(
        self,
        request: str,
        answer: str,
        *,
        recalled: Iterable[Item | str],
        session: str,
        turn: str,
        cited: Iterable[str] = (),
        sender: str | None = None,
        intent: str = "factual",
    ) -> None:
        """Report the end of a turn, so that recall can learn what was used (plugin `feedback`).

        Args:
            request, answer: what was asked and what the agent said.
            recalled: the items of the recall that went into the prompt, or their ids.
            session, turn: name the turn; the same turn counts once, however often it is reported.
            cited: ids that the agent says it used.
            sender: who asked.
            intent: what kind of question it was.

        Raises:
            ArgumentError: session or turn is empty, or something is of another kind.
        """
        from comis_core.model import Turn

        for name, text in (("request", request), ("answer", answer), ("intent", intent)):
            arguments.a_text(name, text)
        if not arguments.a_text("session", session) or not arguments.a_text("turn", turn):
            raise ArgumentError("a turn needs a session and an id of its own", hint="pass session=... and turn=...")
        self.engine.turns.ended(
            Turn(
                scope=self.scope,
                session=session,
                turn=turn,
                request=request,
                answer=answer,
                ended_at=self.engine.clock.now(),
                sender=arguments.a_text_or_none("sender", sender),
                intent=intent,
                recalled=tuple(map(_id_of, arguments.several("recalled", recalled, "items or ids"))),
                cited=arguments.ids("cited", arguments.several("cited", cited, "ids")),
            )
        )

    def _ask(self, query: str, *, kind: str, sender: str | None, now: datetime | None, **options: Any) -> Recall:
        if not isinstance(query, str):
            raise ArgumentError(f"a query is a string, not {type(query).__name__}", hint="pass the question as text")
        _filters(options.get("filters"))
        if options.get("keep_trace") is not None:
            arguments.a_flag("keep_trace", options["keep_trace"])
        moment = to_microseconds(self.engine.clock.now() if now is None else arguments.a_moment("now", now))
        return self.engine.ask(self.scope, query, kind=kind, asker=sender, now=moment, **options)


def _filters(value: Filters | None) -> Filters | None:
    if value is not None and not isinstance(value, Filters):
        hint = "for instance comis_core.Filters(tags={'launch'})"
        raise ArgumentError(f"filters takes Filters, not {type(value).__name__}", hint=hint)
    return value


def _id_of(recalled: Item | str) -> str:
    return recalled.memory.id if isinstance(recalled, Item) else arguments.an_id("each of recalled", recalled)
