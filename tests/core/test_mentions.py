"""Which memories mention which names, as a snapshot sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.graphs import OTHER, SCOPE, World, alias, triple

from comis_core.mentions import MOST_NAMES, Mentions, Names, Spellings, rarity
from comis_core.model import Annotation, Filters


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World.open(tmp_path) as opened:
        yield opened


def mentions(reader: Any) -> Mentions:
    return Mentions(reader, Names.of(reader.scope_view()).spellings)


def having(reader: Any, *entities: str, cap: int = 10) -> dict[str, Sequence[int]]:
    read = mentions(reader)
    return read.having(read.counts(entities, cap), cap)


# -- rarity


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_rarity_lies_above_nothing_and_not_above_one(count: int, memories: int) -> None:
    assert 0.0 < rarity(count, memories) <= 1.0


def test_what_one_memory_mentions_is_as_rare_as_can_be() -> None:
    assert rarity(1, 1000) == 1.0
    assert rarity(0, 1000) == 0.0
    assert rarity(2, 1000) > rarity(3, 1000) > rarity(1000, 1000)


# -- names


def test_every_name_of_an_entity_is_known_by_its_canonical_one(world: World) -> None:
    world.add("Kubernetes", said=(alias("K8s", "kubernetes"), alias("kube", "k8s")))
    with world.snapshot() as reader:
        spellings = Names.of(reader.scope_view()).spellings
    assert {spellings.canonical(name) for name in ("kubernetes", "k8s", "kube")} == {"kubernetes"}
    assert sorted(spellings.all("kubernetes")) == ["k8s", "kube", "kubernetes"]
    assert spellings.canonical("nobody") == "nobody"


def test_who_speaks_is_known_by_every_name(world: World) -> None:
    world.add(sender="ANA", said=(alias("Ana", "Ana Silva"),))
    with world.snapshot() as reader:
        assert Names.of(reader.scope_view()).speaking == {"ana silva"}


def test_names_are_kept_until_they_change(world: World) -> None:
    world.add("Lisbon", sender="ana")
    with world.snapshot() as reader:
        first = Names.of(reader.scope_view())
    world.add()
    with world.snapshot() as reader:
        assert Names.of(reader.scope_view(), first).spellings.known == first.spellings.known
    for change in ({"names": ("Porto",)}, {"sender": "ben"}):
        with world.snapshot() as reader:
            former = Names.of(reader.scope_view())
        world.add(*change.get("names", ()), sender=change.get("sender", "ana"))  # type: ignore[arg-type]
        with world.snapshot() as reader:
            assert Names.of(reader.scope_view(), former) is not former


def test_a_new_name_spares_a_look_at_the_names_that_were_known(world: World) -> None:
    world.add("Lisbon", said=(alias("Lisboa", "Lisbon"),))
    with world.snapshot() as reader:
        former = Names.of(reader.scope_view()).spellings
    world.add("Porto")
    with world.snapshot() as reader:
        spellings = Spellings.of(reader.scope_view().entities, former)
    assert spellings.others is former.others
    assert (spellings.all("porto"), spellings.all("lisbon")) == (("porto",), ("lisbon", "lisboa"))


def test_a_new_alias_is_one_more_name_of_its_entity(world: World) -> None:
    world.add("Lisbon", said=(alias("Lisboa", "Lisbon"),))
    with world.snapshot() as reader:
        former = Names.of(reader.scope_view()).spellings
    world.add(said=(alias("LX", "Lisbon"),))
    with world.snapshot() as reader:
        spellings = Spellings.of(reader.scope_view().entities, former)
    assert sorted(spellings.all("lisbon")) == ["lisboa", "lisbon", "lx"]
    assert former.all("lisbon") == ("lisbon", "lisboa")


# -- mentions


def test_a_memory_mentions_the_names_of_its_entities_aliases_and_triples(world: World) -> None:
    said = (alias("k8s", "Kubernetes"), triple("Ana", "lives in", "Lisbon"), Annotation(kind="cause", name="never"))
    memory, silent = world.add("Porto", said=said), world.add()
    with world.snapshot() as reader:
        assert {pk: sorted(names) for pk, names in mentions(reader).of([memory, silent]).items()} == {
            memory: ["ana", "kubernetes", "porto"]
        }
        assert having(reader, "kubernetes", "ana", "lisbon") == {"kubernetes": [memory], "ana": [memory]}


def test_a_memory_that_mentions_a_thing_by_two_names_is_there_once(world: World) -> None:
    memory = world.add("k8s", "Kubernetes", said=(alias("k8s", "Kubernetes"),))
    with world.snapshot() as reader:
        assert having(reader, "kubernetes") == {"kubernetes": [memory]}


def test_of_a_memory_with_very_many_names_the_first_are_read(world: World) -> None:
    memory = world.add(*(f"name {number:03}" for number in range(200)))
    with world.snapshot() as reader:
        assert list(mentions(reader).of([memory])[memory]) == [f"name {number:03}" for number in range(MOST_NAMES)]


@pytest.mark.parametrize(("cap", "found"), [(4, {"hub", "rare"}), (3, {"rare"}), (0, set())])
def test_what_too_many_mention_is_left_out(world: World, cap: int, found: set[str]) -> None:
    for number in range(4):
        world.add("hub", *["rare"] * (number == 0))
    with world.snapshot() as reader:
        assert mentions(reader).counts(["hub", "rare", "none"], cap)["hub"] == min(4, cap + 1)
        assert set(having(reader, "hub", "rare", "none", cap=cap)) == found


def test_hidden_memories_mention_nothing(world: World) -> None:
    kept, gone, evicted = world.add("a"), world.add("a"), world.add("a")
    world.add("a", scope=OTHER)
    world.store.delete(SCOPE, [world.id(gone)])
    world.store.evict(SCOPE, [world.id(evicted)])
    with world.snapshot() as reader:
        assert having(reader, "a") == {"a": [kept]}
        assert mentions(reader).of([kept, evicted]) == {kept: ("a",)}


def test_an_earlier_moment_has_the_mentions_of_then(world: World) -> None:
    memory = world.add("then", said=(alias("once", "then"),))
    before = world.clock.now()
    world.clock.advance(timedelta(days=1))
    world.store.update(SCOPE, world.id(memory), annotations=[Annotation(kind="entity", name="now")])
    with world.snapshot(Filters(record_as_of=before)) as reader:
        assert having(reader, "then", "now") == {"then": [memory]}
        assert mentions(reader).counts(["then"], 1) == {"then": 2}
    with world.snapshot() as reader:
        assert set(having(reader, "then", "now")) == {"now"}


def test_who_is_replaced_by_somebody_in_sight_is_superseded(world: World) -> None:
    old, other = world.add(), world.add()
    new = world.add(supersedes=(world.id(old),))
    with world.snapshot() as reader:
        assert mentions(reader).superseded([old, other, new]) == {old}
    world.store.evict(SCOPE, [world.id(new)])
    with world.snapshot() as reader:
        assert mentions(reader).superseded([old, other]) == set()


def test_in_an_empty_scope_nothing_is_mentioned(world: World) -> None:
    with world.snapshot() as reader:
        read = mentions(reader)
        assert read.kinds == frozenset()
        assert (read.of([1]), read.counts(["a"], 5), read.having({"a": 1}, 5)) == ({}, {"a": 0}, {})
        assert Mentions(reader, Spellings({}, {})).counts([], 5) == {}
