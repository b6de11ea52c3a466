"""The vector lane over the store's own vectors and sequence, with an embedder whose space is a plane."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import numpy as np
import pytest

from comis_core.clock import ManualClock
from comis_core.errors import EmbedderError, PartInactive
from comis_core.model import Filters, NewMemory, Query, Ranking, Scope, Trust, to_microseconds
from comis_core.protocols import SearchRequest
from comis_core.store import Store
from comis_core.store.sequence import TurnSequence
from comis_core.store.vectors import VectorStore, load_sqlite_vec
from comis_core.text import Analyser
from comis_plugins.vector import comis_lanes
from comis_plugins.vector.lane import VectorLane, build
from comis_plugins.vector.options import VectorOptions

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
SCOPE = Scope("acme", "helper")


def at(degrees: float) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The unit vector of that direction."""
    return np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))], np.float32)


@attrs.define
class Compass:
    """An embedder that reads a direction in degrees out of a text."""

    sees: float = 1.0
    fault: Exception | None = None
    fingerprint: str = "compass"
    dimensions: int = 2
    asked: list[tuple[str, str]] = attrs.field(factory=list)

    def embed(self, texts: Sequence[str], kind: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        if self.fault is not None:
            raise self.fault
        self.asked += [(text, kind) for text in texts]
        return np.stack([at(float(text)) for text in texts])

    def windows(self, text: str) -> Sequence[str]:
        return [text]

    def available(self) -> bool:
        return True

    def confidence(self, text: str) -> float:
        return self.sees


@attrs.define
class World:
    """A file, its vectors and a lane over them."""

    store: Store
    vectors: VectorStore
    sequence: TurnSequence
    embedder: Compass = attrs.field(factory=Compass)
    options: VectorOptions = attrs.field(factory=VectorOptions)

    def add(self, *memories: tuple[str | NewMemory, Sequence[float]], scope: Scope = SCOPE) -> list[int]:
        """Store memories with the directions of their windows; their primary keys."""
        rows = [NewMemory(content=memory) if isinstance(memory, str) else memory for memory, _ in memories]
        result = self.store.add(scope, rows)
        with self.store.transaction() as tx:
            ((number,),) = tx.execute("SELECT DISTINCT scope FROM memories WHERE pk = ?", (result.pks[0],))
            directions = zip(result.pks, (angles for _, angles in memories), strict=True)
            windows = {pk: [at(angle) for angle in angles] for pk, angles in directions}
            self.vectors.write(tx, "compass", 2, number, windows)
        return list(result.pks)

    def rank(self, text: str, *, filters: Filters | None = None, limit: int = 50, scope: Scope = SCOPE) -> Ranking:
        """What the lane finds for a direction."""
        lane = build(
            SimpleNamespace(vectors=self.vectors, sequence=self.sequence, embedder=self.embedder),
            self.options,
        )
        now = to_microseconds(NOW)
        with self.store.snapshot(scope, now=now, filters=filters or Filters()) as snapshot:
            return lane.search(
                SearchRequest(
                    query=Query.of(text), now=now, snapshot=snapshot, scope_view=snapshot.scope_view(), limit=limit
                )
            )


@pytest.fixture(params=["in memory", "beyond the budget"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """With the vectors in RAM, and with none of them: the answers are the same."""
    sequence = TurnSequence(Analyser().stem_count)
    with Store.open(tmp_path / "memory.db", clock=ManualClock(NOW), on_connect=load_sqlite_vec) as store:
        store.attach("sequence", sequence, "1")
        store.catch_up()
        yield World(store, VectorStore(2**28 if request.param == "in memory" else 0), sequence)


def in_memory(request: pytest.FixtureRequest) -> bool:
    return bool(request.node.callspec.params["world"] == "in memory")


def test_the_nearest_come_first_with_their_cosine_as_claim(world: World) -> None:
    east, northeast, north = world.add(("east", [0]), ("north-east", [45]), ("north", [90]))
    ranking = world.rank("10")
    assert list(ranking.ids) == [east, northeast, north]
    assert ranking.scores == pytest.approx([math.cos(math.radians(angle)) for angle in (10, 35, 80)], abs=1e-6)


def test_what_points_the_other_way_is_no_candidate(world: World) -> None:
    (east, _) = world.add(("east", [0]), ("west", [180]))
    assert list(world.rank("0").ids) == [east]


def test_claims_are_scaled_by_how_well_the_embedder_sees_the_question(world: World) -> None:
    world.add(("east", [0]))
    world.embedder.sees = 0.25
    assert world.rank("60").scores == pytest.approx([0.125], abs=1e-6)


@pytest.mark.parametrize("text", ["0", ""])
def test_a_question_that_the_embedder_does_not_see_finds_nothing_and_is_not_embedded(world: World, text: str) -> None:
    world.add(("east", [0]))
    world.embedder.sees = 0.0 if text else 1.0
    assert len(world.rank(text)) == 0
    assert not world.embedder.asked


def test_the_question_is_embedded_as_a_query_from_its_dense_text(world: World) -> None:
    world.add(("east", [0]))
    lane = VectorLane(world.vectors, world.sequence, world.embedder, VectorOptions())
    now = to_microseconds(NOW)
    with world.store.snapshot(SCOPE, now=now, filters=Filters()) as snapshot:
        query = attrs.evolve(Query.of("words"), dense_text="30")
        request = SearchRequest(query=query, now=now, snapshot=snapshot, scope_view=snapshot.scope_view(), limit=5)
        assert lane.search(request).scores == pytest.approx([math.cos(math.radians(30))], abs=1e-6)
    assert world.embedder.asked == [("30", "query")]


def test_a_memory_is_as_near_as_its_best_window(world: World) -> None:
    long, short = world.add(("long", [180, 20]), ("short", [30]))
    ranking = world.rank("0")
    assert list(ranking.ids) == [long, short]
    assert ranking.scores[0] == pytest.approx(math.cos(math.radians(20)), abs=1e-6)


def test_claims_for_the_whole_scope_are_attached_while_vectors_are_in_memory(
    world: World, request: pytest.FixtureRequest
) -> None:
    pks = world.add(*((f"memory {angle}", [angle]) for angle in range(0, 180, 10)))
    ranking = world.rank("0", limit=3)
    assert len(ranking) == 3
    if in_memory(request):
        assert ranking.claims is not None
        assert list(ranking.claims.ids) == pks
        assert ranking.claims.values == pytest.approx(
            [max(0.0, math.cos(math.radians(angle))) for angle in range(0, 180, 10)], abs=1e-6
        )
    else:
        assert ranking.claims is None


def test_what_a_filter_hides_takes_no_place_among_the_nearest(world: World) -> None:
    world.add(*((NewMemory(content=f"near {n}", trust=Trust.EXTERNAL), [0]) for n in range(200)))
    (far,) = world.add(("far", [80]))
    ranking = world.rank("0", filters=Filters(trust=frozenset({Trust.LEARNED})), limit=5)
    assert list(ranking.ids) == [far]
    assert len(world.rank("0", limit=5)) == 5


def test_a_deleted_neighbour_takes_no_place_either(world: World) -> None:
    world.add(("near", [0]))
    (far,) = world.add(("far", [80]))
    near = next(memory.id for memory in world.store.browse(SCOPE).memories if memory.content == "near")
    world.rank("0")
    world.store.delete(SCOPE, [near])
    assert list(world.rank("0", limit=1).ids) == [far]


def test_nothing_crosses_a_scope(world: World) -> None:
    world.add(("theirs", [0]), scope=Scope("rival", "helper"))
    (ours,) = world.add(("ours", [70]))
    assert list(world.rank("0").ids) == [ours]


def test_a_memory_without_a_vector_is_left_to_the_other_lanes(world: World) -> None:
    world.store.add(SCOPE, [NewMemory(content="not embedded yet")])
    (east,) = world.add(("east", [0]))
    assert list(world.rank("0").ids) == [east]


def test_a_scope_without_vectors_finds_nothing(world: World) -> None:
    world.store.add(SCOPE, [NewMemory(content="not embedded yet")])
    assert len(world.rank("0")) == 0


def test_short_turns_claim_less_when_asked_to_count_only_in_full_length(world: World) -> None:
    thanks, told, long = world.add(
        ("thanks", [0]),
        ("Ana moved house quickly", [0]),
        ("Ana moved house quickly yesterday with seven boxes, two plants, four chairs, one lamp", [0]),
    )
    assert world.rank("0").scores == pytest.approx([1.0, 1.0, 1.0])
    world.options = VectorOptions(full_stems=10)
    ranking = world.rank("0")
    assert dict(zip(ranking.ids.tolist(), ranking.scores.tolist(), strict=True)) == pytest.approx({
        thanks: 0.25,
        told: 1.0,
        long: 1.0,
    })
    world.options = VectorOptions(full_stems=2)
    assert world.rank("0").scores == pytest.approx([1.0, 1.0, 0.5])


def test_a_memory_of_emoji_alone_still_claims_something(world: World) -> None:
    world.add(("🎉", [0]), ("Ana moved house quickly", [0]), ("Ben sold seven old boats", [0]))
    world.options = VectorOptions(full_stems=10)
    assert (world.rank("0").scores > 0).all()


def test_a_failing_embedder_fails_the_lane(world: World) -> None:
    world.add(("east", [0]))
    world.embedder.fault = EmbedderError("the model is gone")
    with pytest.raises(EmbedderError, match="the model is gone"):
        world.rank("0")


def test_without_an_embedder_the_lane_is_inactive_and_says_what_to_install() -> None:
    with pytest.raises(PartInactive, match=r"comis-core\[static\]"):
        build(SimpleNamespace(embedder=None), VectorOptions())


def test_the_documented_defaults() -> None:
    (spec,) = comis_lanes()
    assert spec.sections[0].path == "rag.lanes.vector"
    assert (spec.name, spec.weight, VectorOptions().enabled, VectorOptions().weight) == ("vector", 1.5, True, 1.5)
    assert VectorOptions().full_stems == 0
