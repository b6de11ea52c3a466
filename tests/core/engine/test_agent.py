"""The facade people call."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

import comis_core
from comis_core.clock import ManualClock
from comis_core.errors import ComisError, MemoryRejected, NotFoundError
from comis_core.model import Annotation, NewMemory, Trust


def contents(recall: comis_core.Recall) -> list[str]:
    return [item.memory.content for item in recall]


def test_what_is_stored_is_recalled_with_its_reasons(engine: comis_core.Engine) -> None:
    agent = engine.agent("helper", tenant="acme")
    stored = agent.store("Ana moved to Lisbon in March.", sender="ana")
    recall = agent.recall("Where did Ana move?", sender="ana")
    assert [item.memory.id for item in recall] == [stored.id]
    assert "Ana moved to Lisbon" in recall.text
    assert "fts #1" in recall.items[0].why


def test_the_same_text_again_is_the_same_memory(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    first, second = agent.store("Tea at four.", sender="ana"), agent.store("tea  at FOUR.", sender="ana")
    assert (second.id, second.duplicate) == (first.id, True)
    assert agent.count() == 1


def test_the_same_text_from_somebody_else_is_folded_in_the_answer(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    one, other = agent.store("Tea at four.", sender="ana"), agent.store("Tea at four.", sender="bob")
    (item,) = agent.recall("tea at four")
    assert {item.memory.id, *item.folded} == {one.id, other.id}


def test_a_batch_refuses_bad_rows_by_index_and_keeps_the_rest(engine: comis_core.Engine) -> None:
    rows = [NewMemory(content=f"row {number}") for number in range(100)]
    rows[17] = NewMemory(content="has a \0 in it")
    rows[42] = NewMemory(content="   ")
    result = engine.agent().store_many(rows)
    assert [row.index for row in result.rejected] == [17, 42]
    assert len(result.stored) == 98


@pytest.mark.parametrize("content", ["", "  \n", "a\0b", "lone \ud800 surrogate", "x" * 70_000])
def test_a_text_that_breaks_a_rule_is_refused_with_a_reason(engine: comis_core.Engine, content: str) -> None:
    with pytest.raises(MemoryRejected):
        engine.agent().store(content)
    assert engine.agent().count() == 0


def test_a_naive_time_is_refused(engine: comis_core.Engine) -> None:
    with pytest.raises(MemoryRejected, match="time zone"):
        engine.agent().store("x", occurred_at=datetime(2026, 1, 1))


def test_an_unknown_field_is_answered_with_a_suggestion(engine: comis_core.Engine) -> None:
    with pytest.raises(ComisError, match="did you mean 'sender'"):
        engine.agent().store("x", sendr="ana")


def test_system_memories_need_an_admin_handle(engine: comis_core.Engine) -> None:
    with pytest.raises(MemoryRejected, match="system"):
        engine.agent().store("x", trust="system")
    assert engine.agent(admin=True).store("x", trust="system").trust is Trust.SYSTEM


@pytest.mark.parametrize("act", ["delete", "evict", "restore"])
def test_system_memories_are_taken_away_by_an_admin_handle_only(engine: comis_core.Engine, act: str) -> None:
    plain, admin = engine.agent(), engine.agent(admin=True)
    other = plain.store("mine").id
    rule = admin.store("a rule", trust="system").id
    if act == "restore":
        admin.evict(rule, other)
    with pytest.raises(MemoryRejected, match=f"{rule} has the trust 'system'.*admin=True") as refused:
        getattr(plain, act)(other, rule)
    assert refused.value.index == 1
    in_sight = {memory.id for memory in plain.browse().memories}
    assert in_sight == (set() if act == "restore" else {rule, other}), "nothing has changed"
    assert getattr(admin, act)(other, rule) == 2


def test_a_former_system_memory_is_anybodys(engine: comis_core.Engine) -> None:
    rule = engine.agent(admin=True).store("a rule", trust="system").id
    with pytest.raises(MemoryRejected, match="administrator"):
        engine.agent().update(rule, trust="learned")
    engine.agent(admin=True).update(rule, trust="learned")
    assert engine.agent().delete(rule) == 1


def test_an_update_keeps_the_prior_version(engine: comis_core.Engine, clock: ManualClock) -> None:
    agent = engine.agent()
    stored = agent.store("Ana works at Acme.")
    clock.advance(timedelta(days=1))
    agent.update(stored.id, content="Ana works at Globex.")
    assert [version.content for version in agent.history(stored.id)] == ["Ana works at Acme.", "Ana works at Globex."]
    assert agent.get(stored.id, as_of=datetime(2026, 3, 1, 13, tzinfo=UTC)).content == "Ana works at Acme."
    assert contents(agent.recall("where does Ana work")) == ["Ana works at Globex."]


def test_a_recall_as_of_an_earlier_moment_sees_what_was_known_then(
    engine: comis_core.Engine, clock: ManualClock
) -> None:
    agent = engine.agent()
    stored = agent.store("Ana works at Acme.")
    clock.advance(timedelta(days=1))
    agent.update(stored.id, content="Ana works at Globex.")
    then = comis_core.Filters(record_as_of=datetime(2026, 3, 1, 13, tzinfo=UTC))
    assert contents(agent.recall("where does Ana work", filters=then)) == ["Ana works at Acme."]


def test_what_is_deleted_is_gone_from_every_answer(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    stored = agent.store("The code is zanzibar.")
    assert agent.delete(stored.id) == 1
    assert not agent.recall("zanzibar").items
    with pytest.raises(NotFoundError):
        agent.get(stored.id)
    assert agent.delete(stored.id) == 0


def test_eviction_hides_and_restoring_shows_again(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    stored = agent.store("The code is zanzibar.")
    assert agent.evict(stored.id) == 1
    assert not agent.recall("zanzibar").items
    assert agent.get(stored.id).evicted_at is not None
    assert agent.restore(stored.id) == 1
    assert len(agent.recall("zanzibar")) == 1


def test_an_expired_memory_is_not_recalled(engine: comis_core.Engine, clock: ManualClock) -> None:
    agent = engine.agent()
    agent.store("The voucher is zanzibar.", expires_at=clock.now() + timedelta(days=1))
    assert len(agent.recall("zanzibar")) == 1
    clock.advance(timedelta(days=2))
    assert not agent.recall("zanzibar").items


def test_clearing_keeps_system_and_pinned_memories(engine: comis_core.Engine) -> None:
    agent = engine.agent(admin=True)
    agent.store("plain")
    kept = {agent.store("pinned", pinned=True).id, agent.store("of the system", trust="system").id}
    assert agent.clear() == 1
    assert {memory.id for memory in agent.browse().memories} == kept


def test_external_memories_are_left_out_unless_asked_for(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    agent.store("The web says zanzibar.", trust="external")
    assert not agent.recall("zanzibar").items
    allowed = comis_core.Filters(trust=frozenset({Trust.EXTERNAL}))
    assert len(agent.recall("zanzibar", filters=allowed)) == 1


def test_annotations_come_back_as_they_were_said(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    stored = agent.store("Ana works at Acme.", annotations=[Annotation(kind="entity", name="Acme")])
    agent.annotate(stored.id, Annotation(kind="triple", name="Ana", predicate="works_at", value="Acme"))
    assert [note.kind for note in agent.annotations(stored.id)] == ["entity", "triple"]


def test_browse_pages_through_everything_once(engine: comis_core.Engine, clock: ManualClock) -> None:
    agent = engine.agent()
    for number in range(7):
        agent.store(f"memory {number}")
        clock.advance(timedelta(minutes=1))
    first = agent.browse(limit=3)
    second = agent.browse(limit=3, cursor=first.cursor)
    third = agent.browse(limit=3, cursor=second.cursor)
    found = [memory.content for page in (first, second, third) for memory in page.memories]
    assert found == [f"memory {number}" for number in reversed(range(7))]
    assert third.cursor is None


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_an_empty_question_is_answered_by_a_note(engine: comis_core.Engine, query: str) -> None:
    recall = engine.agent().recall(query)
    assert not recall.items
    assert any("empty" in note for note in recall.notes)


def test_a_question_that_is_no_text_is_an_error(engine: comis_core.Engine) -> None:
    with pytest.raises(ComisError, match="a query is a string"):
        engine.agent().recall(None)  # type: ignore[arg-type]


def test_two_recalls_are_the_same_but_for_their_timing(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    agent.store_many([NewMemory(content=f"Ana saw {number} birds in Lisbon") for number in range(50)])
    engine.drain()  # what still waits in the background is told in a note
    one, two = agent.recall("birds in Lisbon"), agent.recall("birds in Lisbon")
    assert (one.items, one.text, one.notes) == (two.items, two.text, two.notes)
    assert one.trace.inputs == two.trace.inputs
    assert one.trace.candidates == two.trace.candidates


def test_why_not_names_the_stage_where_a_memory_was_lost(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    agent.store("Ana saw birds in Lisbon")
    other = agent.store("Bob sells cars")
    assert "none of fts" in agent.why_not("birds", other.id)


def test_a_plain_handle_cannot_replace_a_system_memory(engine: comis_core.Engine) -> None:
    rule = engine.agent(admin=True).store("Never give a phone number.", trust="system").id
    with pytest.raises(MemoryRejected, match="administrator"):
        engine.agent().store("Give any phone number.", supersedes=[rule])
    other = engine.agent().store("Give any number.").id
    with pytest.raises(MemoryRejected, match="administrator"):
        engine.agent().annotate(other, Annotation(kind="supersedes", target=rule))
    assert [said.kind for said in engine.agent().annotations(other) if said.kind == "supersedes"] == []


@pytest.mark.parametrize(
    "said",
    [
        Annotation(kind="triple", name="Ana", predicate="lives_in", value="Mars"),
        Annotation(kind="entity", name="Ana"),
        Annotation(kind="alias", name="Ana", value="Bob"),
        Annotation(kind="of a plugin", value="whatever"),
    ],
)
def test_a_plain_handle_says_nothing_with_the_word_of_the_system(engine: comis_core.Engine, said: Annotation) -> None:
    rule = engine.agent(admin=True).store("Never give a phone number.", trust="system").id
    plain = engine.agent()
    before = plain.annotations(rule)
    with pytest.raises(
        MemoryRejected, match=f"{rule} has the trust 'system' and gets {said.kind} from an administrator"
    ):
        plain.annotate(rule, said)
    assert plain.annotations(rule) == before
    engine.agent(admin=True).annotate(rule, said)
    assert [*before, said] == plain.annotations(rule)


def test_a_plain_handle_lets_no_system_memory_replace_another(engine: comis_core.Engine) -> None:
    rule = engine.agent(admin=True).store("Never give a phone number.", trust="system").id
    plain = engine.agent()
    fact = plain.store("The phone number is 5.").id
    with pytest.raises(MemoryRejected, match="gets supersedes from an administrator only"):
        plain.annotate(rule, Annotation(kind="supersedes", target=fact))


def test_a_plain_handle_says_what_a_system_memory_caused(engine: comis_core.Engine) -> None:
    rule = engine.agent(admin=True).store("Never give a phone number.", trust="system").id
    plain = engine.agent()
    refusal = plain.store("I gave no phone number.").id
    plain.link(rule, refusal)
    assert [(edge.cause, edge.effect) for edge in plain.links(refusal)] == [(rule, refusal)]


def test_an_admin_handle_replaces_a_system_memory(engine: comis_core.Engine) -> None:
    admin = engine.agent(admin=True)
    rule = admin.store("Never give a phone number.", trust="system").id
    new = admin.store("Never give any number.", trust="system", supersedes=[rule]).id
    assert admin.annotations(new)[0].target == rule
