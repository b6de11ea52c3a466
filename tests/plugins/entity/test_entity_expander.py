"""Memories that share entities with the best hits or with the question."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import pytest
from support.graphs import NOW, OTHER, SCOPE, World, alias, triple

from comis_core.mentions import rarity
from comis_core.model import Annotation, Filters, Trust
from comis_plugins.entity import comis_expanders
from comis_plugins.entity.expander import EntityExpander
from comis_plugins.entity.options import EntityOptions


def expander(**options: Any) -> EntityExpander:
    return EntityExpander(EntityOptions(**options))


def test_a_neighbour_claims_by_how_rare_what_it_shares_is(world: World) -> None:
    seed, one, both = world.add("Lisbon", "Porto"), world.add("Lisbon"), world.add("Lisbon", "Porto")
    world.fill(7)
    claims = world.claims(expander(), {seed: 1.0})
    lisbon, porto = rarity(3, 10) ** 2, rarity(2, 10) ** 2
    assert claims == pytest.approx({both: math.tanh(0.5 * (lisbon + porto)), one: math.tanh(0.5 * lisbon)})


def test_a_seed_earns_nothing_from_itself_but_from_another_seed(world: World) -> None:
    alone, one, other = world.add("Porto"), world.add("Lisbon"), world.add("Lisbon")
    assert set(world.claims(expander(), {alone: 1.0, one: 0.9, other: 0.8})) == {one, other}


def test_what_the_question_names_is_a_seed(world: World) -> None:
    memory = world.add("Lisbon")
    world.fill(3)
    assert world.claims(expander(), entities=["lisbon"]) == pytest.approx({memory: math.tanh(0.5)})


def test_only_so_many_of_the_best_are_seeds(world: World) -> None:
    first, second = world.add("Lisbon"), world.add("Porto")
    near_first, near_second = world.add("Lisbon"), world.add("Porto")
    best = {first: 1.0, second: 0.9}
    assert set(world.claims(expander(seed_count=1), best)) == {near_first}
    assert set(world.claims(expander(seed_count=2), best)) == {near_first, near_second}
    assert world.claims(expander(seed_count=0), best) == {}


def test_an_entity_that_too_many_mention_is_not_followed(world: World) -> None:
    seed, *_ = [world.add("hub", "Lisbon") for _ in range(3)]
    near = world.add("hub")
    assert near in world.claims(expander(per_entity_cap=4), {seed: 1.0})
    assert near not in world.claims(expander(per_entity_cap=3), {seed: 1.0})


def test_a_hub_in_every_memory_leads_nowhere_and_hides_nothing(world: World) -> None:
    hub = [world.add("hub", "Lisbon" if number < 2 else "hub") for number in range(250)]
    assert set(world.claims(expander(), {hub[0]: 1.0}, limit=300)) == {hub[1]}


def test_who_speaks_in_the_scope_is_not_followed(world: World) -> None:
    seed = world.add("Ana", sender="ANA")
    world.add("Ana", sender="ben")
    assert world.claims(expander(), {seed: 1.0}, entities=["ana"]) == {}


def test_two_names_of_one_entity_connect(world: World) -> None:
    seed, near = world.add("K8s"), world.add("Kubernetes", said=(alias("k8s", "Kubernetes"),))
    world.fill(3)
    assert set(world.claims(expander(), {seed: 1.0})) == {near}
    assert set(world.claims(expander(), entities=["k8s"])) == {seed, near}


def test_the_subject_of_a_triple_is_mentioned(world: World) -> None:
    seed, near = world.add("Acme"), world.add(said=(triple("Acme", "sells", "anvils"),))
    assert set(world.claims(expander(), {seed: 1.0})) == {near}


@pytest.mark.parametrize("fate", ["deleted", "evicted", "replaced", "updated", "expired", "external", "foreign"])
def test_who_is_out_of_sight_is_nobodys_neighbour(world: World, fate: str) -> None:
    seed = world.add("Lisbon")
    fields: dict[str, Any] = {
        "expired": {"expires_at": NOW - timedelta(days=1)},
        "external": {"trust": Trust.EXTERNAL},
        "foreign": {"scope": OTHER},
    }.get(fate, {})
    other = world.add("Lisbon", **fields)
    if fate == "deleted":
        world.store.delete(SCOPE, [world.id(other)])
    elif fate == "evicted":
        world.store.evict(SCOPE, [world.id(other)])
    elif fate == "replaced":
        world.add(supersedes=(world.id(other),))
    elif fate == "updated":
        world.store.update(SCOPE, world.id(other), annotations=[])
    filters = Filters(trust=frozenset({Trust.LEARNED}))
    assert world.claims(expander(), {seed: 1.0}, filters=filters) == {}


def test_an_earlier_moment_has_the_entities_of_then(world: World) -> None:
    seed, other = world.add("Lisbon"), world.add("Lisbon")
    before = world.clock.now()
    world.clock.advance(timedelta(days=1))
    world.store.update(SCOPE, world.id(other), annotations=[Annotation(kind="entity", name="Porto")])
    assert world.claims(expander(), {seed: 1.0}) == {}
    assert set(world.claims(expander(), {seed: 1.0}, filters=Filters(record_as_of=before))) == {other}


def test_later_events_are_not_known_before_they_happen(world: World) -> None:
    seed = world.add("Lisbon", occurred_at=NOW - timedelta(days=9))
    world.add("Lisbon", occurred_at=NOW - timedelta(days=1))
    filters = Filters(event_as_of=NOW - timedelta(days=5))
    assert world.claims(expander(), {seed: 1.0}, filters=filters) == {}


def test_without_seeds_and_without_entities_nothing_is_found(world: World) -> None:
    assert world.claims(expander()) == {}
    seed = world.add()
    world.add()
    assert world.claims(expander(), {seed: 1.0}, entities=["nobody"]) == {}


def test_two_hundred_entities_in_one_memory_are_no_trouble(world: World) -> None:
    names = [f"name {number}" for number in range(200)]
    seed, near, far = world.add(*names), world.add(names[7]), world.add(names[150])
    world.fill(20)
    claims = world.claims(expander(), {seed: 1.0})
    assert near in claims
    assert far not in claims, "the names that come first in a memory are looked at"


def test_at_most_so_many_come_back_the_best_first(world: World) -> None:
    seed = world.add("Lisbon", "Porto")
    world.add("Lisbon")
    best = world.add("Lisbon", "Porto")
    assert list(world.claims(expander(), {seed: 1.0}, limit=1)) == [best]


def test_what_is_written_later_is_seen_by_the_same_part(world: World) -> None:
    part, seed = expander(), world.add("K8s")
    world.fill(3)
    assert world.claims(part, {seed: 1.0}) == {}
    near = world.add("Kubernetes", said=(alias("k8s", "Kubernetes"),))
    assert set(world.claims(part, {seed: 1.0})) == {near}


@pytest.mark.parametrize("options", [{"seed_count": -1}, {"seed_count": 1001}, {"per_entity_cap": 0}])
def test_senseless_options_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        EntityOptions(**options)


def test_the_options_stand_at_the_documented_place() -> None:
    (spec,) = comis_expanders()
    assert [section.path for section in spec.sections] == ["rag.entityLane"]
    assert EntityOptions() == EntityOptions(enabled=True, seed_count=5, per_entity_cap=200, weight=1.0)
