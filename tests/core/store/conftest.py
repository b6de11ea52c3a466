"""A store on a real file, a clock that stands still, and an index that keeps the words of memories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from comis_core.clock import ManualClock
from comis_core.model import Filters, Memory, NewMemory, Scope
from comis_core.protocols import Change, Check, Transaction
from comis_core.specs import Migration
from comis_core.store import Store

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NOW = int(START.timestamp()) * 1_000_000


class WordIndex:
    """An index with one row a word, as a plugin would write it."""

    migrations = (Migration("0001_words", "CREATE TABLE test_words(pk INTEGER NOT NULL, word TEXT NOT NULL)"),)

    def __init__(self) -> None:
        self.prepared: list[int] = []
        self.applied: list[list[tuple[str, int]]] = []
        self.fail_on = ""
        self.optimised = 0

    def prepare(self, memories: Sequence[Memory]) -> Sequence[object]:
        self.prepared.append(len(memories))
        return [memory.content.split() for memory in memories]

    def apply(self, tx: Transaction, changes: Sequence[Change]) -> None:
        self.applied.append([(change.operation, change.pk) for change in changes])
        for change in changes:
            if change.operation == "add":
                words = change.prepared
                assert isinstance(words, list)
                if self.fail_on and self.fail_on in words:
                    raise ValueError(f"cannot index {self.fail_on}")
                tx.executemany("INSERT INTO test_words VALUES (?, ?)", [(change.pk, word) for word in words])
            elif change.operation == "delete":
                tx.execute("DELETE FROM test_words WHERE pk = ?", (change.pk,))

    def check(self, db: Transaction) -> Check:
        return Check()

    def clear(self, tx: Transaction) -> None:
        tx.execute("DELETE FROM test_words")

    def optimise(self, tx: Transaction) -> None:
        self.optimised += 1


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "memory.db"


@pytest.fixture
def store(path: Path, clock: ManualClock) -> Iterator[Store]:
    with Store.open(path, clock=clock, synchronous="OFF", migrations={"words": WordIndex.migrations}) as store:
        yield store


@pytest.fixture
def scope() -> Scope:
    return Scope("acme", "helper")


@pytest.fixture
def index() -> WordIndex:
    return WordIndex()


@pytest.fixture
def words(store: Store) -> Callable[[], set[str]]:
    """Reads the index's table."""

    def read() -> set[str]:
        return store.write(lambda tx: {word for (word,) in tx.execute("SELECT word FROM test_words")})

    return read


@pytest.fixture
def add(store: Store, scope: Scope) -> Callable[..., str]:
    """Stores one memory and returns its id."""

    def one(content: str, **fields: object) -> str:
        result = store.add(scope, [NewMemory(content=content, **fields)], allow_system=True)  # type: ignore[arg-type]
        assert not result.rejected, result.rejected
        return result.stored[0].id

    return one


@pytest.fixture
def visible(store: Store, scope: Scope) -> Callable[..., list[str]]:
    """Contents in sight under filters, sorted."""

    def read(now: int = NOW, scope: Scope = scope, **filters: object) -> list[str]:
        with store.snapshot(scope, now=now, filters=Filters(**filters)) as reader:  # type: ignore[arg-type]
            return sorted(reader.texts(reader.visible_ids()))

    return read
