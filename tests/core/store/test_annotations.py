from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from comis_core.clock import ManualClock
from comis_core.errors import MemoryRejected
from comis_core.model import Annotation, Filters, Memory, NewMemory, Scope, Trust
from comis_core.store import Store

Add = Callable[..., str]


def entity(name: str, **fields: object) -> Annotation:
    return Annotation(kind="entity", name=name, **fields)  # type: ignore[arg-type]


def test_every_field_comes_back_as_it_was_said(store: Store, scope: Scope, add: Add) -> None:
    target = add("effect")
    said = Annotation(
        kind="cause", name="Ána  SILVA", predicate="led to", value="Rain", target=target, confidence=0.5,
        origin="model", occurred_at=datetime(1850, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    memory_id = add("cause")
    assert store.annotate(scope, memory_id, [said]) == 1
    assert store.annotations(scope, memory_id) == [said]


def test_saying_the_same_again_adds_nothing(store: Store, scope: Scope, add: Add) -> None:
    memory_id = add("x", annotations=(entity("Ana"), entity("Ana")))
    assert store.annotate(scope, memory_id, [entity("Ana"), entity("Ben"), entity("Ben")]) == 1
    assert store.annotations(scope, memory_id) == [entity("Ana"), entity("Ben")]


def test_names_are_matched_folded(store: Store, scope: Scope, add: Add) -> None:
    add("x", annotations=(entity("Ana  SILVA"),))
    with store.snapshot(scope, now=0, filters=Filters()) as reader:
        rows = reader.execute("SELECT name, label FROM visible_annotations WHERE name = 'ana silva'")
        assert list(rows) == [("ana silva", "Ana  SILVA")]


@pytest.mark.parametrize("where", ["nowhere", "another scope", "deleted"])
def test_an_annotation_points_to_a_live_memory_of_its_scope(store: Store, scope: Scope, add: Add, where: str) -> None:
    memory_id = add("x")
    target = "0190b8f0-1111-7abc-8def-000000000001"
    if where == "another scope":
        target = store.add(Scope("rival", "helper"), [NewMemory(content="x")]).stored[0].id
    elif where == "deleted":
        target = add("y")
        store.delete(scope, [target])
    with pytest.raises(MemoryRejected, match="no live memory of this scope"):
        store.annotate(scope, memory_id, [Annotation(kind="cause", target=target)])
    assert store.annotations(scope, memory_id) == []


def test_annotations_of_hidden_memories_are_hidden(store: Store, scope: Scope, add: Add) -> None:
    for name, fields in {"seen": {}, "external": {"trust": Trust.EXTERNAL}, "evicted": {}, "updated": {}}.items():
        memory_id = add(name, annotations=(entity(name),), **fields)
        if name == "evicted":
            store.evict(scope, [memory_id])
        if name == "updated":
            store.update(scope, memory_id, annotations=[entity("newer")])
    store.add(Scope("acme", "other"), [NewMemory(content="theirs", annotations=(entity("theirs"),))])
    filters = Filters(trust=frozenset({Trust.LEARNED, Trust.SYSTEM}))
    with store.snapshot(scope, now=0, filters=filters) as reader:
        names = {name for (name,) in reader.execute("SELECT name FROM visible_annotations")}
    assert names == {"seen", "newer"}


def test_a_past_moment_shows_what_was_said_then(store: Store, scope: Scope, clock: ManualClock, add: Add) -> None:
    memory_id = add("x", annotations=(entity("before"),))
    then = clock.moment
    clock.advance(timedelta(days=1))
    store.annotate(scope, memory_id, [entity("after")])
    store.update(scope, memory_id, content="y", annotations=[entity("newest")])
    with store.snapshot(scope, now=0, filters=Filters(record_as_of=then)) as reader:
        assert list(reader.execute("SELECT name FROM visible_annotations")) == [("before",)]


def found(*names: str) -> Callable[[Sequence[Memory]], list[list[Annotation]]]:
    """An extractor that finds these entities in every memory."""
    return lambda memories: [[entity(name, origin="extractor") for name in names] for _ in memories]


def test_entities_that_the_caller_names_are_all_there_are(store: Store, scope: Scope) -> None:
    rows = [NewMemory(content="named", annotations=(entity("Ana"),)), NewMemory(content="unnamed")]
    named, unnamed = (row.id for row in store.add(scope, rows, extract=found("Ben")).stored)
    assert [said.name for said in store.annotations(scope, named)] == ["Ana"]
    assert [said.name for said in store.annotations(scope, unnamed)] == ["Ben"]


def test_a_new_text_brings_no_entities_beside_those_that_the_caller_named(store: Store, scope: Scope, add: Add) -> None:
    memory_id = add("named", annotations=(entity("Ana"),))
    store.update(scope, memory_id, content="named anew", extract=found("Ben"))
    assert [said.name for said in store.annotations(scope, memory_id)] == ["Ana"]


def test_what_the_caller_says_of_another_kind_leaves_the_extractor_its_own(store: Store, scope: Scope) -> None:
    said = Annotation(kind="triple", name="Ana", predicate="likes", value="tea")
    (row,) = store.add(scope, [NewMemory(content="x", annotations=(said,))], extract=found("Ben")).stored
    assert [one.kind for one in store.annotations(scope, row.id)] == ["triple", "entity"]


def test_what_is_said_of_a_later_event_is_not_known_before_it(store: Store, scope: Scope, add: Add) -> None:
    early, late = datetime(2020, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)
    add("x", annotations=(entity("then", occurred_at=early), entity("later", occurred_at=late), entity("undated")))
    filters = Filters(event_as_of=datetime(2022, 1, 1, tzinfo=UTC))
    with store.snapshot(scope, now=0, filters=filters) as reader:
        assert sorted(reader.execute("SELECT name FROM visible_annotations")) == [("then",), ("undated",)]
