"""What is stated of somebody leads from him to what it says, as long as it holds."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from support.graphs import NOW, SCOPE, World, triple

from comis_core.mentions import rarity
from comis_core.model import Annotation, Filters, Trust
from comis_plugins.graph_spread.expander import GraphSpread
from comis_plugins.graph_spread.options import GraphSpreadOptions

MANY = 60
EARLY, LATE = NOW - timedelta(days=300), NOW - timedelta(days=3)


def spread(**options: Any) -> GraphSpread:
    return GraphSpread(GraphSpreadOptions(**options), functional=("lives in",))


def lives_in(world: World, city: str, **fields: Any) -> int:
    """A memory that states where Ana lives and mentions nothing else."""
    said = {name: fields.pop(name) for name in ("confidence", "occurred_at") if name in fields}
    if "event" in fields:
        fields["occurred_at"] = fields.pop("event")
    return world.add(said=(triple("Ana", "lives in", city, **said),), **fields)


def test_a_statement_leads_from_its_memory_to_what_mentions_its_value(world: World) -> None:
    stated, lisbon = lives_in(world, "Lisbon"), world.add("lisbon")
    world.fill(MANY)
    claims = world.claims(spread(max_depth=1), {stated: 1.0})
    assert claims == pytest.approx({lisbon: rarity(1, MANY + 2) ** 3})


def test_what_is_stated_of_who_is_named_is_reached_though_he_speaks(world: World) -> None:
    best, stated = world.add(sender="Ana"), lives_in(world, "Lisbon", confidence=0.8)
    world.add("Ana", sender="Ana")
    world.fill(MANY)
    assert world.claims(spread(), {best: 1.0}, entities=["ana"]) == pytest.approx({stated: 0.5 * 0.8})


def test_two_steps_lead_over_a_statement(world: World) -> None:
    seed, lisbon = world.add("Ana"), world.add("Lisbon")
    stated = lives_in(world, "Lisbon")
    world.fill(MANY)
    claims = world.claims(spread(), {seed: 1.0})
    assert set(claims) == {stated, lisbon}
    assert claims[stated] > claims[lisbon]


def test_of_whom_too_much_is_stated_nothing_is_followed(world: World) -> None:
    best = world.add()
    for number in range(60):
        world.add(said=(triple("hub", "has", f"thing {number}"),))
    assert world.claims(spread(), {best: 1.0}, entities=["hub"]) == {}


def test_a_statement_of_oneself_ends(world: World) -> None:
    seed = world.add(said=(triple("Ana", "knows", "Ana"), triple("Ana", "knows", "Ben"), triple("Ben", "knows", "Ana")))
    near = world.add("Ben")
    world.fill(MANY)
    assert set(world.claims(spread(max_depth=8), {seed: 1.0})) == {near}


def reached(world: World, lisbon: dict[str, Any], porto: dict[str, Any], **asked: Any) -> set[str]:
    """Which of two cities is reached from the two statements about where Ana lives."""
    seeds = [lives_in(world, "Lisbon", **lisbon), lives_in(world, "Porto", **porto)]
    cities = {world.add("Lisbon"): "Lisbon", world.add("Porto"): "Porto"}
    world.fill(MANY)
    claims = world.claims(spread(max_depth=1), dict.fromkeys(seeds, 1.0), **asked)
    return {cities[pk] for pk in claims if pk in cities}


SYSTEM, LEARNED = {"trust": Trust.SYSTEM}, {"trust": Trust.LEARNED}


@pytest.mark.parametrize(
    ("lisbon", "porto", "holds"),
    [
        (SYSTEM | {"event": EARLY}, LEARNED | {"event": LATE}, "Lisbon"),
        ({"event": EARLY}, {"event": LATE}, "Porto"),
        ({"event": LATE}, {"event": EARLY}, "Lisbon"),
        ({"event": EARLY, "created_at": LATE}, {"event": LATE, "created_at": EARLY}, "Porto"),
        ({"created_at": LATE}, {"created_at": EARLY}, "Lisbon"),
        ({}, {}, "Porto"),
    ],
    ids=["higher trust", "newer event", "older event", "event before record", "newer record", "later written"],
)
def test_of_two_that_contradict_each_other_one_holds(
    world: World, lisbon: dict[str, Any], porto: dict[str, Any], holds: str
) -> None:
    assert reached(world, lisbon, porto) == {holds}


def test_the_time_of_a_statement_counts_before_that_of_its_memory(world: World) -> None:
    early = world.add(said=(triple("Ana", "lives in", "Lisbon", occurred_at=LATE),), occurred_at=EARLY)
    late = world.add(said=(triple("Ana", "lives in", "Porto", occurred_at=EARLY),), occurred_at=LATE)
    lisbon = world.add("Lisbon")
    world.add("Porto")
    world.fill(MANY)
    assert lisbon in world.claims(spread(max_depth=1), {late: 1.0, early: 1.0})
    assert len(world.claims(spread(max_depth=1), {late: 1.0})) == 1, "from what lost only the winner is reached"


def test_the_loser_is_closed_and_not_deleted(world: World) -> None:
    filters = Filters(event_as_of=NOW - timedelta(days=100))
    assert reached(world, {"event": EARLY}, {"event": LATE}, filters=filters) == {"Lisbon"}


def test_an_earlier_moment_of_record_time_has_what_held_then(world: World) -> None:
    seed, lisbon = lives_in(world, "Lisbon"), world.add("Lisbon")
    world.fill(MANY)
    before = world.clock.now()
    world.clock.advance(timedelta(days=1))
    lives_in(world, "Porto")
    assert lisbon not in world.claims(spread(max_depth=1), {seed: 1.0})
    assert set(world.claims(spread(max_depth=1), {seed: 1.0}, filters=Filters(record_as_of=before))) == {lisbon}


def test_what_was_replaced_explicitly_states_nothing(world: World) -> None:
    old = lives_in(world, "Lisbon")
    world.add(supersedes=(world.id(old),))
    best = world.add()
    world.fill(MANY)
    assert world.claims(spread(), {best: 1.0}, entities=["ana"]) == {}


def test_predicates_that_may_have_many_values_contradict_nothing(world: World) -> None:
    seed = world.add(said=(triple("Ana", "likes", "Lisbon"), triple("Ana", "likes", "Porto")))
    cities = {world.add("Lisbon"), world.add("Porto")}
    world.fill(MANY)
    assert set(world.claims(spread(max_depth=1), {seed: 1.0})) == cities


def test_the_same_value_twice_holds_twice(world: World) -> None:
    one, other = lives_in(world, "LISBON", event=EARLY), lives_in(world, "lisbon", event=LATE)
    best = world.add()
    world.fill(MANY)
    assert set(world.claims(spread(), {best: 1.0}, entities=["ana"])) == {one, other}


def test_statements_of_a_deleted_memory_are_gone(world: World) -> None:
    gone = lives_in(world, "Lisbon")
    best = world.add()
    world.fill(MANY)
    world.store.delete(SCOPE, [world.id(gone)])
    assert world.claims(spread(), {best: 1.0}, entities=["ana"]) == {}


def test_who_states_the_same_of_the_same_is_reached_though_the_question_names_him(world: World) -> None:
    former = world.add(said=(triple("Ana", "works at", "the mill"),))
    later = world.add(said=(triple("ana", "works at", "the harbour", confidence=0.8),))
    world.add(said=(triple("Ana", "likes", "tea"),))
    world.add(said=(triple("Ben", "works at", "the harbour"),))
    world.fill(MANY)
    claims = world.claims(spread(max_depth=1), {former: 1.0}, entities=["ana"])
    assert claims[later] == pytest.approx(rarity(2, MANY + 4) ** 3 * 0.8)
    assert claims[later] == max(claims.values())


@pytest.mark.parametrize(("functional", "share"), [(("lives in",), 0.5), ((), 1.0)])
def test_the_statement_that_lost_is_reached_as_one_of_her_memories_only(
    world: World, functional: tuple[str, ...], share: float
) -> None:
    lost = lives_in(world, "Lisbon", occurred_at=EARLY)
    holds = lives_in(world, "Porto", occurred_at=LATE)
    world.fill(MANY)
    lane = GraphSpread(GraphSpreadOptions(max_depth=1), functional)
    claims = world.claims(lane, {holds: 2.0}, entities=["ana"])
    assert claims == pytest.approx({lost: share * rarity(2, MANY + 2) ** 3})


def test_what_is_stated_of_somebody_all_the_time_connects_nothing(world: World) -> None:
    seed = world.add(said=(triple("Ana", "met", "Ben"),))
    for number in range(80):
        world.add(said=(triple("Ana", "met", f"somebody {number}"),))
    assert world.claims(spread(max_depth=1), {seed: 1.0}) == {}


def test_of_a_hub_of_statements_no_slot_connects_however_many_seeds_there_are(world: World) -> None:
    boats = [world.add(said=(triple("user", "sails", f"boat {number}"),)) for number in range(2)]
    for number in range(250):
        world.add(said=(triple("user", f"did {number}", f"thing {number}"),))
    for seeds in (boats[:1], [boats[0], boats[0] + 5]):
        assert boats[1] not in world.claims(spread(max_depth=1), dict.fromkeys(seeds, 1.0), entities=["user"])


def test_the_surest_of_several_statements_counts_in_whatever_order_they_stand(world: World) -> None:
    both = triple("Ana", "likes", "tea"), triple("Ana", "drinks", "tea")
    seeds = world.add(said=both), world.add(said=both[::-1])
    for number in range(5):
        world.add(said=(triple("Ana", "likes", f"thing {number}"),))
    other = world.add(said=(triple("Ana", "drinks", "coffee"), triple("Ana", "likes", "coffee", confidence=0.1)))
    world.fill(MANY)
    claims = [world.claims(spread(max_depth=1), {seed: 1.0}, entities=["ana"])[other] for seed in seeds]
    assert claims[0] == claims[1] == pytest.approx(rarity(3, MANY + 8) ** 3)


def test_who_states_the_same_and_was_replaced_is_not_reached(world: World) -> None:
    seed = world.add(said=(triple("Ana", "works at", "the mill"),))
    replaced = world.add(said=(triple("Ana", "works at", "pier two"),))
    world.add(said=(Annotation(kind="supersedes", target=world.id(replaced)),))
    world.fill(MANY)
    assert replaced not in world.claims(spread(max_depth=1), {seed: 1.0}, entities=["ana"])
