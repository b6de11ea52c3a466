"""A real store in a temporary folder, and small parts that return what a test tells them to."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import settings

from comis_core.clock import ManualClock
from comis_core.model import Filters, NewMemory, Ranking, Recall, Scope, to_microseconds
from comis_core.protocols import SearchRequest
from comis_core.recall import Supervisor, recall, search
from comis_core.recall.parts import Bound, Pipeline, RecallSettings
from comis_core.store import Store

steady = settings(deadline=None, derandomize=True)
"""For property tests: the same examples every time, and no clock."""

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
SCOPE = Scope("acme", "helper")
FOREIGN = Scope("acme", "somebody else")


def ranking(*found: tuple[int, float]) -> Ranking:
    """A ranking of (id, claim) pairs in the order given."""
    return Ranking(np.array([pk for pk, _ in found], np.int64), np.array([claim for _, claim in found], np.float64))


@attrs.frozen(eq=False)
class Scripted:
    """A lane or expander that does what a test says. `asked` keeps the requests."""

    act: Callable[[Any], Any]
    asked: list[Any] = attrs.field(factory=list)

    def search(self, request: SearchRequest) -> Any:
        self.asked.append(request)
        return self.act(request)

    expand = search


@attrs.frozen(eq=False)
class SumOfClaims:
    """A fusion with easy numbers: the weighted sum of claims, held to 0..1."""

    def fuse(self, rankings: Mapping[str, Ranking], weights: Mapping[str, float]) -> tuple[Any, Any]:
        ids = np.unique(np.concatenate([found.ids for found in rankings.values()]))
        sums = np.zeros(len(ids))
        for name, found in rankings.items():
            sums[np.searchsorted(ids, found.ids)] += weights[name] * found.scores
        return ids, np.clip(sums, 0.0, 1.0)


@attrs.frozen(eq=False)
class Factor:
    """A scorer, column, reranker, diversifier or analyzer that does what a test says."""

    act: Callable[..., Any]
    max_candidates: int = 40
    min_results: int = 1
    timeout_ms: int = 800

    def factors(self, request: Any) -> Any:
        return self.act(request)

    rerank = order = factors

    def load(self, snapshot: Any, ids: Any) -> Any:
        return self.act(ids)

    def analyze(self, query: Any, scope_view: Any, now: int) -> Any:
        return self.act(query)


def bound(name: str, part: Any, *, weight: float = 1.0, requires: tuple[str, ...] = ()) -> Bound[Any]:
    """A part of the plugin of the same name."""
    return Bound(name=name, plugin=f"plugin {name!r} (tests 1.0)", part=part, weight=weight, requires=requires)


def lane(name: str, act: Callable[[Any], Any] | Ranking, *, weight: float = 1.0) -> Bound[Any]:
    """A lane or expander that returns a ranking, or whatever a function returns."""
    return bound(name, Scripted(act if callable(act) else lambda request: act), weight=weight)


def pipeline(*lanes: Bound[Any], settings: Mapping[str, Any] | None = None, **parts: Any) -> Pipeline:
    """A pipeline of these lanes; minScore and the budget are off unless `settings` says otherwise."""
    chosen = {"min_score": 0.0, "max_context_chars": 0, **(settings or {})}
    return Pipeline(
        scope=SCOPE,
        settings=RecallSettings(**chosen),
        fusion=parts.pop("fusion", bound("sum", SumOfClaims())),
        lanes=lanes,
        **parts,
    )


@attrs.define
class Sandbox:
    """One store with a scope under test and a foreign one."""

    store: Store
    clock: ManualClock
    supervisor: Supervisor
    ids: dict[int, str] = attrs.field(factory=dict)

    def remember(self, content: str, *, scope: Scope = SCOPE, **fields: Any) -> int:
        """Store a memory. Returns its primary key."""
        return self.remember_all([NewMemory(content=content, **fields)], scope=scope)[0]

    def remember_all(self, memories: Sequence[NewMemory], *, scope: Scope = SCOPE) -> list[int]:
        """Store memories. Returns their primary keys."""
        result = self.store.add(scope, memories, allow_system=True)
        assert not result.rejected
        self.ids |= {pk: stored.id for pk, stored in zip(result.pks, result.stored, strict=True)}
        return list(result.pks)

    def recall(self, walked: Pipeline, text: str = "where?", **options: Any) -> Recall:
        """Recall at the clock's time."""
        now = to_microseconds(self.clock.now())
        return recall(walked, self.store, text, **{"now": now, "supervisor": self.supervisor, **options})

    def search(self, walked: Pipeline, text: str = "where?", **options: Any) -> Recall:
        """Search at the clock's time."""
        now = to_microseconds(self.clock.now())
        return search(walked, self.store, text, **{"now": now, "supervisor": self.supervisor, **options})

    def found(self, result: Recall) -> list[int]:
        """The primary keys of an answer, best first."""
        pks = {memory_id: pk for pk, memory_id in self.ids.items()}
        return [pks[item.memory.id] for item in result]

    def reader(self, filters: Filters | None = None) -> Any:
        """A snapshot of the scope."""
        return self.store.snapshot(SCOPE, now=to_microseconds(self.clock.now()), filters=filters or Filters())


@pytest.fixture
def clock() -> ManualClock:
    """Stands still at noon of 1 June 2024."""
    return ManualClock(NOW)


@pytest.fixture
def sandbox(tmp_path: Path, clock: ManualClock) -> Iterator[Sandbox]:
    """A new store."""
    with Store.open(tmp_path / "memory.db", clock=clock) as store:
        yield Sandbox(store, clock, Supervisor(logging.getLogger("tests.recall")))
