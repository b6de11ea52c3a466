"""The store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import groupby, islice
from typing import Any

import attrs
from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, Op, PutOp, Result, SearchItem, SearchOp

from comis_core import Agent, Filters, Memory, NewMemory
from comis_core.errors import ComisError, NotFoundError
from comis_langgraph.items import Namespace, Place, item, new_memory, place_of, search_item, tag, value_of
from comis_langgraph.matching import matches, passes

PAGE = 500
"""Memories read at a time."""
OVERSHOT = 4
"""So many times what is wanted is asked for at first when a filter will take some away."""


class ComisStore(BaseStore):
    """A `langgraph.store.base.BaseStore` whose items are the memories of one agent.

    Everything the agent's configuration says of recall holds for `search` with a query. The agent may have other
    memories; the store neither shows nor touches them. Usable from any thread and event loop; the engine stays its
    owner's to close.

    Args:
        agent: whose memory it is; made by `Engine.agent`.
        default_ttl: minutes after which an item expires that was put without a `ttl`; None = never.
    """

    supports_ttl = True

    def __init__(self, agent: Agent, *, default_ttl: float | None = None) -> None:
        if not isinstance(agent, Agent):
            raise ComisError(
                f"a store works on an agent's handle, not on {type(agent).__name__}",
                hint="ComisStore(engine.agent('helper'))",
            )
        self._agent = agent
        # Reading never prolongs an item's life: each change of it is a new version.
        self.ttl_config = {"refresh_on_read": False, "omit_expired": True, "default_ttl": default_ttl}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute operations in their order; new items of puts in a row go in together.

        Raises:
            ComisError: an item cannot be stored (no JSON, more than 64 KiB, too long a name); the operations before
                its run are done.
        """
        results: list[Result] = []
        for puts, run in groupby(ops, lambda op: isinstance(op, PutOp)):
            if puts:
                results += self._put_all([op for op in run if isinstance(op, PutOp)])
            else:
                results += [self._read(op) for op in run]
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    # -- writing

    def _put_all(self, ops: Sequence[PutOp]) -> list[Result]:
        last = {Place(op.namespace, op.key): op for op in ops}
        scope = self._agent.scope
        gone = [place.id(scope) for place, op in last.items() if op.value is None]
        kept = [(op, self._memory(place, op)) for place, op in last.items() if op.value is not None]
        if gone:
            self._agent.delete(*gone)
        fresh = [memory for _, memory in kept if not self._updated(memory)]
        rejected = {fresh[row.index].key: row.reason for row in self._agent.store_many(fresh).rejected} if fresh else {}
        # Somebody else may have put the same item since it was looked for.
        refused = {memory.key for memory in fresh if memory.key in rejected and not self._updated(memory)}
        self._show([(op, memory) for op, memory in kept if memory.key not in refused])
        if refused:
            words = "; ".join(f"the item {key} is refused: {rejected[key]}" for key in sorted(map(str, refused)))
            raise ComisError(words, hint="what else was put with it is stored")
        return [None] * len(ops)

    def _memory(self, place: Place, op: PutOp) -> NewMemory:
        memory = new_memory(place, op.value or {}, self._agent.scope)
        return memory if op.ttl is None else attrs.evolve(memory, expires_at=self._now() + timedelta(minutes=op.ttl))

    def _updated(self, memory: NewMemory) -> bool:
        """Whether the item was there, and is now as it is to be."""
        try:
            self._agent.update(str(memory.id), content=memory.content, expires_at=memory.expires_at)
        except NotFoundError:
            return False
        return True

    def _show(self, kept: Sequence[tuple[PutOp, NewMemory]]) -> None:
        """Take what is not to be indexed out of recall's sight, and bring the rest back."""
        hidden = [str(memory.id) for op, memory in kept if op.index is False]
        shown = [str(memory.id) for op, memory in kept if op.index is not False]
        if hidden:
            self._agent.evict(*hidden)
        if shown:
            self._agent.restore(*shown)

    # -- reading

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return self._get(Place(op.namespace, op.key))
        if isinstance(op, SearchOp):
            found = self._found(op) if op.query else self._listed(op)
            return list(islice(found, op.offset, op.offset + op.limit))
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise ComisError(f"{type(op).__name__} is no operation of a store")

    def _get(self, place: Place) -> Item | None:
        try:
            memory = self._agent.get(place.id(self._agent.scope))
        except NotFoundError:
            return None
        return item(memory) if memory.expires_at is None or memory.expires_at > self._now() else None

    def _listed(self, op: SearchOp) -> Iterator[SearchItem]:
        """Newest first."""
        for memory in self._browse(op.namespace_prefix):
            if passes(value_of(memory), op.filter):
                yield search_item(memory, None)

    def _found(self, op: SearchOp) -> list[SearchItem]:
        """Best first: as many as are wanted pass the filter, unless there are no more."""
        wanted = op.offset + op.limit
        asked = wanted * OVERSHOT if op.filter else wanted
        while True:
            answer = self._agent.search(
                op.query or "", filters=Filters(tags=frozenset({tag(op.namespace_prefix)})), limit=asked, min_score=0.0
            )
            copies = (
                (memory, found.score)
                for found in answer
                # Items of equal value are one thing to recall, and several to a store.
                for memory in (found.memory, *self._there(found.folded))
            )
            passing = [search_item(memory, score) for memory, score in copies if passes(value_of(memory), op.filter)]
            if len(passing) >= wanted or len(answer) < asked:
                return passing
            asked *= OVERSHOT

    def _there(self, ids: Sequence[str]) -> Iterator[Memory]:
        """Those of the memories that nobody has taken away since they were found."""
        for id in ids:
            with suppress(NotFoundError):
                yield self._agent.get(id)

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        found = {place_of(memory).namespace for memory in self._browse(())}
        kept = {
            namespace[: op.max_depth]
            for namespace in found
            if all(matches(condition, namespace) for condition in conditions)
        }
        return sorted(kept)[op.offset : op.offset + op.limit]

    def _browse(self, prefix: Namespace) -> Iterator[Memory]:
        cursor: str | None = None
        narrow: Mapping[str, Any] = {"filters": Filters(tags=frozenset({tag(prefix)})), "include_evicted": True}
        while True:
            page = self._agent.browse(limit=PAGE, cursor=cursor, **narrow)
            yield from page.memories
            cursor = page.cursor
            if cursor is None:
                return

    def _now(self) -> datetime:
        return self._agent.engine.clock.now()
