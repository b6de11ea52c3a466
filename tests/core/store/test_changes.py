from __future__ import annotations

from collections.abc import Callable

import pytest

from comis_core.model import Annotation, Filters, NewMemory, Scope
from comis_core.store import Store, changes

Add = Callable[..., str]
OTHER = Scope("acme", "other")


def since(store: Store, scope: Scope, seq: int) -> list[tuple[int, int, str]] | None:
    with store.snapshot(scope, now=0, filters=Filters()) as reader:
        lines = reader.changes_since(seq)
        assert lines is None or all(line.scope == reader.scope for line in lines)
        return None if lines is None else [(line.seq, line.pk, line.operation) for line in lines]


def last(store: Store, scope: Scope) -> int:
    with store.snapshot(scope, now=0, filters=Filters()) as reader:
        return reader.seq


def test_every_write_is_logged(store: Store, scope: Scope, add: Add) -> None:
    first = add("one")
    store.update(scope, first, content="two")
    store.evict(scope, [first])
    store.restore(scope, [first])
    store.annotate(scope, first, [Annotation(kind="entity", name="Ana")])
    store.delete(scope, [first])
    assert since(store, scope, 0) == [
        (1, 1, "add"), (2, 1, "close"), (3, 2, "add"), (4, 2, "evict"), (5, 2, "restore"), (6, 2, "annotate"),
        (7, 1, "delete"), (8, 2, "delete"),
    ]  # fmt: skip


def test_what_changes_nothing_is_not_logged(store: Store, scope: Scope, add: Add) -> None:
    first = add("one", annotations=(Annotation(kind="entity", name="Ana"),))
    add("one")
    store.update(scope, first, content="one")
    store.restore(scope, [first])
    store.annotate(scope, first, [Annotation(kind="entity", name="Ana")])
    store.delete(scope, ["0190b8f0-1111-7abc-8def-000000000001"])
    assert last(store, scope) == 1


def test_a_scope_sees_its_own_changes_alone(store: Store, scope: Scope, add: Add) -> None:
    add("one")
    store.add(OTHER, [NewMemory(content="x")])
    add("two")
    assert since(store, scope, 1) == [(3, 2 + 1, "add")]
    assert (last(store, scope), last(store, OTHER)) == (3, 2)


def test_who_is_up_to_date_gets_nothing(store: Store, scope: Scope, add: Add) -> None:
    add("one")
    assert since(store, scope, 1) == []


def test_who_is_ahead_of_the_snapshot_must_begin_again(store: Store, scope: Scope, add: Add) -> None:
    add("one")
    assert since(store, scope, 2) is None


@pytest.fixture
def short_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "KEPT", 50)


def write_many(store: Store, scope: Scope, count: int) -> None:
    for start in range(0, count, 1000):
        store.add(scope, [NewMemory(content=f"{scope} {number}") for number in range(start, min(count, start + 1000))])


def log(store: Store) -> list[tuple[int, int]]:
    return store.write(lambda tx: [(seq, scope) for seq, scope in tx.execute("SELECT seq, scope FROM changes")])


@pytest.mark.usefixtures("short_log")
def test_the_log_is_pruned_and_says_where_it_no_longer_reaches(store: Store, scope: Scope) -> None:
    write_many(store, scope, 3000)
    assert len(log(store)) < 1500
    assert since(store, scope, 0) is None
    assert since(store, scope, 5) is None
    newest = last(store, scope)
    assert since(store, scope, newest - 3) == [(seq, seq, "add") for seq in (newest - 2, newest - 1, newest)]


@pytest.mark.usefixtures("short_log")
def test_a_quiet_scope_is_not_sent_back_to_the_start_by_a_busy_one(store: Store, scope: Scope, add: Add) -> None:
    add("one")
    add("two")
    write_many(store, OTHER, 5000)
    assert last(store, scope) == 2
    assert since(store, scope, 2) == []
    assert since(store, scope, 1) is None
    add("three")
    assert since(store, scope, 2) == [(5003, 5003, "add")]


@pytest.mark.usefixtures("short_log")
def test_old_last_changes_do_not_gather(store: Store, scope: Scope, add: Add) -> None:
    for number in range(4):
        add(f"one {number}")
        write_many(store, Scope("busy", str(number)), 2000)
    write_many(store, Scope("busy", "last"), 4000)
    kept = [entry for entry in log(store) if entry[1] == 1]
    assert kept == [(last(store, scope), 1)]
