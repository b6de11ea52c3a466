from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comis_core.clock import ManualClock
from comis_core.errors import StoreError
from comis_core.model import Annotation, NewMemory, Scope
from comis_core.protocols import Change, Transaction
from comis_core.store import Store, changes
from comis_core.store.watermarks import BATCH

Add = Callable[..., str]
Words = Callable[[], set[str]]


def test_an_attached_index_follows_each_write(store: Store, scope: Scope, index: Any, add: Add, words: Words) -> None:
    store.attach("words", index, "1")
    first = add("ana lisbon")
    assert words() == {"ana", "lisbon"}
    store.update(scope, first, content="ana porto")
    assert words() == {"ana", "lisbon", "porto"}
    store.delete(scope, [first])
    assert words() == set()
    assert store.pending() == {}


def test_an_index_is_told_of_every_operation(store: Store, scope: Scope, index: Any, add: Add) -> None:
    store.attach("words", index, "1")
    first = add("one")
    store.evict(scope, [first])
    store.restore(scope, [first])
    store.annotate(scope, first, [Annotation(kind="entity", name="Ana")])
    store.write(lambda tx: changes.record(tx, 1, [1], "embed"))
    assert index.applied == [[(name, 1)] for name in ("add", "evict", "restore", "annotate", "embed")]


def test_slow_work_is_done_once_and_before_the_lock(store: Store, scope: Scope, index: Any) -> None:
    store.attach("words", index, "1")
    store.add(scope, [NewMemory(content=f"x{number}") for number in range(5)])
    assert (index.prepared, len(index.applied)) == ([5], 1)


def test_a_duplicate_is_not_indexed_again(store: Store, scope: Scope, index: Any) -> None:
    store.attach("words", index, "1")
    store.add(scope, [NewMemory(content="one"), NewMemory(content="one"), NewMemory(content="two")])
    assert list(store.write(lambda tx: tx.execute("SELECT * FROM test_words"))) == [(1, "one"), (2, "two")]


def test_an_index_attached_late_is_filled_in_batches(store: Store, scope: Scope, index: Any, words: Words) -> None:
    total = 2 * BATCH + 500
    store.add(scope, [NewMemory(content=f"x{number}") for number in range(total)])
    store.attach("words", index, "1")
    assert words() == set()
    assert "being filled" in store.pending()["words"]
    store.catch_up()
    assert words() == {f"x{number}" for number in range(total)}
    assert [len(lines) for lines in index.applied] == [BATCH, BATCH, 500]
    assert store.pending() == {}


def test_closed_and_evicted_versions_are_filled_in_too(
    store: Store, scope: Scope, index: Any, add: Add, words: Words
) -> None:
    first = add("old")
    store.update(scope, first, content="new")
    store.evict(scope, [first])
    store.attach("words", index, "1")
    store.catch_up()
    assert words() == {"old", "new"}


def test_writes_go_on_while_an_index_is_filled(
    store: Store, scope: Scope, index: Any, words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [row.id for row in store.add(scope, [NewMemory(content=f"x{number}") for number in range(1500)]).stored]
    prepare = index.prepare
    calls = iter(range(100))

    def interrupted(memories: Any) -> Any:
        if next(calls) == 0:
            store.delete(scope, [ids[3], ids[1400]])
            store.update(scope, ids[1300], content="changed")
            store.annotate(scope, ids[1301], [Annotation(kind="entity", name="Ana")])
        return prepare(memories)

    store.attach("words", index, "1")
    monkeypatch.setattr(index, "prepare", interrupted)
    store.catch_up()
    assert words() == {f"x{number}" for number in range(1500) if number not in (3, 1400)} | {"changed"}
    told = [line for lines in index.applied for line in lines]
    added = [pk for operation, pk in told if operation == "add"]
    assert len(added) == len(set(added)) == 1499
    assert not {4, 1401} & set(added), "what was deleted meanwhile"
    known: set[int] = set()
    for operation, pk in told:
        assert operation in ("add", "delete") or pk in known, "a change of what is yet to come"
        known.add(pk)
    assert store.pending() == {}


def test_another_version_is_built_anew(path: Path, clock: ManualClock, scope: Scope, index: Any) -> None:
    sets = {"words": index.migrations}
    with Store.open(path, clock=clock, migrations=sets) as store:
        store.attach("words", index, "1")
        store.add(scope, [NewMemory(content="one")])
    with Store.open(path, clock=clock, migrations=sets) as store:
        store.attach("words", index, "2")
        assert list(store.write(lambda tx: tx.execute("SELECT word FROM test_words"))) == []
        store.catch_up()
        assert list(store.write(lambda tx: tx.execute("SELECT word FROM test_words"))) == [("one",)]
    applied = len(index.applied)
    with Store.open(path, clock=clock, migrations=sets) as store:
        store.attach("words", index, "2")
        store.catch_up()
    assert len(index.applied) == applied


@pytest.fixture
def neighbour(store: Store, path: Path, clock: ManualClock) -> Any:
    """Another handle on the same file, as another process has one, without the index."""
    with Store.open(path, clock=clock) as other:
        yield other


def test_what_another_process_wrote_is_taken_along_by_the_next_write(
    store: Store, neighbour: Store, scope: Scope, index: Any, add: Add, words: Words
) -> None:
    store.attach("words", index, "1")
    add("one")
    neighbour.delete(scope, [neighbour.add(scope, [NewMemory(content="passing")]).stored[0].id])
    neighbour.add(scope, [NewMemory(content="two")])
    assert store.pending() == {"words": "3 changes behind"}
    add("three")
    assert words() == {"one", "two", "three"}
    assert store.pending() == {}


def test_a_long_gap_is_left_to_catching_up(
    store: Store, neighbour: Store, scope: Scope, index: Any, add: Add, words: Words
) -> None:
    store.attach("words", index, "1")
    neighbour.add(scope, [NewMemory(content=f"x{number}") for number in range(BATCH + 1)])
    add("own")
    assert words() == set()
    store.catch_up()
    assert words() == {f"x{number}" for number in range(BATCH + 1)} | {"own"}


def test_a_gap_that_the_log_no_longer_covers_is_filled_from_the_truth(
    store: Store, neighbour: Store, scope: Scope, index: Any, words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "KEPT", 10)
    store.attach("words", index, "1")
    for batch in range(4):
        neighbour.add(scope, [NewMemory(content=f"x{batch} y{number}") for number in range(1000)])
    store.catch_up()
    assert words() == {f"x{batch}" for batch in range(4)} | {f"y{number}" for number in range(1000)}
    assert store.pending() == {}


def test_what_another_process_deletes_while_an_index_is_filled_never_reaches_it(
    store: Store, neighbour: Store, scope: Scope, index: Any, monkeypatch: pytest.MonkeyPatch, words: Words
) -> None:
    ids = [row.id for row in store.add(scope, [NewMemory(content=f"x{number}") for number in range(5)]).stored]
    prepare = index.prepare

    def interrupted(memories: Any) -> Any:
        neighbour.delete(scope, ids[3:4])
        return prepare(memories)

    store.attach("words", index, "1")
    monkeypatch.setattr(index, "prepare", interrupted)
    store.catch_up()
    assert ("add", 4) not in [line for lines in index.applied for line in lines]
    assert words() == {"x0", "x1", "x2", "x4"}


def test_a_process_with_another_version_leaves_the_index_alone(
    store: Store, neighbour: Store, scope: Scope, index: Any, add: Add
) -> None:
    store.attach("words", index, "1")
    neighbour.attach("words", type(index)(), "2")
    add("one")
    assert "version '2'" in store.pending()["words"]
    store.catch_up()
    assert "version '2'" in store.pending()["words"]
    assert index.applied == []


class Broken:
    """An index that misbehaves in one of its methods."""

    def __init__(self, where: str) -> None:
        self.where = where

    def prepare(self, memories: Any) -> Any:
        if self.where == "prepare":
            raise RuntimeError("cannot prepare")
        return [] if self.where == "count" else [None] * len(memories)

    def apply(self, tx: Transaction, lines: list[Change]) -> None:
        tx.execute("CREATE TABLE half_done(x)")
        if self.where == "apply":
            raise RuntimeError("cannot apply")
        if self.where == "sql":
            tx.execute("INSERT INTO nowhere VALUES (1)")

    def clear(self, tx: Transaction) -> None:
        if self.where == "clear":
            raise RuntimeError("cannot clear")


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("prepare", "cannot prepare"), ("count", "0 values for 1 memories"), ("apply", "cannot apply"),
        ("sql", "nowhere"), ("clear", "cannot clear"),
    ],
)  # fmt: skip
def test_a_broken_index_is_named_and_left_behind_while_writes_go_on(
    store: Store, scope: Scope, index: Any, add: Add, caplog: pytest.LogCaptureFixture, where: str, words: str
) -> None:
    store.attach("broken", Broken(where), "1")  # type: ignore[arg-type]
    store.attach("words", index, "1")
    with caplog.at_level(logging.WARNING):
        add("one")
        add("two")
    assert store.count(scope) == 2
    assert words in store.pending()["broken"]
    assert "words" not in store.pending()
    assert len([record for record in caplog.records if "broken" in record.message]) == 1
    assert not list(store.write(lambda tx: tx.execute("SELECT 1 FROM sqlite_schema WHERE name = 'half_done'")))


def test_an_index_that_failed_for_a_time_catches_up(
    store: Store, scope: Scope, index: Any, add: Add, words: Words
) -> None:
    store.attach("words", index, "1")
    index.fail_on = "poison"
    add("one")
    add("two poison")
    add("three")
    assert words() == {"one"}
    assert "cannot index poison" in store.pending()["words"]
    index.fail_on = ""
    store.catch_up()
    assert words() == {"one", "two", "poison", "three"}
    assert store.pending() == {}


def test_a_full_disk_is_no_fault_of_the_index(store: Store, scope: Scope, index: Any, add: Add) -> None:
    store.attach("words", index, "1")
    add("one")
    store.write(lambda tx: list(tx.execute("PRAGMA max_page_count = 1")))
    with pytest.raises(StoreError, match="disk is full"):
        add("word " * 10000)
    store.write(lambda tx: list(tx.execute("PRAGMA max_page_count = 100000")))
    assert store.pending() == {}
    add("two")
    assert store.count(scope) == 2


def test_an_index_of_a_file_that_is_only_read_is_behind(
    path: Path, clock: ManualClock, scope: Scope, index: Any
) -> None:
    with Store.open(path, clock=clock) as store:
        store.add(scope, [NewMemory(content="one")])
    with Store.open(path, clock=clock, read_only=True) as store:
        store.attach("words", index, "1")
        assert store.pending() == {"words": "not filled yet"}


def test_a_rolled_back_write_leaves_the_index_as_it_was(
    store: Store, scope: Scope, index: Any, add: Add, words: Words
) -> None:
    store.attach("words", index, "1")
    add("one")

    def fail(*arguments: object) -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        store.add(scope, [NewMemory(content="two")], enqueue=fail)
    assert words() == {"one"}
    add("three")
    assert words() == {"one", "three"}
