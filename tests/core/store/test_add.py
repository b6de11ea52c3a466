from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from comis_core.clock import ManualClock
from comis_core.model import Annotation, Memory, MemoryType, NewMemory, Scope, Trust
from comis_core.store import Store

MOMENT = datetime(1850, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
ID = "0190b8f0-1111-7abc-8def-000000000001"


def reason(store: Store, scope: Scope, memory: Any) -> str:
    """Why one row between two good ones is refused; the good ones go in."""
    result = store.add(scope, [NewMemory(content="before"), memory, NewMemory(content="after")])
    assert [row.index for row in result.rejected] == [1]
    assert len(result.stored) == len(result.pks) == 2
    return result.rejected[0].reason


def test_every_field_comes_back(store: Store, scope: Scope, clock: ManualClock) -> None:
    fields = {
        "content": "Ana moved to Lisbon.", "title": "Move", "type": MemoryType.EPISODIC, "trust": Trust.EXTERNAL,
        "sender": "ana", "channel": "mail", "session": "s1", "turn": 3, "tags": ("home", "city"), "key": "ana.home",
        "occurred_at": MOMENT, "expires_at": datetime(2999, 12, 31, tzinfo=UTC), "pinned": True, "proof_count": 4,
        "confidence": 0.5, "importance": 0.25, "source_ids": (ID,), "created_at": MOMENT,
    }  # fmt: skip
    stored = store.add(scope, [NewMemory(**fields)]).stored[0]  # type: ignore[arg-type]
    memory = store.get(scope, stored.id)
    assert {name: getattr(memory, name) for name in fields} == fields
    assert (memory.scope, memory.created_given, memory.closed_at, memory.evicted_at) == (scope, True, None, None)


def test_a_memory_of_its_own_time_is_stamped_by_the_clock(store: Store, scope: Scope, clock: ManualClock) -> None:
    memory = store.get(scope, store.add(scope, [NewMemory(content="x")]).stored[0].id)
    assert (memory.created_at, memory.opened_at, memory.created_given) == (clock.moment, clock.moment, False)
    assert memory.created_at.tzinfo is UTC


def test_a_time_in_another_zone_is_the_same_moment(store: Store, scope: Scope) -> None:
    there = datetime(2026, 1, 1, 1, 0, tzinfo=timezone(timedelta(hours=2)))
    stored = store.add(scope, [NewMemory(content="x", occurred_at=there)]).stored[0].id
    assert store.get(scope, stored).occurred_at == there


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"content": " \n\t"}, "content is empty"),
        ({"content": "a" * 65537}, "65,537 bytes"),
        ({"content": "é" * 32769}, "65,538 bytes"),
        ({"content": "a\0b"}, "NUL"),
        ({"content": "a\ud800"}, "lone surrogate"),
        ({"content": b"bytes"}, "must be a string"),
        ({"title": "a\ud800"}, "title has a lone surrogate"),
        ({"sender": "a\0"}, "sender has a NUL"),
        ({"sender": "x" * 513}, "513 characters"),
        ({"tags": ("a\0",)}, "tag has a NUL"),
        ({"tags": "home"}, "tags must be a tuple"),
        ({"tags": tuple(map(str, range(300)))}, "300 entries"),
        ({"type": "rumour"}, "type must be one of working, episodic"),
        ({"trust": "high"}, "trust must be one of external"),
        ({"trust": Trust.SYSTEM}, "administrator"),
        ({"turn": 2**63}, "turn"),
        ({"turn": "3"}, "whole number"),
        ({"occurred_at": datetime(2026, 1, 1)}, "occurred_at has no time zone"),
        ({"expires_at": datetime(2026, 1, 1)}, "expires_at has no time zone"),
        ({"created_at": "2026-01-01"}, "must be a datetime"),
        ({"pinned": 1}, "true or false"),
        ({"proof_count": 0}, "at least 1"),
        ({"proof_count": True}, "whole number"),
        ({"confidence": float("nan")}, "finite"),
        ({"confidence": float("inf")}, "finite"),
        ({"confidence": 1.1}, "0..1"),
        ({"importance": -0.1}, "importance must lie in 0..1"),
        ({"id": "no-uuid"}, "must be a UUID"),
        ({"source_ids": ("x",)}, "must be a UUID"),
        ({"supersedes": ("x",)}, "must be a UUID"),
        ({"supersedes": (ID,)}, "no live memory of this scope"),
        ({"annotations": (Annotation(kind=" "),)}, "kind is empty"),
        ({"annotations": (Annotation(kind="entity", origin="nobody"),)}, "origin must be one of"),
        ({"annotations": (Annotation(kind="entity", name="a\0"),)}, "NUL"),
        ({"annotations": (Annotation(kind="cause", target=ID),)}, "no live memory of this scope"),
        ({"annotations": ("ana",)}, "must be an Annotation"),
    ],
)
def test_a_bad_row_is_refused_with_its_index_and_the_rest_goes_in(
    store: Store, scope: Scope, fields: dict[str, Any], words: str
) -> None:
    assert words in reason(store, scope, NewMemory(**{"content": "x", **fields}))


def test_a_row_that_is_no_memory_is_refused(store: Store, scope: Scope) -> None:
    assert "a NewMemory is wanted" in reason(store, scope, {"content": "x"})


@pytest.mark.parametrize("content", ["a" * 65536, "é" * 32768, "𐍈" * 16384])
def test_64_kibibytes_are_stored_whole(store: Store, scope: Scope, content: str) -> None:
    assert store.get(scope, store.add(scope, [NewMemory(content=content)]).stored[0].id).content == content


def test_text_is_stored_in_nfc(store: Store, scope: Scope) -> None:
    stored = store.add(scope, [NewMemory(content="cafe\u0301", sender="Rene\u0301", tags=("e\u0301",))]).stored[0].id
    memory = store.get(scope, stored)
    assert (memory.content, memory.sender, memory.tags) == ("caf\u00e9", "Ren\u00e9", ("\u00e9",))


def test_an_empty_batch_stores_nothing(store: Store, scope: Scope) -> None:
    result = store.add(scope, [])
    assert (result.stored, result.rejected, result.pks) == ((), (), ())


def test_system_trust_needs_leave(store: Store, scope: Scope) -> None:
    result = store.add(scope, [NewMemory(content="x", trust=Trust.SYSTEM)], allow_system=True)
    assert result.stored[0].trust is Trust.SYSTEM


def test_a_given_id_and_record_time_are_kept(store: Store, scope: Scope) -> None:
    result = store.add(scope, [NewMemory(content="x", id=ID.upper(), created_at=MOMENT)])
    assert result.stored[0].id == ID
    assert store.get(scope, ID).created_at == MOMENT


@pytest.mark.parametrize("other", [Scope("acme", "helper"), Scope("rival", "helper")])
def test_an_id_that_is_taken_is_refused_in_every_scope(store: Store, scope: Scope, other: Scope) -> None:
    store.add(scope, [NewMemory(content="x", id=ID)])
    assert "is taken" in reason(store, other, NewMemory(content="y", id=ID))


def test_an_id_given_twice_in_a_batch_is_refused_the_second_time(store: Store, scope: Scope) -> None:
    result = store.add(scope, [NewMemory(content="x", id=ID), NewMemory(content="y", id=ID)])
    assert [row.index for row in result.rejected] == [1]


@pytest.mark.parametrize("again", ["Hello world", "hello  WORLD ", "Ｈｅｌｌｏ world"])
def test_the_same_text_is_the_same_memory(store: Store, scope: Scope, again: str) -> None:
    first = store.add(scope, [NewMemory(content="Hello world", sender="ana", session="s")])
    second = store.add(scope, [NewMemory(content=again, sender="ana", session="s")])
    assert second.stored[0].duplicate
    assert (second.stored[0].id, second.pks) == (first.stored[0].id, first.pks)
    assert store.count(scope) == 1


def test_the_same_text_twice_in_a_batch_is_one_memory(store: Store, scope: Scope) -> None:
    result = store.add(scope, [NewMemory(content="x"), NewMemory(content="y"), NewMemory(content="X")])
    assert [row.duplicate for row in result.stored] == [False, False, True]
    assert result.stored[2].id == result.stored[0].id
    assert store.count(scope) == 2


@pytest.mark.parametrize(
    "fields", [{"sender": "ben"}, {"session": "other"}, {"trust": Trust.EXTERNAL}, {"content": "x y"}]
)
def test_another_sender_session_or_trust_makes_a_memory_of_its_own(
    store: Store, scope: Scope, fields: dict[str, Any]
) -> None:
    base: dict[str, Any] = {"content": "x", "sender": "ana", "session": "s"}
    store.add(scope, [NewMemory(**base)])
    assert not store.add(scope, [NewMemory(**{**base, **fields})]).stored[0].duplicate


def test_the_same_text_in_another_scope_is_another_memory(store: Store, scope: Scope) -> None:
    store.add(scope, [NewMemory(content="x")])
    assert not store.add(Scope("acme", "other"), [NewMemory(content="x")]).stored[0].duplicate


@pytest.mark.parametrize("way", ["evict", "expire", "update", "delete"])
def test_what_is_out_of_sight_does_not_swallow_a_new_memory(
    store: Store, scope: Scope, clock: ManualClock, add: Callable[..., str], way: str
) -> None:
    old = add("x", expires_at=clock.moment + timedelta(days=1))
    if way == "evict":
        store.evict(scope, [old])
    elif way == "expire":
        clock.advance(timedelta(days=1))
    elif way == "update":
        store.update(scope, old, content="y")
    else:
        store.delete(scope, [old])
    assert not store.add(scope, [NewMemory(content="x")]).stored[0].duplicate


def test_a_row_may_supersede_an_earlier_one_of_its_batch(store: Store, scope: Scope) -> None:
    result = store.add(scope, [NewMemory(content="old", id=ID), NewMemory(content="new", supersedes=(ID,))])
    assert not result.rejected
    assert store.annotations(scope, result.stored[1].id) == [Annotation(kind="supersedes", target=ID)]


def test_a_memory_of_another_scope_cannot_be_superseded(store: Store, scope: Scope) -> None:
    store.add(Scope("rival", "helper"), [NewMemory(content="theirs", id=ID)])
    assert "no live memory" in reason(store, scope, NewMemory(content="mine", supersedes=(ID,)))


def test_extracted_annotations_are_stored_with_the_given_ones(store: Store, scope: Scope) -> None:
    given, found = Annotation(kind="entity", name="Ana"), Annotation(kind="entity", name="Ben", origin="extractor")
    result = store.add(scope, [NewMemory(content="x", annotations=(given,))], annotations=[[found]])
    assert store.annotations(scope, result.stored[0].id) == [given, found]


def test_an_extractor_sees_the_rows_that_may_go_in(store: Store, scope: Scope) -> None:
    found = Annotation(kind="entity", name="Ana", origin="extractor")
    seen: list[str] = []

    def extract(memories: Sequence[Memory]) -> list[list[Annotation]]:
        seen.extend(memory.content for memory in memories)
        lost = Annotation(kind="cause", target=ID, origin="extractor")
        return [[found, Annotation(kind=" "), lost] for _ in memories]

    result = store.add(scope, [NewMemory(content=" "), NewMemory(content="Ana")], extract=extract)
    assert seen == ["Ana"]
    assert store.annotations(scope, result.stored[0].id) == [found]


def test_a_refusal_is_foretold_and_nothing_is_written(store: Store, scope: Scope) -> None:
    store.add(scope, [NewMemory(content="x", id=ID)])
    assert store.refusal(scope, NewMemory(content=" ")) == "content is empty"
    assert "is taken" in store.refusal(scope, NewMemory(content="y", id=ID))
    assert "no live memory" in store.refusal(scope, NewMemory(content="y", supersedes=(ID[:-1] + "9",)))
    assert store.refusal(scope, NewMemory(content="y", supersedes=(ID,))) == ""
    assert store.count(scope) == 1


def test_tasks_are_enqueued_for_new_rows_in_the_same_transaction(store: Store, scope: Scope) -> None:
    seen = []
    rows = [NewMemory(content="x"), NewMemory(content="x"), NewMemory(content="y")]
    result = store.add(scope, rows, enqueue=lambda tx, number, pks: seen.append((number, list(pks))))
    assert seen == [(1, [result.pks[0], result.pks[2]])]


def test_nothing_of_a_batch_is_stored_when_its_transaction_fails(store: Store, scope: Scope) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        store.add(scope, [NewMemory(content="x")], enqueue=fail)
    assert store.count(scope) == 0
    assert store.scopes() == []


def test_ids_made_here_are_uuids_of_version_7_that_grow(store: Store, scope: Scope, clock: ManualClock) -> None:
    result = store.add(scope, [NewMemory(content=str(number)) for number in range(100)])
    ids = [uuid.UUID(row.id) for row in result.stored]
    assert ids == sorted(ids)
    assert {(number.version, number.variant) for number in ids} == {(7, uuid.RFC_4122)}
    assert ids[0].int >> 80 == int(clock.moment.timestamp() * 1000)
