"""A store with one scope, a manual clock and short ways to fill and read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from comis_core.clock import ManualClock
from comis_core.model import Filters, NewMemory, Scope, to_microseconds
from comis_core.store import Store
from comis_core.store.reader import StoreReader
from comis_core.store.vectors import VectorStore, load_sqlite_vec

SPACE = "model-a"


@attrs.define
class World:
    """One file, one scope (and more by name)."""

    store: Store
    clock: ManualClock
    vectors: VectorStore
    scope: Scope = attrs.field(factory=lambda: Scope("acme", "helper"))
    ids: dict[int, str] = attrs.field(factory=dict)
    """Primary key -> the memory's id."""

    @property
    def now(self) -> int:
        return to_microseconds(self.clock.now())

    def remember(self, *memories: NewMemory | str, scope: Scope | None = None) -> list[int]:
        rows = [NewMemory(content=row) if isinstance(row, str) else row for row in memories]
        result = self.store.add(scope or self.scope, rows, allow_system=True)
        assert not result.rejected
        self.ids |= {pk: stored.id for pk, stored in zip(result.pks, result.stored, strict=True)}
        return list(result.pks)

    def embed(self, vectors: dict[int, Any], space: str = SPACE, scope: int = 1) -> int:
        """Write unit vectors: id -> one vector or a list of windows."""
        windows = {pk: np.atleast_2d(np.asarray(given, np.float32)) for pk, given in vectors.items()}
        dimensions = next(iter(windows.values())).shape[1]
        return self.store.write(lambda tx: self.vectors.write(tx, space, dimensions, scope, windows))

    def look(self, scope: Scope | None = None, **filters: Any) -> AbstractContextManager[StoreReader]:
        return self.store.snapshot(scope or self.scope, now=self.now, filters=Filters(**filters))

    def delete(self, *pks: int) -> None:
        self.store.delete(self.scope, [self.ids[pk] for pk in pks])

    def evict(self, *pks: int) -> None:
        self.store.evict(self.scope, [self.ids[pk] for pk in pks])

    def restore(self, *pks: int) -> None:
        self.store.restore(self.scope, [self.ids[pk] for pk in pks])


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2024, 5, 8, 12, tzinfo=UTC))


@pytest.fixture
def world(tmp_path: Path, clock: ManualClock) -> Iterator[World]:
    with Store.open(tmp_path / "memory.db", clock=clock, on_connect=load_sqlite_vec) as store:
        yield World(store, clock, VectorStore())


@pytest.fixture
def unit() -> Any:
    """Random unit vectors: unit(count, dimensions) -> float32[count, dimensions]."""
    random = np.random.default_rng(7)

    def make(count: int, dimensions: int = 8) -> Sequence[Any]:
        vectors = random.standard_normal((count, dimensions)).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    return make
