"""Rows that are kept are those that a statement would read, whatever has become of the memories."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from comis_core.clock import ManualClock
from comis_core.model import Filters, NewMemory, Scope, Trust, to_microseconds
from comis_core.protocols import Change
from comis_core.store import Store
from comis_core.store.hydrate import visible_rows
from comis_core.store.reader import StoreReader
from comis_core.store.row_cache import RowCache

NO_FILTERS = Filters()
Rows = list[tuple[Any, ...]]


def rows_of(reader: StoreReader, ids: Sequence[int]) -> Rows:
    return list(reader.rows(np.array(ids, np.int64)))


def numbers(rows: Rows) -> list[int]:
    return [row[0] for row in rows]


def unchanged(seq: int) -> list[Change]:
    return []


def test_after_any_writes_the_rows_are_those_that_a_statement_reads(
    store: Store, scope: Scope, clock: ManualClock
) -> None:
    chance = random.Random(3)
    known: list[str] = []
    for turn in range(80):
        clock.advance(timedelta(minutes=1))
        write_something(store, scope, known, chance, turn)
        asked = sorted(chance.sample(range(1, 70), 25))
        with store.snapshot(scope, now=to_microseconds(clock.now()), filters=NO_FILTERS) as reader:
            assert rows_of(reader, asked) == visible_rows(reader.fetch, asked)


def write_something(store: Store, scope: Scope, known: list[str], chance: random.Random, turn: int) -> None:
    what = chance.choice(["add", "add", "update", "evict", "restore", "delete"])
    if what == "add" or not known:
        known.append(store.add(scope, [NewMemory(content=f"note {turn}")]).stored[0].id)
    elif what == "update":
        store.update(scope, chance.choice(known), content=f"note {turn} anew")
    elif what == "delete":
        store.delete(scope, [known.pop(chance.randrange(len(known)))])
    else:
        getattr(store, what)(scope, [chance.choice(known)])


def test_a_snapshot_that_is_older_than_what_is_kept_reads_for_itself(
    store: Store, scope: Scope, add: Callable[..., str], clock: ManualClock
) -> None:
    first = add("one")
    now = to_microseconds(clock.now())
    with store.snapshot(scope, now=now, filters=NO_FILTERS) as older:
        store.delete(scope, [first])
        add("two")
        with store.snapshot(scope, now=now, filters=NO_FILTERS) as newer:
            assert numbers(rows_of(newer, [1, 2])) == [2]
        assert numbers(rows_of(older, [1, 2])) == [1]


def test_a_restricted_snapshot_does_not_see_what_another_one_has_read(
    store: Store, scope: Scope, add: Callable[..., str], clock: ManualClock
) -> None:
    add("one", trust=Trust.EXTERNAL)
    add("two")
    now = to_microseconds(clock.now())
    with store.snapshot(scope, now=now, filters=NO_FILTERS) as everyone:
        assert numbers(rows_of(everyone, [1, 2])) == [1, 2]
    with store.snapshot(scope, now=now, filters=Filters(trust=frozenset({Trust.LEARNED}))) as learned:
        assert numbers(rows_of(learned, [1, 2])) == [2]


def test_what_has_expired_is_not_seen_although_it_was_read_before(
    store: Store, scope: Scope, add: Callable[..., str], clock: ManualClock
) -> None:
    add("one", expires_at=clock.now() + timedelta(hours=1))
    now = to_microseconds(clock.now())
    with store.snapshot(scope, now=now, filters=NO_FILTERS) as early:
        assert numbers(rows_of(early, [1])) == [1]
    with store.snapshot(scope, now=now + 2 * 3600 * 1_000_000, filters=NO_FILTERS) as late:
        assert numbers(rows_of(late, [1])) == []


def test_what_was_read_before_is_not_read_again() -> None:
    cache, asked = RowCache(), []

    def read(ids: Sequence[int]) -> Rows:
        asked.append(list(ids))
        return [(pk,) for pk in ids]

    cache.of(1, 0, [1, 2], unchanged, read)
    assert numbers(cache.of(1, 0, [1, 2, 3], unchanged, read)) == [1, 2, 3]
    assert asked == [[1, 2], [3]]


def test_scopes_do_not_share_rows() -> None:
    cache = RowCache()
    cache.of(1, 0, [1], unchanged, lambda ids: [(pk, "one") for pk in ids])
    assert cache.of(2, 0, [1], unchanged, lambda ids: [(pk, "two") for pk in ids]) == [(1, "two")]


def test_a_log_that_does_not_reach_back_makes_it_start_anew() -> None:
    cache = RowCache()
    cache.of(1, 0, [1], unchanged, lambda ids: [(pk, "old") for pk in ids])
    assert cache.of(1, 5, [1], lambda seq: None, lambda ids: [(pk, "new") for pk in ids]) == [(1, "new")]


def of_ids(ids: Sequence[int]) -> Rows:
    return [(pk,) for pk in ids]


def test_no_more_is_kept_than_there_is_room_for() -> None:
    cache = RowCache(most=12)
    for first in range(0, 100, 5):
        cache.of(first % 3, 0, range(first, first + 5), unchanged, of_ids)
    assert 0 < cache.size <= 12


def test_scopes_without_rows_take_room_too() -> None:
    cache = RowCache(most=5)
    for scope in range(100):
        cache.of(scope, 0, [7], unchanged, lambda ids: [])
    assert cache.size <= 5


def test_the_scope_that_was_asked_longest_ago_goes_first() -> None:
    cache = RowCache(most=9)
    for scope in (1, 2, 1, 3):
        cache.of(scope, 0, [1, 2, 3], unchanged, of_ids)
    assert cache.of(1, 0, [1, 2, 3], unchanged, lambda ids: []) == of_ids([1, 2, 3])
    assert cache.of(2, 0, [1, 2, 3], unchanged, lambda ids: []) == []


def test_what_it_takes_is_known_after_changes() -> None:
    cache = RowCache()
    cache.of(1, 0, [1, 2, 3], unchanged, of_ids)
    gone = Change(seq=1, scope=1, pk=2, operation="delete")
    cache.of(1, 1, [], lambda seq: [gone], lambda ids: [])
    assert cache.size == 3
    cache.of(1, 2, [], lambda seq: None, lambda ids: [])
    assert cache.size == 0


def test_rows_that_were_read_while_the_scope_changed_are_not_kept() -> None:
    cache = RowCache()
    gone = Change(seq=1, scope=1, pk=5, operation="delete")

    def read_late(ids: Sequence[int]) -> Rows:
        cache.of(1, 1, [5], lambda seq: [gone], lambda ids: [])
        return of_ids(ids)

    cache.of(1, 0, [5], unchanged, read_late)
    assert cache.of(1, 1, [5], unchanged, lambda ids: []) == []


def test_the_log_is_read_while_nobody_waits() -> None:
    cache = RowCache()
    cache.of(1, 0, [1], unchanged, of_ids)

    def slow(seq: int) -> list[Change]:
        assert cache.of(2, 0, [9], unchanged, of_ids) == [(9,)]
        return []

    assert cache.of(1, 1, [1], slow, of_ids) == [(1,)]
