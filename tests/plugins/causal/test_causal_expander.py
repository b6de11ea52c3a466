"""What a good hit caused, and what caused it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from support.graphs import OTHER, SCOPE, World

from comis_core.model import Annotation, Filters, Trust
from comis_plugins.causal.expander import EDGES, build
from comis_plugins.causal.options import CausalOptions


def claims(world: World, best: Mapping[int, float], **how: Any) -> dict[int, float]:
    """What the expander claims when a lane has found `best`."""
    return world.claims(build(None, CausalOptions()), best, **how)  # type: ignore[arg-type]


def link(world: World, cause: int, effect: int, confidence: float = 1.0) -> None:
    """Say that one memory caused another."""
    said = Annotation(kind="cause", target=world.id(effect), confidence=confidence)
    world.store.annotate(SCOPE, world.id(cause), [said])


# -- the formula -------------------------------------------------------------------------------------------------------


def test_an_edge_is_followed_in_both_directions(world: World) -> None:
    cause, effect = world.add(), world.add()
    link(world, cause, effect, 0.9)
    assert claims(world, {cause: 0.8}) == {effect: pytest.approx(0.9)}
    assert claims(world, {effect: 0.8}) == {cause: pytest.approx(0.9)}


def test_a_weaker_hit_pulls_less(world: World) -> None:
    best, weak, of_best, of_weak = (world.add() for _ in range(4))
    link(world, best, of_best, 0.9)
    link(world, weak, of_weak, 0.9)
    found = claims(world, {best: 0.8, weak: 0.6})
    assert found == {of_best: pytest.approx(0.9), of_weak: pytest.approx(0.9 * 0.6 / 0.8 / math.sqrt(2))}


def test_of_several_edges_to_one_memory_the_strongest_counts(world: World) -> None:
    one, other, effect = world.add(), world.add(), world.add()
    link(world, one, effect, 0.3)
    link(world, one, effect, 0.7)
    link(world, other, effect, 0.2)
    assert claims(world, {one: 0.8, other: 0.5}) == {effect: pytest.approx(0.7)}


def test_only_one_hop_is_gone(world: World) -> None:
    first, second, third = world.add(), world.add(), world.add()
    link(world, first, second)
    link(world, second, third)
    assert set(claims(world, {first: 0.8})) == {second}


def test_only_the_five_best_hits_pull(world: World) -> None:
    hits, effects = [world.add() for _ in range(6)], [world.add() for _ in range(6)]
    for cause, effect in zip(hits, effects, strict=True):
        link(world, cause, effect)
    # Of equal hits the newer five are the best.
    assert set(claims(world, dict.fromkeys(hits, 0.9))) == set(effects[1:])


def test_an_edge_of_no_confidence_says_nothing(world: World) -> None:
    cause, effect = world.add(), world.add()
    link(world, cause, effect, 0.0)
    assert claims(world, {cause: 0.8}) == {}


def test_other_annotations_are_no_edges(world: World) -> None:
    old, other = world.add(), world.add()
    world.add(said=(Annotation(kind="supersedes", target=world.id(old)),))
    link(world, other, world.add())
    assert claims(world, {old: 0.8}) == {}


# -- shapes of graphs --------------------------------------------------------------------------------------------------


def test_a_memory_that_causes_itself_earns_nothing(world: World) -> None:
    one = world.add()
    link(world, one, one)
    assert claims(world, {one: 0.8}) == {}


def test_two_that_cause_each_other_earn_from_each_other(world: World) -> None:
    one, other = world.add(), world.add()
    link(world, one, other, 0.9)
    link(world, other, one, 0.5)
    assert claims(world, {one: 0.8}) == {other: pytest.approx(0.9)}


def test_a_circle_of_causes_ends_after_one_hop(world: World) -> None:
    ring = [world.add() for _ in range(4)]
    for place, cause in enumerate(ring):
        link(world, cause, ring[(place + 1) % 4])
    assert set(claims(world, {ring[0]: 0.8})) == {ring[1], ring[3]}


def test_of_five_hundred_effects_the_surest_are_followed(world: World) -> None:
    hub = world.add()
    effects = [world.add() for _ in range(500)]
    sure = set(effects[100:110])
    said = [Annotation(kind="cause", target=world.id(pk), confidence=0.9 if pk in sure else 0.4) for pk in effects]
    for start in range(0, len(said), 250):
        world.store.annotate(SCOPE, world.id(hub), said[start : start + 250])
    found = claims(world, {hub: 0.8}, limit=1_000)
    assert len(found) == EDGES
    assert set(list(found)[:10]) == sure
    assert claims(world, {effects[0]: 0.8}) == {hub: pytest.approx(0.4)}


def test_among_equals_what_the_lanes_found_comes_first(world: World) -> None:
    cause, known, unknown = world.add(), world.add(), world.add()
    link(world, cause, known)
    link(world, cause, unknown)
    assert list(claims(world, {cause: 0.8, known: 0.001}))[:2] == [known, unknown]


# -- nothing to go by --------------------------------------------------------------------------------------------------


def test_without_hits_there_is_nothing(world: World) -> None:
    link(world, world.add(), world.add())
    assert claims(world, {}) == {}


def test_in_an_empty_file_there_is_nothing(world: World) -> None:
    assert claims(world, {}) == {}


def test_without_edges_there_is_nothing(world: World) -> None:
    assert claims(world, {world.add(): 0.8}) == {}


# -- what may be seen --------------------------------------------------------------------------------------------------


def test_a_deleted_end_leaves_no_edge(world: World) -> None:
    cause, effect, other = world.add(), world.add(), world.add()
    link(world, cause, effect)
    link(world, cause, other)
    world.store.delete(SCOPE, [world.id(effect)])
    assert set(claims(world, {cause: 0.8})) == {other}


def test_an_evicted_end_is_not_reached_until_it_is_back(world: World) -> None:
    cause, effect = world.add(), world.add()
    link(world, cause, effect)
    id = world.id(effect)
    world.store.evict(SCOPE, [id])
    assert claims(world, {cause: 0.8}) == {}
    world.store.restore(SCOPE, [id])
    assert set(claims(world, {cause: 0.8})) == {effect}


def test_an_end_that_may_not_be_seen_is_not_reached(world: World) -> None:
    cause, external = world.add(), world.add(trust=Trust.EXTERNAL)
    expired = world.add(expires_at=world.clock.now() + timedelta(days=1))
    link(world, cause, external)
    link(world, cause, expired)
    world.clock.advance(timedelta(days=2))
    assert claims(world, {cause: 0.8}, filters=Filters(trust=frozenset({Trust.LEARNED}))) == {}


def test_an_edge_said_by_what_may_not_be_seen_is_not_followed(world: World) -> None:
    cause, effect = world.add(trust=Trust.EXTERNAL), world.add()
    link(world, cause, effect)
    assert claims(world, {effect: 0.8}, filters=Filters(trust=frozenset({Trust.LEARNED}))) == {}


def test_edges_of_another_scope_do_not_exist(world: World) -> None:
    cause, effect = world.add(), world.add()
    link(world, cause, effect)
    theirs = world.add(scope=OTHER)
    assert theirs not in claims(world, {cause: 0.8})


def test_an_edge_leads_to_the_version_in_sight(world: World) -> None:
    cause, effect = world.add(), world.add()
    link(world, cause, effect)
    world.store.update(SCOPE, world.id(effect), content="said in other words")
    (newest,) = claims(world, {cause: 0.8})
    assert newest > effect


def test_the_next_version_of_a_cause_keeps_its_edges(world: World) -> None:
    cause, effect = world.add(), world.add()
    link(world, cause, effect)
    world.store.update(SCOPE, world.id(cause), content="said in other words")
    (newest,) = claims(world, {effect: 0.8})
    assert newest > cause


def test_as_of_a_moment_before_it_was_said_there_is_no_edge(world: World) -> None:
    cause, effect = world.add(), world.add()
    then = world.clock.now()
    world.clock.advance(timedelta(days=1))
    link(world, cause, effect)
    assert claims(world, {cause: 0.8}, filters=Filters(record_as_of=then)) == {}
    now = Filters(record_as_of=world.clock.now())
    assert set(claims(world, {cause: 0.8}, filters=now)) == {effect}


def test_both_ends_are_found_by_index(world: World) -> None:
    from comis_plugins.causal import expander

    link(world, world.add(), world.add())
    with world.snapshot() as reader:
        plans = {
            name: [row[3] for row in reader.execute(f"EXPLAIN QUERY PLAN {sql}", (1, 10))]
            for name, sql in (("effects", expander._EFFECTS), ("causes", expander._CAUSES))
        }
    searches = {name: [step for step in plan if step.startswith("SEARCH")] for name, plan in plans.items()}
    assert any("annotations_memory (pk=? AND kind=?)" in step for step in searches["effects"])
    assert any("memories_versions (id=?)" in step or "memories_live_id" in step for step in searches["effects"])
    assert any("annotations_target (target=? AND kind=?)" in step for step in searches["causes"])
    assert not [
        step
        for plan in plans.values()
        for step in plan
        if step.startswith("SCAN") and "CONSTANT" not in step and "recall_parameters" not in step
    ]
