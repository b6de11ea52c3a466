"""What the host hands to the recall stages: built parts with their names and weights, and the agent's settings."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Generic, TypeVar

import attrs

from comis_core.model import Degraded, Scope, Trust
from comis_core.model.shown import Compared
from comis_core.protocols import (
    CORE_COLUMNS,
    Analyzer,
    Column,
    Diversifier,
    Expander,
    Fusion,
    Lane,
    Observer,
    Reranker,
    Scorer,
)
from comis_core.senders import Roles

P = TypeVar("P")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Bound(Generic[P]):
    """A built part under the name that config and traces use."""

    name: str
    plugin: str
    """Which plugin, distribution and version it came from, for messages."""
    part: P
    weight: float = 1.0
    stands_in_for: str = ""
    """Of a lane: that one is asked first, and this one only if it brought no ranking."""
    order: int = 100
    requires: tuple[str, ...] = ()
    """Plugin columns it reads."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RecallSettings(Compared):
    """The agent's keys that the recall stages themselves obey."""

    enabled: bool = True
    max_results: int = 5
    max_context_chars: int = 4000
    """0 = no budget."""
    min_score: float = 0.1
    include_trust_levels: tuple[Trust, ...] = (Trust.SYSTEM, Trust.LEARNED)
    conflicts: bool = True
    """Whether corrections are put above what they correct."""
    functional_predicates: tuple[str, ...] = ()
    deadline_ms: int = 5000
    """Wall clock after which SQL is interrupted and parts that have not begun are skipped."""
    dedup_similarity: float = 0.95
    roles: Roles = attrs.field(factory=Roles)
    """Who of the senders is a person and who a machine."""
    traces_kept: int = 0
    """How many traces of the scope are stored; 0 = none unless a call asks for it."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Pipeline:
    """Everything one agent's recall consists of, in the order in which it runs. Immutable; swapped by reference."""

    scope: Scope
    settings: RecallSettings
    fusion: Bound[Fusion]
    analyzers: tuple[Bound[Analyzer], ...] = ()
    lanes: tuple[Bound[Lane], ...] = ()
    expanders: tuple[Bound[Expander], ...] = ()
    reranker: Bound[Reranker] | None = None
    columns: tuple[Bound[Column], ...] = ()
    scorers: tuple[Bound[Scorer], ...] = ()
    diversifier: Bound[Diversifier] | None = None
    observers: tuple[Bound[Observer], ...] = ()
    """Who hears how a turn ended; no part of a recall."""
    degraded: tuple[Degraded, ...] = ()
    """Parts that could not be imported or built; repeated by every recall."""
    notes: tuple[str, ...] = ()

    @cached_property
    def required(self) -> frozenset[str]:
        """The plugin columns that some part reads."""
        parts: tuple[Bound[Any], ...] = (*self.lanes, *self.expanders, *self.scorers)
        return frozenset(name for part in parts for name in part.requires) - CORE_COLUMNS.keys()

    def describe(self) -> list[dict[str, Any]]:
        """Stage by stage, what would run: for `comis plugins order` and tests that compare pipelines."""
        stages: list[tuple[str, tuple[Bound[Any], ...]]] = [
            ("analyze", self.analyzers),
            ("search", self.lanes),
            ("fuse", (self.fusion,)),
            ("expand", self.expanders),
            ("rerank", (self.reranker,) if self.reranker else ()),
            ("score", self.scorers),
            ("diversity", (self.diversifier,) if self.diversifier else ()),
        ]
        return [
            {"stage": stage, "name": part.name, "plugin": part.plugin, "order": part.order, "weight": part.weight}
            for stage, parts in stages
            for part in parts
        ]
