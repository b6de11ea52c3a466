"""The handles of agents and tenants for asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import attrs

from comis_core import arguments
from comis_core.agent import EXPORT_PAGE, Agent
from comis_core.model import Annotation, BatchResult, Filters, Memory, NewMemory, Page, Recall, Scope, Stored
from comis_core.tenant import Tenant, TenantSearch

if TYPE_CHECKING:
    from comis_core.aio.engine import AsyncEngine
    from comis_core.engine import Replayed, StoredTrace
    from comis_core.links import Link
    from comis_core.model import Item


@attrs.frozen
class AsyncAgent:
    """`comis_core.Agent` for asyncio; made by `AsyncEngine.agent`. agent: what it works on; its methods block."""

    engine: AsyncEngine
    agent: Agent

    @property
    def scope(self) -> Scope:
        """Whose memory it is."""
        return self.agent.scope

    @property
    def admin(self) -> bool:
        """Whether it may store, change, remove and hide system memories."""
        return self.agent.admin

    # -- writing

    async def store(self, content: str, **fields: Any) -> Stored:
        """As `Agent.store`."""
        return await self.engine.write(self.agent.store, content, **fields)

    async def store_many(self, memories: Iterable[NewMemory], *, validate: bool = True) -> BatchResult:
        """As `Agent.store_many`; the iterable is read in the event loop."""
        rows = arguments.several("memories", memories, "NewMemory")
        return await self.engine.write(self.agent.store_many, rows, validate=validate)

    async def update(self, id: str, **changes: Any) -> Memory:
        """As `Agent.update`."""
        return await self.engine.write(self.agent.update, id, **changes)

    async def delete(self, *ids: str) -> int:
        """As `Agent.delete`."""
        return await self.engine.write(self.agent.delete, *ids)

    async def clear(self) -> int:
        """As `Agent.clear`."""
        return await self.engine.write(self.agent.clear)

    async def evict(self, *ids: str) -> int:
        """As `Agent.evict`."""
        return await self.engine.write(self.agent.evict, *ids)

    async def restore(self, *ids: str) -> int:
        """As `Agent.restore`."""
        return await self.engine.write(self.agent.restore, *ids)

    async def annotate(self, id: str, *annotations: Annotation) -> None:
        """As `Agent.annotate`."""
        await self.engine.write(self.agent.annotate, id, *annotations)

    async def link(self, cause_id: str, effect_id: str, confidence: float = 1.0) -> None:
        """As `Agent.link`."""
        await self.engine.write(self.agent.link, cause_id, effect_id, confidence)

    # -- reading

    async def get(self, id: str, *, as_of: datetime | None = None) -> Memory:
        """As `Agent.get`."""
        return await self.engine.run(self.agent.get, id, as_of=as_of)

    async def history(self, id: str) -> Sequence[Memory]:
        """As `Agent.history`."""
        return await self.engine.run(self.agent.history, id)

    async def annotations(self, id: str, *, as_of: datetime | None = None) -> Sequence[Annotation]:
        """As `Agent.annotations`."""
        return await self.engine.run(self.agent.annotations, id, as_of=as_of)

    async def links(self, id: str) -> Sequence[Link]:
        """As `Agent.links`."""
        return await self.engine.run(self.agent.links, id)

    async def browse(
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
        """As `Agent.browse`."""
        return await self.engine.run(
            self.agent.browse,
            filters=filters,
            limit=limit,
            cursor=cursor,
            sender=sender,
            session=session,
            key=key,
            include_evicted=include_evicted,
        )

    async def count(self) -> int:
        """As `Agent.count`."""
        return await self.engine.run(self.agent.count)

    async def export(self, *, include_evicted: bool = False) -> AsyncIterator[Memory]:
        """As `Agent.export`, read a page at a time."""
        cursor: str | None = None
        while True:
            page = await self.browse(limit=EXPORT_PAGE, cursor=cursor, include_evicted=include_evicted)
            for memory in page.memories:
                yield memory
            cursor = page.cursor
            if cursor is None:
                return

    async def check(self, memory: NewMemory) -> str:
        """As `Agent.check`."""
        return await self.engine.run(self.agent.check, memory)

    # -- recall

    async def recall(
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
        """As `Agent.recall`."""
        return await self.engine.run(
            self.agent.recall,
            query,
            sender=sender,
            time_zone=time_zone,
            filters=filters,
            now=now,
            max_results=max_results,
            max_context_chars=max_context_chars,
            min_score=min_score,
            keep_trace=keep_trace,
        )

    async def search(
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
        """As `Agent.search`."""
        return await self.engine.run(
            self.agent.search,
            query,
            sender=sender,
            time_zone=time_zone,
            filters=filters,
            now=now,
            limit=limit,
            min_score=min_score,
            keep_trace=keep_trace,
        )

    async def why_not(self, query: str, id: str, **options: Any) -> str:
        """As `Agent.why_not`."""
        return await self.engine.run(self.agent.why_not, query, id, **options)

    # -- stored traces

    async def trace(self, trace_id: str) -> StoredTrace:
        """As `Agent.trace`."""
        return await self.engine.run(self.agent.trace, trace_id)

    async def traces(self, *, limit: int = 20) -> list[StoredTrace]:
        """As `Agent.traces`."""
        return await self.engine.run(self.agent.traces, limit=limit)

    async def replay(self, trace_id: str) -> Replayed:
        """As `Agent.replay`."""
        return await self.engine.run(self.agent.replay, trace_id)

    async def why_not_then(self, trace_id: str, id: str) -> str:
        """As `Agent.why_not_then`."""
        return await self.engine.run(self.agent.why_not_then, trace_id, id)

    # -- turns

    async def turn_ended(
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
        """As `Agent.turn_ended`; the iterables are read in the event loop."""
        await self.engine.write(
            self.agent.turn_ended,
            request,
            answer,
            recalled=arguments.several("recalled", recalled, "items or ids"),
            session=session,
            turn=turn,
            cited=arguments.several("cited", cited, "ids"),
            sender=sender,
            intent=intent,
        )


@attrs.frozen
class AsyncTenant:
    """`comis_core.tenant.Tenant` for asyncio; made by `AsyncEngine.tenant`."""

    engine: AsyncEngine
    tenant: Tenant

    @property
    def name(self) -> str:
        """The tenant's name."""
        return self.tenant.name

    async def scopes(self) -> list[Scope]:
        """As `Tenant.scopes`."""
        return await self.engine.run(self.tenant.scopes)

    async def search(
        self, query: str, *, agents: tuple[str, ...] | None = None, limit: int = 10, **options: Any
    ) -> TenantSearch:
        """As `Tenant.search`."""
        return await self.engine.run(self.tenant.search, query, agents=agents, limit=limit, **options)
