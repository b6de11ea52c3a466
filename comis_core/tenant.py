"""An operator's view: all agents of one tenant, each searched by its own pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from comis_core import arguments
from comis_core.errors import ComisError
from comis_core.model import Degraded, Item, Scope

if TYPE_CHECKING:
    from comis_core.engine import Engine


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TenantSearch:
    """Items of several scopes, best first, with what each scope had to say."""

    items: tuple[Item, ...]
    notes: tuple[str, ...]
    degraded: tuple[Degraded, ...]


@attrs.frozen
class Tenant:
    """Made by `Engine.tenant`. For operators; an agent's own recall never crosses its scope."""

    engine: Engine
    name: str

    def scopes(self) -> list[Scope]:
        """The tenant's scopes, by agent."""
        return [scope for scope in self.engine.scopes() if scope.tenant == self.name]

    def search(
        self, query: str, *, agents: tuple[str, ...] | None = None, limit: int = 10, **options: Any
    ) -> TenantSearch:
        """Search the tenant's agents, one after the other, and merge by score.

        Args:
            agents: only these; an unknown one is an error.
            limit: items in all.
            options: as for `Agent.search`.
        """
        arguments.a_count("limit", limit)
        wanted = None if agents is None else frozenset(arguments.several("agents", agents, "names of agents"))
        scopes = self.scopes()
        unknown = [name for name in wanted or () if name not in {scope.agent for scope in scopes}]
        if unknown:
            raise ComisError(f"tenant {self.name!r} has no agent {unknown[0]!r}")
        chosen = [scope for scope in scopes if wanted is None or scope.agent in wanted]
        answers = [
            (scope, self.engine.agent(scope.agent, self.name).search(query, limit=limit, **options)) for scope in chosen
        ]
        items = sorted(
            (item for _, answer in answers for item in answer),
            key=lambda item: (-item.score, item.memory.scope.agent, item.memory.id),
        )
        return TenantSearch(
            items=tuple(items[:limit]),
            notes=tuple(dict.fromkeys(f"{scope.agent}: {note}" for scope, answer in answers for note in answer.notes)),
            degraded=tuple(dict.fromkeys(failure for _, answer in answers for failure in answer.degraded)),
        )
