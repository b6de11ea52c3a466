from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.clock import ManualClock
from comis_core.errors import ComisError
from comis_core.model import Filters, MemoryType, NewMemory, Scope, Trust
from comis_core.store import Store
from comis_core.store.browse import decode, encode

Add = Callable[..., str]


def contents(store: Store, scope: Scope, **options: object) -> list[str]:
    return [memory.content for memory in store.browse(scope, **options).memories]  # type: ignore[arg-type]


def test_the_newest_comes_first(store: Store, scope: Scope, clock: ManualClock, add: Add) -> None:
    for content in ("one", "two", "three"):
        add(content)
        clock.advance(timedelta(hours=1))
    assert contents(store, scope) == ["three", "two", "one"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8, 50])
def test_pages_join_without_gap_or_overlap(
    store: Store, scope: Scope, clock: ManualClock, add: Add, limit: int
) -> None:
    for number in range(7):
        add(str(number))
        if number % 3 == 0:
            clock.advance(timedelta(hours=1))
    found: list[str] = []
    cursor = None
    while True:
        page = store.browse(scope, limit=limit, cursor=cursor)
        found += [memory.content for memory in page.memories]
        cursor = page.cursor
        if cursor is None:
            break
        assert len(page.memories) == limit
    assert found == ["6", "5", "4", "3", "2", "1", "0"]


def test_a_page_goes_on_where_the_last_one_ended_whatever_happened_meanwhile(
    store: Store, scope: Scope, add: Add
) -> None:
    ids = [add(str(number)) for number in range(6)]
    first = store.browse(scope, limit=2)
    store.delete(scope, [ids[4], ids[3]])
    add("newcomer")
    second = store.browse(scope, limit=2, cursor=first.cursor)
    assert [memory.content for memory in second.memories] == ["2", "1"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"sender": "ana"}, ["b", "a"]),
        ({"session": "s2"}, ["c", "b"]),
        ({"sender": "ana", "session": "s2"}, ["b"]),
        ({"key": "k"}, ["a"]),
        ({"sender": "nobody"}, []),
        ({"filters": Filters(types=frozenset({MemoryType.EPISODIC}))}, ["c"]),
        ({"filters": Filters(trust=frozenset({Trust.EXTERNAL}))}, ["b"]),
        ({"filters": Filters(tags=frozenset({"t"}))}, ["a"]),
    ],
)
def test_a_page_can_be_narrowed(
    store: Store, scope: Scope, add: Add, options: dict[str, object], expected: list[str]
) -> None:
    add("a", sender="ana", session="s1", key="k", tags=("t",))
    add("b", sender="ana", session="s2", trust=Trust.EXTERNAL)
    add("c", sender="ben", session="s2", type=MemoryType.EPISODIC)
    assert contents(store, scope, **options) == expected


def test_evicted_memories_are_shown_on_request(store: Store, scope: Scope, add: Add) -> None:
    add("kept")
    store.evict(scope, [add("evicted")])
    assert contents(store, scope) == ["kept"]
    assert contents(store, scope, include_evicted=True) == ["evicted", "kept"]
    assert contents(store, scope) == ["kept"]


def test_a_past_moment_can_be_browsed(store: Store, scope: Scope, clock: ManualClock, add: Add) -> None:
    memory_id = add("old")
    then = clock.moment
    clock.advance(timedelta(days=1))
    store.update(scope, memory_id, content="new")
    add("later")
    assert contents(store, scope, filters=Filters(record_as_of=then)) == ["old"]


def test_a_scope_shows_its_own_memories_alone(store: Store, scope: Scope, add: Add) -> None:
    add("mine")
    store.add(Scope("rival", "helper"), [NewMemory(content="theirs")])
    assert contents(store, scope) == ["mine"]
    assert contents(store, Scope("nobody", "helper")) == []


@pytest.mark.parametrize("cursor", ["", "x", "....", "ünï", encode(1, 2)[:-2], encode(1, 2) + "AAAA", "A" * 27])
def test_a_cursor_that_no_page_gave_is_refused(store: Store, scope: Scope, cursor: str) -> None:
    with pytest.raises(ComisError, match="no cursor"):
        store.browse(scope, cursor=cursor)


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_limit_out_of_range_is_refused(store: Store, scope: Scope, limit: int) -> None:
    with pytest.raises(ComisError, match="limit"):
        store.browse(scope, limit=limit)


@given(st.integers(-(2**63), 2**63 - 1), st.integers(1, 2**63 - 1))
def test_a_cursor_names_any_place(created_at: int, pk: int) -> None:
    assert decode(encode(created_at, pk)) == (created_at, pk)
