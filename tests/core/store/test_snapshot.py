from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comis_core.clock import ManualClock
from comis_core.errors import ReadOnlyError, StoreError
from comis_core.model import (
    Annotation,
    Filters,
    Memory,
    MemoryType,
    NewMemory,
    Scope,
    Trust,
    from_microseconds,
    to_microseconds,
)
from comis_core.protocols import CORE_COLUMNS
from comis_core.recall.reader import SnapshotSource
from comis_core.store import Store
from comis_core.store.reader import StoreReader

Add = Callable[..., str]
Visible = Callable[..., list[str]]
NO_FILTERS = Filters()
DAY = timedelta(days=1)


def ids(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


def test_a_store_is_where_recall_reads_from(store: Store, scope: Scope) -> None:
    source: SnapshotSource = store
    with source.snapshot(scope, now=0, filters=NO_FILTERS, deadline=None) as reader:
        assert reader.seq == 0


# -- what is in sight ------------------------------------------------------------------------------------------------


def test_a_scope_that_was_never_stored_to_is_empty(store: Store, add: Add) -> None:
    add("mine")
    with store.snapshot(Scope("nobody", "helper"), now=0, filters=NO_FILTERS) as reader:
        assert (reader.seq, reader.restricted, reader.historic) == (0, False, False)
        assert reader.visible_ids().tolist() == []
        assert reader.visible_among(ids(1)).tolist() == [False]
        assert {name: len(column) for name, column in reader.columns(ids()).items()} == dict.fromkeys(CORE_COLUMNS, 0)
        assert (reader.memories(ids()), reader.texts(ids()), reader.supersedes(ids())) == ([], [], [])
        assert (reader.lookup(["x"]), reader.changes_since(0)) == ({}, [])
        view = reader.scope_view()
        assert (view.memories, view.senders, view.entities) == (0, {}, {})
    assert len(store.scopes()) == 1


def test_other_scopes_are_out_of_sight(store: Store, scope: Scope, add: Add, visible: Visible) -> None:
    add("mine")
    for other in (Scope("rival", "helper"), Scope("acme", "other")):
        store.add(other, [NewMemory(content="theirs")])
    assert visible() == ["mine"]


def test_the_views_share_their_rows(store: Store, scope: Scope, add: Add) -> None:
    add("seen")
    store.evict(scope, [add("evicted")])
    store.update(scope, add("old"), content="new")
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        for name in ("visible", "visible_scan"):
            assert sorted(reader.execute(f"SELECT content FROM {name}")) == [("new",), ("seen",)]


def moment(day: int) -> datetime:
    return from_microseconds(0) + day * DAY


def expected(memories: list[Memory], filters: Filters, now: int) -> set[str]:
    """What may be seen, said once more in Python: the contents of versions."""
    then = None if filters.record_as_of is None else to_microseconds(filters.record_as_of)
    judged = now if then is None else then

    def seen(memory: Memory) -> bool:
        happened = memory.occurred_at or memory.created_at
        if then is None:
            live = memory.closed_at is None and memory.evicted_at is None
        else:
            live = to_microseconds(memory.opened_at) <= then and all(
                end is None or to_microseconds(end) > then for end in (memory.closed_at, memory.evicted_at)
            )
        return (
            live
            and (memory.expires_at is None or to_microseconds(memory.expires_at) > judged)
            and (filters.trust is None or memory.trust in filters.trust)
            and (filters.types is None or memory.type in filters.types)
            and (filters.tags is None or bool(filters.tags & set(memory.tags)))
            and (filters.since is None or happened >= filters.since)
            and (filters.until is None or happened < filters.until)
            and (filters.event_as_of is None or memory.occurred_at is None or memory.occurred_at <= filters.event_as_of)
        )

    return {memory.content for memory in memories if seen(memory)}


@st.composite
def some_filters(draw: st.DrawFn) -> Filters:
    def perhaps(strategy: st.SearchStrategy[Any]) -> Any:
        return draw(st.none() | strategy)

    days = st.integers(-2, 12).map(moment)
    return Filters(
        trust=perhaps(st.frozensets(st.sampled_from(Trust))),
        types=perhaps(st.frozensets(st.sampled_from(MemoryType))),
        tags=perhaps(st.frozensets(st.sampled_from(["a", "b", "ü 'x\"", "none"]))),
        since=perhaps(days),
        until=perhaps(days),
        record_as_of=perhaps(days),
        event_as_of=perhaps(days),
    )


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A store with memories of every kind in two scopes, and every version of one of them."""
    clock = ManualClock(moment(0))
    folder: Path = tmp_path_factory.mktemp("crowd")
    scope = Scope("acme", "helper")
    with Store.open(folder / "memory.db", clock=clock, synchronous="OFF") as store:
        for number in range(60):
            clock.moment = moment(number % 10)
            memory = NewMemory(
                content=f"memory {number}",
                trust=list(Trust)[number % 3],
                type=list(MemoryType)[number % 4],
                tags=(("a",), ("b", "a"), ("ü 'x\"",), ())[number % 4 if number % 3 else 3],
                occurred_at=None if number % 5 else moment(number % 9 - 1),
                expires_at=None if number % 6 else moment(number % 11),
            )
            for where in (scope, Scope("rival", "helper")):
                stored = store.add(where, [memory], allow_system=True).stored[0].id
                clock.advance(timedelta(hours=1))
                if number % 7 == 0:
                    store.update(where, stored, content=f"memory {number} again", allow_system=True)
                if number % 8 == 0:
                    store.evict(where, [stored], allow_system=True)
        versions = [
            version
            for row in store.write(lambda tx: list(tx.execute("SELECT DISTINCT id FROM memories WHERE scope = 1")))
            for version in store.history(scope, row[0].hex())
        ]
        yield store, scope, versions


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(filters=some_filters(), day=st.integers(-1, 12))
def test_exactly_what_the_filters_permit_is_in_sight(crowd: Any, filters: Filters, day: int) -> None:
    store, scope, versions = crowd
    now = to_microseconds(moment(day))
    with store.snapshot(scope, now=now, filters=filters) as reader:
        seen = reader.visible_ids()
        wanted = expected(versions, filters, now)
        assert set(reader.texts(seen)) == wanted
        assert len(seen) == len(wanted)
        every = np.arange(200, dtype=np.int64)
        assert every[reader.visible_among(every)].tolist() == seen.tolist()
        live = expected(versions, NO_FILTERS, -(2**62))
        assert reader.restricted or wanted == live
        assert reader.historic == (filters.record_as_of is not None)


def test_expiry_is_judged_at_the_recalls_own_moment(store: Store, scope: Scope, add: Add, visible: Visible) -> None:
    add("short", expires_at=moment(5))
    assert visible(now=to_microseconds(moment(5)) - 1) == ["short"]
    assert visible(now=to_microseconds(moment(5))) == []
    assert visible(now=to_microseconds(moment(4))) == ["short"]


@pytest.mark.parametrize(
    ("hidden", "filters", "restricted"),
    [
        ({}, {}, False),
        ({}, {"trust": frozenset(Trust)}, False),
        ({}, {"trust": frozenset({Trust.LEARNED, Trust.SYSTEM})}, False),
        ({"trust": Trust.EXTERNAL}, {"trust": frozenset({Trust.LEARNED, Trust.SYSTEM})}, True),
        ({"trust": Trust.EXTERNAL}, {"trust": frozenset(Trust)}, False),
        ({"trust": Trust.SYSTEM}, {"trust": frozenset({Trust.LEARNED})}, True),
        ({}, {"trust": frozenset({Trust.EXTERNAL})}, True),
        ({"expires_at": moment(1)}, {}, True),
        ({"expires_at": moment(9)}, {}, False),
        ({}, {"tags": frozenset({"a"})}, True),
        ({}, {"types": frozenset(MemoryType)}, True),
        ({}, {"record_as_of": moment(1)}, True),
        ({}, {"event_as_of": moment(1)}, True),
    ],
)
def test_a_snapshot_knows_whether_it_sees_less_than_all(
    store: Store, scope: Scope, add: Add, hidden: dict[str, Any], filters: dict[str, Any], restricted: bool
) -> None:
    add("plain")
    add("other", **hidden)
    with store.snapshot(scope, now=to_microseconds(moment(5)), filters=Filters(**filters)) as reader:
        assert reader.restricted is restricted


def test_a_neighbours_hidden_rows_restrict_nobody_else(store: Store, scope: Scope, add: Add) -> None:
    add("plain")
    store.add(Scope("rival", "helper"), [NewMemory(content="x", trust=Trust.EXTERNAL, expires_at=moment(1))])
    filters = Filters(trust=frozenset({Trust.LEARNED}))
    with store.snapshot(scope, now=to_microseconds(moment(5)), filters=filters) as reader:
        assert not reader.restricted


# -- what is read ----------------------------------------------------------------------------------------------------


def test_columns_have_their_types_and_values(store: Store, scope: Scope, clock: ManualClock, add: Add) -> None:
    add(
        "späte Tat", trust=Trust.SYSTEM, type=MemoryType.WORKING, occurred_at=moment(-3), proof_count=7, confidence=0.5,
        importance=0.25, pinned=True, key="k", sender="ana", session="s", turn=4,
    )  # fmt: skip
    add("plain")
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        columns = reader.columns(ids(1, 2))
    assert {name: column.dtype for name, column in columns.items()} == {
        name: np.dtype(kind) for name, kind in CORE_COLUMNS.items()
    }
    created = to_microseconds(clock.moment)
    first = {name: column[0] for name, column in columns.items() if name not in ("id", "fingerprint")}
    assert first == {
        "trust": 2, "type": 0, "created_at": created, "occurred_at": -3 * 86_400_000_000, "proof_count": 7,
        "confidence": 0.5, "importance": 0.25, "pinned": True, "length": 9, "key": "k", "sender": "ana",
        "session": "s", "turn": 4,
    }  # fmt: skip
    assert [name for name, column in columns.items() if column.dtype == float and np.isnan(column[1])] == [
        "occurred_at", "importance", "turn",
    ]  # fmt: skip
    assert [columns[name][1] for name in ("key", "sender", "session")] == [None] * 3
    assert len(columns["fingerprint"][1]) == 16


@pytest.mark.parametrize("count", [1, 2, 16, 17, 300, 5000])
def test_columns_keep_the_order_of_the_ids_at_any_number(store: Store, scope: Scope, count: int) -> None:
    store.add(scope, [NewMemory(content=f"x {number}", turn=number) for number in range(count)])
    wanted = np.arange(1, count + 1, dtype=np.int64)[:: 2 if count > 2 else 1]
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        assert reader.columns(wanted)["turn"].tolist() == (wanted - 1).tolist()
        assert reader.texts(wanted[::-1]) == [f"x {pk - 1}" for pk in wanted[::-1]]


def test_memories_come_in_the_order_asked_for(store: Store, scope: Scope, add: Add) -> None:
    first, second = add("one", title="One"), add("two")
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        memories = reader.memories(ids(2, 1))
    assert list(memories) == [store.get(scope, second), store.get(scope, first)]


@pytest.mark.parametrize("read", [StoreReader.memories, StoreReader.texts, StoreReader.columns])
def test_an_unknown_id_is_an_error(store: Store, scope: Scope, add: Add, read: Callable[..., object]) -> None:
    add("one")
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader, pytest.raises(StoreError, match="9"):
        read(reader, ids(1, 9))


@pytest.mark.parametrize("read", [StoreReader.memories, StoreReader.texts])
def test_what_is_out_of_sight_is_not_read(store: Store, scope: Scope, add: Add, read: Callable[..., object]) -> None:
    add("one")
    with store.snapshot(Scope("rival", "helper"), now=0, filters=NO_FILTERS) as reader, pytest.raises(StoreError):
        read(reader, ids(1))


def test_ids_are_looked_up_among_what_is_in_sight(store: Store, scope: Scope, add: Add) -> None:
    seen, evicted = add("seen"), add("evicted")
    store.evict(scope, [evicted])
    store.update(scope, seen, content="newer")
    theirs = store.add(Scope("rival", "helper"), [NewMemory(content="x")]).stored[0].id
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        assert reader.lookup([seen, evicted, theirs, "x"]) == {seen: 3}


def test_who_supersedes_these_memories_is_told_wherever_it_is_in_sight(store: Store, scope: Scope, add: Add) -> None:
    old = add("old")
    add("new", supersedes=(old,))
    add("newest", annotations=(Annotation(kind="supersedes", target=old),))
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        assert reader.supersedes(ids(1, 2, 3)) == [(2, 1), (3, 1)]
        assert reader.supersedes(ids(2, 3)) == []
        assert reader.supersedes(ids(1)) == [(2, 1), (3, 1)]


def test_what_is_out_of_sight_supersedes_nothing(store: Store, scope: Scope, add: Add) -> None:
    old = add("old")
    store.evict(scope, [add("new", supersedes=(old,))])
    add("doubtful", supersedes=(old,), trust=Trust.EXTERNAL)
    with store.snapshot(scope, now=0, filters=Filters(trust=frozenset({Trust.LEARNED}))) as reader:
        assert reader.supersedes(ids(1)) == []


def test_the_kinds_of_annotations_in_the_scope_are_known(store: Store, scope: Scope, add: Add) -> None:
    old = add("old", annotations=(Annotation(kind="entity", name="Ana"), Annotation(kind="mood", name="calm")))
    store.add(Scope("acme", "other"), [NewMemory(content="x", annotations=(Annotation(kind="alias", name="y"),))])
    kinds = ("alias", "entity", "mood", "supersedes")

    def known() -> list[str]:
        with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
            return [kind for kind in kinds if reader.has_annotations(kind)]

    assert known() == ["entity", "mood"]
    add("new", supersedes=(old,))
    assert known() == ["entity", "mood", "supersedes"]
    store.delete(scope, [old])
    assert "entity" not in known()


def test_a_recall_of_the_past_takes_no_kind_of_annotation_for_absent(store: Store, scope: Scope) -> None:
    past = Filters(record_as_of=datetime(2026, 3, 1, tzinfo=UTC))
    with store.snapshot(scope, now=0, filters=past) as reader:
        assert reader.has_annotations("entity")


def test_a_superseded_memory_is_known_by_its_newest_version(store: Store, scope: Scope, add: Add) -> None:
    old = add("old")
    add("new", supersedes=(old,))
    store.update(scope, old, content="old, corrected")
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        assert reader.supersedes(ids(2, 3)) == [(2, 3)]


def test_triples_are_told_by_predicate_with_names_folded(store: Store, scope: Scope, add: Add) -> None:
    def triple(subject: str, predicate: str, value: str) -> Annotation:
        return Annotation(kind="triple", name=subject, predicate=predicate, value=value)

    add("x", annotations=(triple("Ana", "Lives In", "PORTO"), triple("Ana", "likes", "tea")))
    add("y", annotations=(triple("ANA", "lives  in", "Lisbon"), Annotation(kind="entity", name="Ana")))
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        assert reader.statements(ids(1, 2), ["lives in"]) == [
            (1, "ana", "lives in", "porto", None), (2, "ana", "lives in", "lisbon", None),
        ]  # fmt: skip
        assert reader.statements(ids(2), ["LIKES"]) == []
        assert reader.statements(ids(1, 2), []) == []


def test_subject_and_value_of_a_triple_go_by_the_name_that_an_alias_stands_for(
    store: Store, scope: Scope, add: Add
) -> None:
    add("Lisboa is Lisbon, and Bel is Isabel.", annotations=(
        Annotation(kind="alias", name="Bel", value="Isabel"), Annotation(kind="alias", name="Lisboa", value="Lisbon"),
    ))  # fmt: skip
    add("x", annotations=(Annotation(kind="triple", name="BEL", predicate="lives in", value="lisboa"),))
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        assert reader.statements(ids(1, 2), ["lives in"]) == [(2, "isabel", "lives in", "lisbon", None)]


def test_a_triple_carries_its_own_event_time(store: Store, scope: Scope, add: Add) -> None:
    moment = datetime(2020, 2, 29, tzinfo=UTC)
    add("x", annotations=(
        Annotation(kind="triple", name="Ana", predicate="lives in", value="Porto", occurred_at=moment),
    ))  # fmt: skip
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        ((*_, occurred),) = reader.statements(ids(1), ["lives in"])
    assert occurred == to_microseconds(moment)


# -- a snapshot is one state -----------------------------------------------------------------------------------------


def test_a_snapshot_stands_still_while_others_write(store: Store, scope: Scope, add: Add) -> None:
    first = add("one")
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        before = reader.visible_ids().tolist()
        add("two")
        store.delete(scope, [first])
        assert reader.visible_ids().tolist() == before
        assert reader.texts(ids(1)) == ["one"]
        assert reader.seq == 1
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        assert reader.visible_ids().tolist() == [2]


def test_a_statement_that_was_not_read_to_its_end_does_not_hold_the_next_snapshot_back(
    store: Store, scope: Scope, visible: Visible
) -> None:
    store.add(scope, [NewMemory(content=f"x {number}") for number in range(2000)])
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        rows = reader.execute("SELECT pk FROM visible_scan")
        assert next(rows) == (1,)
    store.add(scope, [NewMemory(content="newcomer")])
    assert "newcomer" in visible()
    with pytest.raises(StoreError, match="outlived"):
        list(rows)


def test_many_rows_are_read_whole(store: Store, scope: Scope) -> None:
    store.add(scope, [NewMemory(content=f"x {number}") for number in range(3000)])
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        rows = reader.execute("SELECT pk FROM visible_scan ORDER BY pk")
        assert [pk for (pk,) in rows] == list(range(1, 3001))


def test_a_snapshot_that_ended_reads_nothing(store: Store, scope: Scope, add: Add) -> None:
    add("one")
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        pass
    with pytest.raises(StoreError, match="has ended"):
        reader.execute("SELECT 1")


def test_snapshots_can_be_nested_beyond_the_pool(path: Path, clock: ManualClock, scope: Scope) -> None:
    with Store.open(path, clock=clock, readers=1) as store:
        store.add(scope, [NewMemory(content="x")])
        with (
            store.snapshot(scope, now=0, filters=NO_FILTERS) as one,
            store.snapshot(scope, now=0, filters=Filters(types=frozenset({MemoryType.EPISODIC}))) as two,
            store.snapshot(scope, now=0, filters=NO_FILTERS) as three,
        ):
            assert [reader.visible_ids().tolist() for reader in (one, two, three)] == [[1], [], [1]]


def test_a_snapshot_cannot_write(store: Store, scope: Scope, add: Add) -> None:
    add("one")
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader, pytest.raises(ReadOnlyError):
        reader.execute("DELETE FROM memories")
    assert store.count(scope) == 1


def test_faulty_sql_is_named_and_the_store_goes_on(store: Store, scope: Scope, add: Add) -> None:
    add("one")
    with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
        with pytest.raises(StoreError, match="no such table"):
            reader.execute("SELECT * FROM nowhere")
        assert reader.visible_ids().tolist() == [1]


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def test_statements_of_parts_stop_at_the_deadline_and_the_cores_own_go_on(store: Store, scope: Scope) -> None:
    store.add(scope, [NewMemory(content=f"x {number}") for number in range(3000)])
    with store.snapshot(scope, now=0, filters=NO_FILTERS, deadline=time.monotonic() - 1) as reader:
        with pytest.raises(StoreError, match="deadline"):
            reader.execute(ENDLESS)
        assert len(reader.texts(np.arange(1, 3001, dtype=np.int64))) == 3000


def test_the_next_snapshot_has_no_deadline_left_over(path: Path, clock: ManualClock, scope: Scope) -> None:
    counting = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT count(*) FROM n"
    with Store.open(path, clock=clock, readers=1) as store:
        with (
            store.snapshot(scope, now=0, filters=NO_FILTERS, deadline=time.monotonic() - 1) as reader,
            pytest.raises(StoreError, match="deadline"),
        ):
            reader.execute(ENDLESS)
        with store.snapshot(scope, now=0, filters=NO_FILTERS) as reader:
            assert list(reader.execute(counting)) == [(100000,)]
