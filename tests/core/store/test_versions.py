from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from comis_core.clock import ManualClock
from comis_core.errors import ComisError, MemoryRejected, NotFoundError
from comis_core.model import Annotation, MemoryType, NewMemory, Scope, Trust
from comis_core.store import Store

Add = Callable[..., str]
DAY = timedelta(days=1)
SAID = Annotation(kind="entity", name="Ana")
MODELLED = Annotation(kind="entity", name="Ben", origin="model")
FOUND = Annotation(kind="entity", name="Cid", origin="extractor")


def test_an_update_opens_a_version_under_the_same_id(store: Store, scope: Scope, clock: ManualClock, add: Add) -> None:
    memory_id = add("Ana lives in Porto.", sender="ana", tags=("home",))
    first = store.get(scope, memory_id)
    clock.advance(DAY)
    updated = store.update(scope, memory_id, content="Ana lives in Lisbon.")
    assert updated == store.get(scope, memory_id)
    assert (updated.id, updated.created_at, updated.opened_at) == (memory_id, first.created_at, clock.moment)
    assert (updated.content, updated.sender, updated.tags) == ("Ana lives in Lisbon.", "ana", ("home",))
    assert updated.fingerprint != first.fingerprint


def test_history_has_every_version_oldest_first(store: Store, scope: Scope, clock: ManualClock, add: Add) -> None:
    memory_id = add("one")
    for content in ("two", "three"):
        clock.advance(DAY)
        store.update(scope, memory_id, content=content)
    versions = store.history(scope, memory_id)
    assert [version.content for version in versions] == ["one", "two", "three"]
    assert [version.closed_at for version in versions] == [versions[1].opened_at, versions[2].opened_at, None]


def test_a_moment_of_record_time_has_its_version(store: Store, scope: Scope, clock: ManualClock, add: Add) -> None:
    memory_id = add("one")
    start: datetime = clock.moment
    clock.advance(DAY)
    store.update(scope, memory_id, content="two")
    assert store.get(scope, memory_id, as_of=start).content == "one"
    assert store.get(scope, memory_id, as_of=clock.moment - timedelta(microseconds=1)).content == "one"
    assert store.get(scope, memory_id, as_of=clock.moment).content == "two"
    with pytest.raises(NotFoundError):
        store.get(scope, memory_id, as_of=start - DAY)


def test_updates_within_one_microsecond_keep_their_order(store: Store, scope: Scope, add: Add) -> None:
    memory_id = add("one")
    store.update(scope, memory_id, content="two")
    store.update(scope, memory_id, content="three")
    assert [version.content for version in store.history(scope, memory_id)] == ["one", "two", "three"]
    assert store.get(scope, memory_id).content == "three"


def test_a_clock_that_went_back_does_not_turn_history_round(
    store: Store, scope: Scope, clock: ManualClock, add: Add
) -> None:
    memory_id = add("one")
    clock.advance(-DAY)
    updated = store.update(scope, memory_id, content="two")
    assert updated.opened_at == clock.moment + DAY


def test_an_update_that_changes_nothing_opens_no_version(store: Store, scope: Scope, add: Add) -> None:
    memory_id = add("one", tags=("a",))
    assert store.update(scope, memory_id, content="one", tags=("a",)) == store.get(scope, memory_id)
    assert len(store.history(scope, memory_id)) == 1


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"content": " "}, MemoryRejected, "empty"),
        ({"confidence": 2.0}, MemoryRejected, "0..1"),
        ({"trust": Trust.SYSTEM}, MemoryRejected, "administrator"),
        ({"id": "x"}, TypeError, "id"),
        ({"created_at": datetime(2020, 1, 1)}, ComisError, "created_at cannot be changed"),
        ({"mood": "good"}, ComisError, "mood cannot be changed"),
    ],
)
def test_a_bad_update_changes_nothing(
    store: Store, scope: Scope, add: Add, fields: dict[str, Any], error: type[Exception], words: str
) -> None:
    memory_id = add("one")
    with pytest.raises(error, match=words):
        store.update(scope, memory_id, **fields)
    assert len(store.history(scope, memory_id)) == 1


def test_a_system_memory_is_changed_by_an_administrator_only(store: Store, scope: Scope, add: Add) -> None:
    memory_id = add("rule", trust=Trust.SYSTEM)
    with pytest.raises(MemoryRejected, match="administrator"):
        store.update(scope, memory_id, content="other rule")
    assert store.update(scope, memory_id, content="other rule", allow_system=True).trust is Trust.SYSTEM


def test_an_evicted_memory_stays_evicted_through_an_update(store: Store, scope: Scope, add: Add) -> None:
    memory_id = add("one")
    store.evict(scope, [memory_id])
    assert store.update(scope, memory_id, content="two").evicted_at is not None
    assert store.count(scope) == 0


@pytest.mark.parametrize("act", ["get", "history", "annotated", "update", "annotate", "annotations"])
@pytest.mark.parametrize("where", ["other scope", "unknown", "malformed"])
def test_what_a_scope_does_not_have_is_not_found(store: Store, scope: Scope, add: Add, act: str, where: str) -> None:
    memory_id = add("one")
    asked = Scope("rival", "helper") if where == "other scope" else scope
    wanted = {"unknown": "0190b8f0-1111-7abc-8def-000000000001", "malformed": "x"}.get(where, memory_id)
    calls: dict[str, Callable[[], object]] = {
        "get": lambda: store.get(asked, wanted),
        "history": lambda: store.history(asked, wanted),
        "annotated": lambda: store.annotated_history(asked, wanted),
        "update": lambda: store.update(asked, wanted, content="two"),
        "annotate": lambda: store.annotate(asked, wanted, [SAID]),
        "annotations": lambda: store.annotations(asked, wanted),
    }
    with pytest.raises(NotFoundError, match=wanted):
        calls[act]()
    assert store.scopes() == [scope]


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({"content": "two"}, [SAID, MODELLED]),
        ({"title": "Two"}, [SAID, MODELLED]),
        ({"type": MemoryType.EPISODIC}, [SAID, MODELLED, FOUND]),
        ({"content": "two", "extract": lambda memories: [[FOUND]]}, [SAID, MODELLED]),
        ({"content": "two", "annotations": [], "extract": lambda memories: [[FOUND]]}, [FOUND]),
        ({"content": "two", "annotations": []}, []),
        ({"annotations": []}, [FOUND]),
        ({"annotations": [MODELLED]}, [MODELLED, FOUND]),
    ],
)
def test_what_was_said_moves_along_and_what_was_found_follows_the_text(
    store: Store, scope: Scope, add: Add, fields: dict[str, Any], kept: list[Annotation]
) -> None:
    memory_id = add("one", annotations=(SAID, MODELLED, FOUND))
    store.update(scope, memory_id, **fields)
    assert store.annotations(scope, memory_id) == kept


def test_a_moment_has_the_annotations_that_stood_then(store: Store, scope: Scope, clock: ManualClock, add: Add) -> None:
    memory_id = add("one", annotations=(SAID,))
    moments = [clock.moment]
    clock.advance(DAY)
    store.annotate(scope, memory_id, [MODELLED])
    moments.append(clock.moment)
    clock.advance(DAY)
    store.update(scope, memory_id, annotations=[FOUND])
    moments.append(clock.moment)
    expected = [[SAID], [SAID, MODELLED], [FOUND]]
    assert [store.annotations(scope, memory_id, as_of=moment) for moment in moments] == expected
    with pytest.raises(NotFoundError):
        store.annotations(scope, memory_id, as_of=moments[0] - DAY)


def test_history_has_what_stood_of_each_version_when_it_ended(
    store: Store, scope: Scope, clock: ManualClock, add: Add
) -> None:
    memory_id = add("one", annotations=(SAID,))
    clock.advance(DAY)
    store.annotate(scope, memory_id, [MODELLED])
    store.update(scope, memory_id, content="two", annotations=[])
    store.update(scope, memory_id, content="three", annotations=[FOUND])
    found = [(memory.content, said) for memory, said in store.annotated_history(scope, memory_id)]
    assert found == [("one", [SAID, MODELLED]), ("two", []), ("three", [FOUND])]


def test_an_update_that_another_one_overtook_goes_onto_what_is_there(store: Store, scope: Scope, add: Add) -> None:
    memory_id = add("one")
    overtaken: list[bool] = []

    class Overtaking:
        """An index whose preparation takes so long that somebody else writes meanwhile."""

        def prepare(self, memories: object) -> list[object]:
            if not overtaken:
                overtaken.append(True)
                store.update(scope, memory_id, title="Title")
            return [None]

        def apply(self, tx: object, changes: object) -> None:
            return

        def clear(self, tx: object) -> None:
            return

    store.attach("overtaking", Overtaking(), "1")  # type: ignore[arg-type]
    updated = store.update(scope, memory_id, content="two")
    assert (updated.title, updated.content) == ("Title", "two")


def test_an_updated_row_can_be_enqueued(store: Store, scope: Scope, add: Add) -> None:
    memory_id = add("one")
    seen: list[list[int]] = []
    store.update(scope, memory_id, content="two", enqueue=lambda tx, number, pks: seen.append(list(pks)))
    assert seen == [[2]]


def test_an_update_supersedes_only_within_its_scope(store: Store, scope: Scope, add: Add) -> None:
    theirs = store.add(Scope("rival", "helper"), [NewMemory(content="theirs")]).stored[0].id
    memory_id = add("one")
    with pytest.raises(MemoryRejected, match="no live memory of this scope"):
        store.update(scope, memory_id, annotations=[Annotation(kind="supersedes", target=theirs)])
