from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comis_core.clock import ManualClock
from comis_core.layers import Layered
from comis_core.model import Annotation, Filters, NewMemory, Scope
from comis_core.store import Store
from comis_core.store.scope_view import ScopeViews

Add = Callable[..., str]


def entity(name: str) -> Annotation:
    return Annotation(kind="entity", name=name)


def alias(name: str, value: str) -> Annotation:
    return Annotation(kind="alias", name=name, value=value)


def view(store: Store, scope: Scope) -> tuple[int, dict[str, int], dict[str, str]]:
    with store.snapshot(scope, now=0, filters=Filters()) as reader:
        known = reader.scope_view()
        return known.memories, dict(known.senders), dict(known.entities)


def test_counts_and_names_of_live_memories(store: Store, scope: Scope, add: Add) -> None:
    add("one", sender="ana", annotations=(entity("Lisbon"),))
    add("two", sender="ana")
    add("three", sender="ben", annotations=(alias("Ben S.", "Benjamin  SILVA"), entity("Ben S.")))
    add("four")
    store.evict(scope, [add("five", sender="cid")])
    store.add(Scope("acme", "other"), [NewMemory(content="x", sender="dan", annotations=(entity("Rome"),))])
    assert view(store, scope) == (
        4, {"ana": 2, "ben": 1}, {"lisbon": "lisbon", "ben s.": "benjamin silva", "benjamin silva": "benjamin silva"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "entities"),
    [
        ([alias("a", "b"), alias("b", "c")], {"a": "c", "b": "c", "c": "c"}),
        ([alias("a", "a")], {}),
        ([alias("a", ""), entity("")], {}),
        ([entity("A"), entity("a")], {"a": "a"}),
    ],
)
def test_aliases_are_followed_to_their_end(
    store: Store, scope: Scope, add: Add, said: list[Annotation], entities: dict[str, str]
) -> None:
    add("x", annotations=tuple(said))
    assert view(store, scope)[2] == entities


def test_a_circle_of_aliases_ends(store: Store, scope: Scope, add: Add) -> None:
    add("x", annotations=(alias("a", "b"), alias("b", "a")))
    entities = view(store, scope)[2]
    assert set(entities) == set(entities.values()) | {"a", "b"} == {"a", "b"}


def test_an_older_snapshot_is_not_told_what_came_later(store: Store, scope: Scope, add: Add) -> None:
    add("one", sender="ana")
    with store.snapshot(scope, now=0, filters=Filters()) as reader:
        add("two", sender="ben")
        assert view(store, scope)[1] == {"ana": 1, "ben": 1}
        assert reader.scope_view().senders == {"ana": 1}
    assert view(store, scope)[1] == {"ana": 1, "ben": 1}


NAMES = ("ana", "ben", "cid")
steps = st.lists(
    st.tuples(
        st.sampled_from(["add", "update", "evict", "restore", "delete", "annotate", "look", "quit saying"]),
        st.integers(0, 8),
        st.sampled_from(NAMES),
    ),
    max_size=25,
)


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_names_brought_forward_equal_names_found_out_anew(
    tmp_path_factory: pytest.TempPathFactory, clock: ManualClock, steps: list[tuple[str, int, str]]
) -> None:
    scope = Scope("acme", "helper")
    folder = tmp_path_factory.mktemp("views")
    with Store.open(folder / "memory.db", clock=clock, synchronous="OFF") as store:
        for number, step in enumerate([*steps, ("look", 0, "ana")]):
            take(store, scope, number, *step)
            if step[0] == "look":
                kept = view(store, scope)
                with store.snapshot(scope, now=0, filters=Filters()) as reader:
                    anew = ScopeViews().of(reader)
                    assert kept == (anew.memories, anew.senders, anew.entities)


def take(store: Store, scope: Scope, number: int, step: str, place: int, name: str) -> None:
    ids: list[Any] = [memory.id for memory in store.browse(scope, include_evicted=True).memories]
    chosen = ids[place % len(ids)] if ids else None
    if step == "add":
        said = (entity(name), alias(name, NAMES[place % 3])) if place % 2 else (entity(name),)
        store.add(scope, [NewMemory(content=f"memory {number}", sender=name, annotations=said)])
    elif step == "update" and chosen:
        store.update(scope, chosen, content=f"memory {number}", sender=name)
    elif step == "quit saying" and chosen:
        store.update(scope, chosen, annotations=[])
    elif step in ("evict", "restore", "delete") and chosen:
        getattr(store, step)(scope, [chosen])
    elif step == "annotate" and chosen:
        store.annotate(scope, chosen, [entity(name), alias(name, "dan")])


def test_names_that_come_one_by_one_are_all_known(store: Store, scope: Scope, add: Add) -> None:
    expected: dict[str, str] = {}
    for number in range(200):
        name = f"person {number}"
        add(f"text {number}", annotations=(entity(name),))
        expected[name] = name
        assert view(store, scope)[2] == expected


def test_a_new_name_makes_no_new_copy_of_the_known_ones(store: Store, scope: Scope, add: Add) -> None:
    add("many", annotations=tuple(entity(f"person {number}") for number in range(200)))
    with store.snapshot(scope, now=0, filters=Filters()) as reader:
        known = reader.scope_view().entities
    add("one more", annotations=(entity("Zoe"),))
    with store.snapshot(scope, now=0, filters=Filters()) as reader:
        entities = reader.scope_view().entities
    assert isinstance(known, Layered)
    assert isinstance(entities, Layered)
    assert entities._below is known._below
