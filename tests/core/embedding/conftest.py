"""A toy embedder whose faults can be chosen, and a store for what it embeds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from comis_core.clock import ManualClock
from comis_core.store import Store
from comis_core.store.vectors import load_sqlite_vec


@attrs.define
class Toy:
    """Vectors from a digest of the text. `spoil` may change or replace what is returned, or raise."""

    fingerprint: Any = "toy-4"
    dimensions: Any = 4
    spoil: Callable[[list[str], Any], Any] = attrs.field(default=lambda texts, vectors: vectors)
    window: int = 1000
    """Characters a window."""
    calls: list[tuple[tuple[str, ...], str]] = attrs.field(factory=list)

    def embed(self, texts: Sequence[str], kind: str) -> Any:
        self.calls.append((tuple(texts), kind))
        return self.spoil(list(texts), np.array([self.vector(text) for text in texts]).reshape(len(texts), -1))

    def vector(self, text: str) -> Any:
        digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=4 * self.dimensions).digest()
        vector = np.frombuffer(digest, np.uint32).astype(np.float32) + 1
        return vector / np.linalg.norm(vector)

    def windows(self, text: str) -> Sequence[str]:
        return [text[start : start + self.window] for start in range(0, len(text), self.window)]

    def available(self) -> bool:
        return True

    def confidence(self, text: str) -> float:
        return 0.5


@pytest.fixture
def toy() -> Toy:
    return Toy()


@pytest.fixture
def toys() -> Callable[..., Toy]:
    """Makes toy embedders with chosen fields."""
    return Toy


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2024, 5, 8, 12, tzinfo=UTC))


@pytest.fixture
def store(tmp_path: Path, clock: ManualClock) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db", clock=clock, on_connect=load_sqlite_vec) as store:
        yield store
