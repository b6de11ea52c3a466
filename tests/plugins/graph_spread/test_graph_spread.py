"""Memories connected with better ones are pulled up towards them."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from support.graphs import NOW, OTHER, SCOPE, World, alias

from comis_core.mentions import rarity
from comis_core.model import Annotation, Filters, Trust
from comis_plugins.graph_spread import comis_expanders
from comis_plugins.graph_spread.expander import GraphSpread
from comis_plugins.graph_spread.options import GraphSpreadOptions

MANY = 60
"""Memories that mention nothing, so that an entity of two is rare."""


def spread(**options: Any) -> GraphSpread:
    return GraphSpread(GraphSpreadOptions(**options))


def strength(mentions: int, memories: int) -> float:
    return rarity(mentions, memories) ** 3


def test_a_neighbour_is_pulled_by_rarity_and_by_how_far_the_seed_leads(world: World) -> None:
    seed, far, close = world.add("Lisbon"), world.add("Lisbon"), world.add("Lisbon")
    world.fill(MANY)
    # The lane weighs 2, so the seed leads `far` by 2.0 and `close` by .5; a lead of 2 counts in full.
    claims = world.claims(spread(), {seed: 1.0, close: 0.75})
    worth = strength(3, MANY + 3)
    assert claims == pytest.approx({far: worth, close: worth * 0.25})


def test_the_best_memory_gains_nothing(world: World) -> None:
    best, second = world.add("Lisbon"), world.add("Lisbon")
    world.fill(MANY)
    assert set(world.claims(spread(), {best: 1.0, second: 0.9})) == {second}


def test_the_rarest_thing_shared_counts_and_others_add_nothing(world: World) -> None:
    seed, near = world.add("Lisbon", "Porto"), world.add("Lisbon", "Porto")
    world.add("Lisbon")
    world.fill(MANY)
    assert world.claims(spread(), {seed: 1.0})[near] == pytest.approx(strength(2, MANY + 3))


def chain(world: World, length: int) -> list[int]:
    """Memories of which each shares an entity with the next one."""
    links = [f"link {number}" for number in range(length)]
    memories = [world.add(*pair) for pair in pairwise(["start", *links])]
    world.fill(MANY)
    return memories


@pytest.mark.parametrize("depth", [1, 2, 3, 8])
def test_each_further_step_counts_less_and_none_goes_beyond_the_depth(world: World, depth: int) -> None:
    seed, *others = chain(world, 5)
    claims = world.claims(spread(max_depth=depth), {seed: 1.0})
    edge = strength(2, MANY + 5)
    expected = {pk: edge * (0.6 * edge) ** step for step, pk in enumerate(others[:depth])}
    assert claims == pytest.approx({pk: claim for pk, claim in expected.items() if claim > 0.1})


def test_a_longer_path_does_not_weaken_a_direct_connection(world: World) -> None:
    seed, direct, via = world.add("a", "b"), world.add("a", "c"), world.add("b", "c")
    world.fill(MANY)
    edge = strength(2, MANY + 3)
    assert world.claims(spread(), {seed: 1.0}) == pytest.approx({direct: edge, via: edge})


@pytest.mark.parametrize("fan_out", [1, 2, 3])
def test_only_the_rarest_entities_of_a_memory_are_followed(world: World, fan_out: int) -> None:
    names = ["twice", "thrice", "often"]
    seed = world.add(*names)
    near = [world.add(*[name] * 1) for name in names]
    world.add("thrice"), world.add("often"), world.add("often")
    world.fill(MANY * 4)
    reached = world.claims(spread(max_depth=1, fan_out=fan_out), {seed: 1.0})
    assert [pk in reached for pk in near] == [True, fan_out > 1, fan_out > 2]


def test_further_steps_are_taken_from_the_strongest_memories_only(world: World) -> None:
    seed = world.add("rare", "rarer", "lonely")
    strong, weak = world.add("rarer", "on from strong"), world.add("rare", "on from weak")
    world.add("rare")
    behind_strong, behind_weak = world.add("on from strong"), world.add("on from weak")
    world.fill(MANY * 4)
    narrow = world.claims(spread(fan_out=1), {seed: 1.0})
    assert {strong, behind_strong} <= set(narrow)
    assert not {weak, behind_weak} & set(narrow)
    assert {strong, behind_strong, weak, behind_weak} <= set(world.claims(spread(), {seed: 1.0}))


def test_cycles_and_a_memory_that_names_a_thing_twice_end(world: World) -> None:
    ring = [world.add(one, one.upper(), other) for one, other in pairwise(["a", "b", "c", "d", "a"])]
    world.fill(MANY)
    claims = world.claims(spread(max_depth=8), {ring[0]: 1.0})
    assert set(claims) == set(ring[1:])
    assert all(0.0 < claim <= 1.0 for claim in claims.values())


def test_what_the_question_names_is_a_seed_of_half_the_worth(world: World) -> None:
    best, named = world.add(), world.add("Lisbon")
    world.fill(MANY)
    claims = world.claims(spread(), {best: 1.0}, entities=["lisbon"])
    assert claims == pytest.approx({named: 0.5})


def test_what_the_question_names_connects_no_seed(world: World) -> None:
    seed, other = world.add("Lisbon", "Porto"), world.add("Porto")
    world.fill(MANY)
    assert world.claims(spread(), {seed: 1.0}, entities=["porto"])[other] == pytest.approx(0.5 * strength(2, MANY + 2))


def test_who_speaks_connects_nothing(world: World) -> None:
    seed = world.add("Ana", sender="ana")
    world.add("Ana", sender="ben")
    world.fill(MANY)
    assert world.claims(spread(), {seed: 1.0}, entities=["ana"]) == {}


def test_a_hub_in_every_memory_connects_nothing(world: World) -> None:
    seed, near, *_ = [world.add("hub", *["Lisbon"] * (number < 2)) for number in range(210)]
    assert set(world.claims(spread(max_depth=3), {seed: 1.0}, limit=300)) == {near}


def test_two_names_of_one_entity_connect(world: World) -> None:
    seed, near = world.add("K8s"), world.add("Kubernetes", said=(alias("k8s", "Kubernetes"),))
    world.fill(MANY)
    assert set(world.claims(spread(), {seed: 1.0})) == {near}


@pytest.mark.parametrize("fate", ["deleted", "evicted", "replaced", "expired", "external", "foreign"])
def test_no_path_leads_over_what_is_out_of_sight(world: World, fate: str) -> None:
    seed, behind = world.add("a"), world.add("b")
    fields: dict[str, Any] = {
        "expired": {"expires_at": NOW - timedelta(days=1)},
        "external": {"trust": Trust.EXTERNAL},
        "foreign": {"scope": OTHER},
    }.get(fate, {})
    between = world.add("a", "b", **fields)
    world.fill(MANY)
    if fate == "deleted":
        world.store.delete(SCOPE, [world.id(between)])
    elif fate == "evicted":
        world.store.evict(SCOPE, [world.id(between)])
    elif fate == "replaced":
        world.add(supersedes=(world.id(between),))
    filters = Filters(trust=frozenset({Trust.LEARNED}))
    assert world.claims(spread(), {seed: 1.0}, filters=filters) == {}
    everything = Filters(trust=frozenset(Trust))
    reached = set(world.claims(spread(), {seed: 1.0}, filters=everything))
    assert reached == ({between, behind} if fate == "external" else set())


def test_an_earlier_moment_has_the_connections_of_then(world: World) -> None:
    seed, between, behind = world.add("a"), world.add("a", "b"), world.add("b")
    world.fill(MANY)
    before = world.clock.now()
    world.clock.advance(timedelta(days=1))
    world.store.update(SCOPE, world.id(between), annotations=[Annotation(kind="entity", name="c")])
    assert world.claims(spread(), {seed: 1.0}) == {}
    filters = Filters(record_as_of=before)
    assert set(world.claims(spread(), {seed: 1.0}, filters=filters)) == {between, behind}


def test_two_hundred_entities_in_one_memory_are_no_trouble(world: World) -> None:
    names = [f"name {number}" for number in range(200)]
    seed, near = world.add(*names), world.add(*names[:100])
    world.fill(MANY)
    assert set(world.claims(spread(max_depth=8), {seed: 1.0})) == {near}


def test_without_seeds_and_without_entities_nothing_is_found(world: World) -> None:
    assert world.claims(spread()) == {}
    seed = world.add()
    world.add()
    assert world.claims(spread(), {seed: 1.0}, entities=["nobody"]) == {}


def test_at_most_so_many_come_back_the_best_first(world: World) -> None:
    seed, near, nearer = world.add("Lisbon", "Porto"), world.add("Lisbon"), world.add("Porto")
    world.add("Lisbon")
    world.fill(MANY)
    assert list(world.claims(spread(), {seed: 1.0}, limit=1)) == [nearer]
    assert near in world.claims(spread(), {seed: 1.0})


@pytest.mark.parametrize("options", [{"max_depth": 0}, {"max_depth": 9}, {"fan_out": 0}, {"fan_out": 1001}])
def test_senseless_options_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        GraphSpreadOptions(**options)


def test_it_runs_last_and_its_options_stand_at_the_documented_place() -> None:
    (spec,) = comis_expanders()
    assert spec.order == 90
    assert [section.path for section in spec.sections] == ["rag.lanes.graphSpread"]
    assert GraphSpreadOptions() == GraphSpreadOptions(enabled=True, weight=1.0, max_depth=2, fan_out=8)
