"""Vectors: what is near is found, in this scope and filter alone, whatever the size."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from comis_core.clock import ManualClock
from comis_core.errors import StoreError
from comis_core.model import Filters, NewMemory, Scope, Trust
from comis_core.store import Store, codes
from comis_core.store.vectors import VectorStore, load_sqlite_vec

SPACE = "model-a"
EAST = np.array([1.0, 0.0], np.float32)
NORTH = np.array([0.0, 1.0], np.float32)
NORTH_EAST = np.array([0.6, 0.8], np.float32)


@pytest.fixture(params=["slab", "slab as int8", "blobs"])
def vectors(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, world: Any) -> VectorStore:
    """The service with its slabs in RAM, with int8 copies of them, and without any budget for them."""
    if request.param == "slab as int8":
        pytest.importorskip("numkong")
        monkeypatch.setattr(codes, "LARGE", 1)
    service = VectorStore(budget_bytes=0) if request.param == "blobs" else VectorStore()
    world.vectors = service
    return service


def pairs(claims: Any) -> dict[int, float]:
    return dict(zip(claims.ids.tolist(), claims.values.round(5).tolist(), strict=True))


def test_the_nearest_come_with_their_cosine(world: Any, vectors: VectorStore) -> None:
    one, two, three = world.remember("one", "two", "three")
    world.embed({one: EAST, two: NORTH_EAST, three: -EAST})
    with world.look() as snapshot:
        assert pairs(vectors.nearest(snapshot, SPACE, EAST, 2)) == {one: 1.0, two: 0.6}
        assert pairs(vectors.nearest(snapshot, SPACE, EAST, 9)) == {one: 1.0, two: 0.6, three: -1.0}


def test_a_memory_of_several_windows_counts_by_its_best(world: Any, vectors: VectorStore) -> None:
    long, short = world.remember("long", "short")
    world.embed({long: [NORTH, -EAST, EAST], short: NORTH_EAST})
    with world.look() as snapshot:
        assert pairs(vectors.nearest(snapshot, SPACE, EAST, 5)) == {long: 1.0, short: 0.6}


def test_a_tie_at_the_cut_goes_to_the_newer_memory(world: Any, vectors: VectorStore) -> None:
    pks = world.remember(*(f"copy {number}" for number in range(6)))
    world.embed(dict.fromkeys(pks[:5], NORTH_EAST) | {pks[5]: NORTH})
    with world.look() as snapshot:
        assert vectors.nearest(snapshot, SPACE, EAST, 2).ids.tolist() == pks[3:5]


def test_4100_excluded_near_rows_do_not_hide_the_one_match(world: Any, vectors: VectorStore) -> None:
    near = world.remember(*(NewMemory(content=f"near {n}", trust=Trust.EXTERNAL) for n in range(4100)))
    (match,) = world.remember("match")
    world.embed(dict.fromkeys(near, EAST) | {match: NORTH_EAST})
    with world.look(trust=frozenset({Trust.LEARNED})) as snapshot:
        assert pairs(vectors.nearest(snapshot, SPACE, EAST, 1)) == {match: 0.6}


@pytest.mark.parametrize("hide", ["delete", "evict"])
def test_neighbours_out_of_sight_do_not_eat_the_k(world: Any, vectors: VectorStore, hide: str) -> None:
    pks = world.remember(*(f"memory {number}" for number in range(12)))
    world.embed(dict.fromkeys(pks[:10], EAST) | {pks[10]: NORTH_EAST, pks[11]: NORTH})
    with world.look() as snapshot:
        assert set(vectors.nearest(snapshot, SPACE, EAST, 3).ids.tolist()) < set(pks[:10])
    getattr(world, hide)(*pks[:10])
    with world.look() as snapshot:
        assert pairs(vectors.nearest(snapshot, SPACE, EAST, 2)) == {pks[10]: 0.6, pks[11]: 0.0}


def test_a_restored_memory_is_found_again(world: Any, vectors: VectorStore) -> None:
    one, two = world.remember("one", "two")
    world.embed({one: EAST, two: NORTH})
    world.evict(one)
    with world.look() as snapshot:
        assert vectors.nearest(snapshot, SPACE, EAST, 5).ids.tolist() == [two]
    world.restore(one)
    with world.look() as snapshot:
        assert vectors.nearest(snapshot, SPACE, EAST, 5).ids.tolist() == [one, two]


def test_an_updated_memory_is_its_new_version(world: Any, vectors: VectorStore) -> None:
    (old,) = world.remember("lives in Porto")
    world.embed({old: EAST})
    with world.look() as snapshot:
        vectors.nearest(snapshot, SPACE, EAST, 5)
    world.clock.advance(timedelta(days=1))
    world.store.update(world.scope, world.ids[old], content="lives in Lisbon")
    with world.look() as snapshot:
        assert not len(vectors.nearest(snapshot, SPACE, EAST, 5).ids)
        new = int(snapshot.visible_ids()[0])
    world.embed({new: NORTH})
    with world.look() as snapshot:
        assert pairs(vectors.nearest(snapshot, SPACE, NORTH, 5)) == {new: 1.0}


def test_the_past_is_searched_as_it_was(world: Any, vectors: VectorStore) -> None:
    (old,) = world.remember("lives in Porto")
    world.embed({old: EAST})
    before = world.clock.now()
    world.clock.advance(timedelta(days=1))
    world.store.update(world.scope, world.ids[old], content="lives in Lisbon")
    with world.look(record_as_of=before) as snapshot:
        assert snapshot.historic
        assert pairs(vectors.nearest(snapshot, SPACE, EAST, 5)) == {old: 1.0}


def test_what_has_expired_is_not_near(world: Any, vectors: VectorStore) -> None:
    soon, never = world.remember(NewMemory(content="offer", expires_at=world.clock.now() + timedelta(hours=1)), "fact")
    world.embed({soon: EAST, never: NORTH})
    with world.look() as snapshot:
        assert vectors.nearest(snapshot, SPACE, EAST, 1).ids.tolist() == [soon]
    world.clock.advance(timedelta(hours=2))
    with world.look() as snapshot:
        assert vectors.nearest(snapshot, SPACE, EAST, 1).ids.tolist() == [never]


def test_scopes_do_not_see_each_other(world: Any, vectors: VectorStore) -> None:
    other = Scope("acme", "other")
    (mine,) = world.remember("mine")
    (theirs,) = world.remember("theirs", scope=other)
    world.embed({mine: NORTH})
    world.embed({theirs: EAST}, scope=2)
    with world.look() as snapshot:
        assert vectors.nearest(snapshot, SPACE, EAST, 5).ids.tolist() == [mine]
    with world.look(other) as snapshot:
        assert vectors.nearest(snapshot, SPACE, EAST, 5).ids.tolist() == [theirs]
        assert np.isnan(vectors.fetch(snapshot, SPACE, np.array([mine]))).all()


def test_a_vector_cannot_be_written_for_another_scopes_memory(world: Any, vectors: VectorStore) -> None:
    world.remember("mine")
    (theirs,) = world.remember("theirs", scope=Scope("acme", "other"))
    assert world.embed({theirs: EAST}, scope=1) == 0


def test_two_spaces_live_side_by_side(world: Any, vectors: VectorStore) -> None:
    one, two = world.remember("one", "two")
    world.embed({one: EAST, two: NORTH}, "small")
    world.embed({one: [0.0, 0.0, 1.0], two: [1.0, 0.0, 0.0]}, "large")
    with world.look() as snapshot:
        assert vectors.nearest(snapshot, "small", EAST, 1).ids.tolist() == [one]
        assert vectors.nearest(snapshot, "large", np.array([1, 0, 0], np.float32), 1).ids.tolist() == [two]
        assert vectors.fetch(snapshot, "large", np.array([one])).shape == (1, 3)
        assert [(space.fingerprint, space.dimensions, space.memories) for space in vectors.spaces(snapshot)] == [
            ("large", 3, 2), ("small", 2, 2),
        ]  # fmt: skip


def test_dropping_a_space_leaves_the_others(world: Any, vectors: VectorStore) -> None:
    one, two = world.remember("one", "two")
    world.embed({one: EAST, two: NORTH}, "small")
    world.embed({one: [0.0, 0.0, 1.0]}, "large")
    with world.look() as snapshot:
        vectors.nearest(snapshot, "small", EAST, 1)
    assert world.store.write(lambda tx: vectors.drop_space(tx, "small")) == 2
    with world.look() as snapshot:
        assert not len(vectors.nearest(snapshot, "small", EAST, 1).ids)
        assert vectors.nearest(snapshot, "large", np.array([0, 0, 1], np.float32), 1).ids.tolist() == [one]
        assert [space.fingerprint for space in vectors.spaces(snapshot)] == ["large"]
    assert world.store.write(lambda tx: vectors.drop_space(tx, "small")) == 0


def test_a_space_made_anew_has_nothing_of_the_dropped_one(world: Any, vectors: VectorStore) -> None:
    one, two = world.remember("one", "two")
    world.embed({one: EAST, two: EAST}, "model")
    with world.look() as snapshot:
        vectors.nearest(snapshot, "model", EAST, 2)
    world.store.write(lambda tx: vectors.drop_space(tx, "model"))
    world.embed({two: [0.0, 1.0, 0.0]}, "model")
    with world.look() as snapshot:
        assert vectors.nearest(snapshot, "model", np.array([0, 1, 0], np.float32), 5).ids.tolist() == [two]


def test_a_query_of_another_length_is_refused(world: Any, vectors: VectorStore) -> None:
    world.embed({world.remember("one")[0]: EAST})
    with world.look() as snapshot, pytest.raises(StoreError, match=r"shape \(3,\).*2 dimensions of 'model-a'"):
        vectors.nearest(snapshot, SPACE, np.ones(3, np.float32), 1)


def test_an_unknown_space_has_no_neighbours(world: Any, vectors: VectorStore) -> None:
    world.remember("one")
    with world.look() as snapshot:
        assert not len(vectors.nearest(snapshot, "nowhere", EAST, 3).ids)
        fetched = vectors.fetch(snapshot, "nowhere", np.array([1, 2]))
        assert len(fetched) == 2
        assert np.isnan(fetched).all()


def test_fetch_keeps_the_order_and_marks_what_is_not_there(world: Any, vectors: VectorStore) -> None:
    one, two, three = world.remember("one", "two", "three")
    world.embed({one: [EAST, NORTH], three: NORTH})
    with world.look() as snapshot:
        fetched = vectors.fetch(snapshot, SPACE, np.array([three, two, one, three]))
    assert np.isnan(fetched[1]).all()
    assert fetched[[0, 2, 3]].tolist() == [NORTH.tolist(), EAST.tolist(), NORTH.tolist()]


def test_beyond_the_budget_there_is_no_slab(world: Any, unit: Any) -> None:
    pks = world.remember(*(f"memory {number}" for number in range(50)))
    world.embed(dict(zip(pks, unit(50), strict=True)))
    tight = VectorStore(budget_bytes=50 * (8 * 4 + 8) - 1)
    ample = VectorStore(budget_bytes=50 * (8 * 4 + 8))
    query = unit(1)[0]
    with world.look() as snapshot:
        assert tight.slab(snapshot, SPACE) is None
        assert tight.similarities(snapshot, SPACE, query) is None
        slab = ample.slab(snapshot, SPACE)
        assert slab is not None
        assert slab.ids.tolist() == pks
        near, far = (service.nearest(snapshot, SPACE, query, 7) for service in (ample, tight))
        assert near.ids.tolist() == far.ids.tolist()
        np.testing.assert_allclose(near.values, far.values, atol=1e-5)


def test_a_slab_cannot_be_changed_by_those_who_get_it(world: Any) -> None:
    world.embed({world.remember("one")[0]: EAST})
    with world.look() as snapshot:
        slab = world.vectors.slab(snapshot, SPACE)
        with pytest.raises(ValueError, match="read-only"):
            slab.matrix[0, 0] = 5
        with pytest.raises(ValueError, match="read-only"):
            slab.ids[0] = 5


@pytest.mark.parametrize("bad", [[1.0, 0.0, 0.0], [float("nan"), 0.0], [float("inf"), 0.0]])
def test_a_bad_vector_is_not_written(world: Any, bad: list[float]) -> None:
    one, two = world.remember("one", "two")
    world.embed({one: EAST})
    with pytest.raises(StoreError, match="2 finite numbers"):
        world.store.write(lambda tx: world.vectors.write(tx, SPACE, 2, 1, {one: [EAST], two: [np.array(bad)]}))
    with world.look() as snapshot:
        assert world.vectors.nearest(snapshot, SPACE, EAST, 5).ids.tolist() == [one]


def test_a_space_keeps_its_dimensions(world: Any) -> None:
    (one,) = world.remember("one")
    world.embed({one: EAST})
    with pytest.raises(StoreError, match="has 2 dimensions in this file, not 3"):
        world.embed({one: [1.0, 0.0, 0.0]})


def test_writing_again_replaces_every_window(world: Any, vectors: VectorStore) -> None:
    (one,) = world.remember("one")
    world.embed({one: [EAST, NORTH]})
    with world.look() as snapshot:
        vectors.nearest(snapshot, SPACE, EAST, 1)
    world.embed({one: -EAST})
    with world.look() as snapshot:
        assert pairs(vectors.nearest(snapshot, SPACE, EAST, 1)) == {one: -1.0}


def test_writing_says_so_in_the_change_log(world: Any) -> None:
    one, two = world.remember("one", "two")
    with world.look() as snapshot:
        before = snapshot.seq
    assert world.embed({one: EAST, two: NORTH, 99: NORTH}) == 2
    with world.look() as snapshot:
        changes = snapshot.changes_since(before)
    assert [(change.pk, change.operation) for change in changes] == [(one, "embed"), (two, "embed")]


def test_missing_are_the_live_memories_without_a_vector(world: Any) -> None:
    one, two, three, four = world.remember("one", "two", "three", "four")
    world.embed({one: EAST})
    world.embed({two: NORTH}, "another")
    world.evict(three)
    with world.look() as snapshot:
        assert world.vectors.missing(snapshot, SPACE, 1, 10) == [two, four]
        assert world.vectors.missing(snapshot, SPACE, 1, 1) == [two]
        assert world.vectors.missing(snapshot, SPACE, 1, 10, after=two) == [four]
        assert world.vectors.missing(snapshot, "unheard of", 1, 10) == [one, two, four]


def test_a_deleted_memory_leaves_no_vector(world: Any) -> None:
    one, two = world.remember("one", "two")
    world.embed({one: [EAST, NORTH], two: NORTH})
    world.delete(one)
    assert world.store.write(lambda tx: list(tx.execute("SELECT DISTINCT pk FROM vectors"))) == [(two,)]


def test_check_finds_what_does_not_fit(world: Any) -> None:
    one, two = world.remember("one", "two")
    world.embed({one: EAST, two: NORTH})
    assert world.store.write(world.vectors.check).problems == ()
    world.store.write(lambda tx: tx.execute("UPDATE vectors SET vector = x'00' WHERE pk = ?", (one,)))
    world.store.write(lambda tx: tx.execute("UPDATE vectors SET scope = 7 WHERE pk = ?", (two,)))
    assert world.store.write(world.vectors.check).problems == (
        "1 vectors of another length than their space",
        "1 vectors without their memory",
    )


def test_close_gives_the_memory_back_and_loads_again(world: Any) -> None:
    (one,) = world.remember("one")
    world.embed({one: EAST})
    with world.look() as snapshot:
        world.vectors.slab(snapshot, SPACE)
        world.vectors.close()
        assert world.vectors.nearest(snapshot, SPACE, EAST, 1).ids.tolist() == [one]


def test_sqlite_vec_is_loaded_without_opening_the_sql_function() -> None:
    connection = apsw.Connection(":memory:")
    load_sqlite_vec(connection)
    blob = EAST.tobytes()
    assert connection.execute("SELECT vec_distance_cosine(?, ?)", (blob, blob)).fetchall() == [(0.0,)]
    with pytest.raises(apsw.SQLError, match="not authorized"):
        connection.execute("SELECT load_extension('vec0')").fetchall()


def test_a_read_only_store_is_searched_too(tmp_path: Path, clock: ManualClock) -> None:
    path = tmp_path / "memory.db"
    service = VectorStore(budget_bytes=0)
    scope = Scope("acme", "helper")
    with Store.open(path, clock=clock, on_connect=load_sqlite_vec) as store:
        (pk,) = store.add(scope, [NewMemory(content="one")]).pks
        store.write(lambda tx: service.write(tx, SPACE, 2, 1, {pk: [EAST]}))
    with (
        Store.open(path, clock=clock, read_only=True, on_connect=load_sqlite_vec) as store,
        store.snapshot(scope, now=0, filters=Filters()) as snapshot,
    ):
        assert service.nearest(snapshot, SPACE, EAST, 1).ids.tolist() == [pk]
