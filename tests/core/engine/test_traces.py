"""Stored traces: how an answer came about, looked at and walked again later."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

import comis_core
from comis_core.clock import ManualClock
from comis_core.engine import traces
from comis_core.engine.traces import ON_REQUEST
from comis_core.errors import NotFoundError
from comis_core.model import Annotation, NewMemory
from comis_core.store import connection

Open = Callable[..., comis_core.Engine]


def settings(**rag: Any) -> dict[str, Any]:
    return {"embedding": "none", "rag": rag}


@pytest.fixture
def opened(tmp_path: Path, clock: ManualClock) -> Iterator[Open]:
    engines: list[comis_core.Engine] = []

    def open_with(**rag: Any) -> comis_core.Engine:
        engines.append(comis_core.open(tmp_path / "memory.db", overrides=settings(**rag), clock=clock))
        return engines[-1]

    yield open_with
    for engine in engines:
        engine.close()


@pytest.fixture
def agent(opened: Open) -> comis_core.Agent:
    agent = opened().agent()
    agent.store_many([
        NewMemory(content=f"Ana saw {number} birds in Lisbon", sender=f"witness {number}", tags=("secretive",))
        for number in range(12)
    ])
    return agent


def kept(agent: comis_core.Agent, query: str = "birds in Lisbon", **options: Any) -> str:
    trace_id = agent.recall(query, keep_trace=True, **options).trace_id
    assert trace_id is not None
    return trace_id


def test_nothing_is_kept_unless_somebody_asks(agent: comis_core.Agent) -> None:
    assert agent.recall("birds").trace_id is None
    assert agent.search("birds").trace_id is None
    assert agent.traces() == []


def test_the_config_may_ask_and_a_call_may_decline(opened: Open) -> None:
    agent = opened(traces={"keep": 2}).agent()
    agent.store("Ana saw birds")
    ids = [agent.recall(f"birds {number}").trace_id for number in range(4)]
    assert [each.id for each in agent.traces()] == [ids[3], ids[2]]
    assert agent.recall("birds", keep_trace=False).trace_id is None
    assert len(agent.traces()) == 2


def test_what_calls_ask_for_is_bounded_too(agent: comis_core.Agent) -> None:
    first = kept(agent)
    for _ in range(ON_REQUEST):
        kept(agent)
    assert len(agent.traces(limit=2 * ON_REQUEST)) == ON_REQUEST
    with pytest.raises(NotFoundError, match="has no trace"):
        agent.trace(first)


def test_a_stored_trace_tells_what_the_trace_told(agent: comis_core.Agent, clock: ManualClock) -> None:
    answer = agent.recall("birds in Lisbon", keep_trace=True)
    assert answer.trace_id is not None
    stored = agent.trace(answer.trace_id)
    assert (stored.kind, stored.asked_at, stored.scope) == ("recall", clock.now(), agent.scope)
    assert stored.answer == tuple((item.memory.id, item.score) for item in answer)
    assert stored.trace.candidates == answer.trace.candidates
    assert len(stored.trace.stages) == len(answer.trace.stages)


@pytest.mark.parametrize("kind", ["recall", "search"])
def test_a_replay_gives_the_same_ranking(agent: comis_core.Agent, clock: ManualClock, kind: str) -> None:
    answer = getattr(agent, kind)("birds in Lisbon", keep_trace=True)
    agent.store("Bob saw birds in Lisbon too")
    clock.advance(timedelta(days=400))
    replayed = agent.replay(answer.trace_id)
    assert replayed.same
    assert [(item.memory.id, item.score) for item in replayed.now] == [(item.memory.id, item.score) for item in answer]
    assert replayed.gone == ()


def test_a_replay_says_what_has_gone(agent: comis_core.Agent) -> None:
    answer = agent.recall("birds in Lisbon", keep_trace=True)
    assert answer.trace_id is not None
    best = answer.items[0].memory.id
    agent.delete(best)
    replayed = agent.replay(answer.trace_id)
    assert not replayed.same
    assert replayed.gone == (best,)
    assert any("have gone since" in note for note in replayed.now.notes)


def used(agent: comis_core.Agent, trace_id: str) -> None:
    last = agent.trace(trace_id).answer[-1][0]
    for turn in range(3):
        agent.turn_ended("birds?", "birds", recalled=[last], cited=[last], session="s", turn=str(turn))


def confirmed(agent: comis_core.Agent, trace_id: str) -> None:
    agent.update(agent.trace(trace_id).answer[-1][0], proof_count=40)


def replaced(agent: comis_core.Agent, trace_id: str) -> None:
    agent.store("Nobody saw anything", supersedes=[agent.trace(trace_id).answer[0][0]])


def put_above_another(agent: comis_core.Agent, trace_id: str) -> None:
    (first, _), *_, (last, _) = agent.trace(trace_id).answer
    agent.annotate(last, Annotation(kind="supersedes", target=first))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (used, "the factor usefulness of 1 memory is another one"),
        (confirmed, "1 of 12 candidates are not in sight any more (deleted, updated, evicted or expired)"),
        (replaced, "1 memory came that replaced a candidate since"),
        (put_above_another, "the order is another one from the stage conflict on"),
    ],
)
def test_a_replay_says_what_in_the_store_made_the_difference(
    agent: comis_core.Agent, change: Callable[[comis_core.Agent, str], None], reason: str
) -> None:
    trace_id = kept(agent, max_results=4)
    assert agent.replay(trace_id).reasons == ()
    change(agent, trace_id)
    replayed = agent.replay(trace_id)
    assert not replayed.same
    assert any(reason in said for said in replayed.reasons), replayed.reasons


@pytest.mark.parametrize(
    ("rag", "reason"),
    [
        ({"fusion": {"method": "score"}}, "the fusion is 'score' now, it was 'rrf'"),
        ({"scoring": {"recencyAlpha": 0.9}}, "the factor recency of 15 memories is another one"),
        ({"forget": {"enabled": False}}, "the factor forget is no part of it now"),
        ({"mmr": {"lambda": 0.1}}, "the order is another one from the stage diversity on"),
    ],
)
def test_a_replay_says_what_in_the_pipeline_made_the_difference(
    opened: Open, agent: comis_core.Agent, clock: ManualClock, rag: dict[str, Any], reason: str
) -> None:
    agent.store_many([NewMemory(content=words) for words in ("Storks are birds", "Lisbon", "birds, birds")])
    clock.advance(timedelta(days=40))
    trace_id = kept(agent, max_results=4)
    replayed = opened(**rag).agent().replay(trace_id)
    assert not replayed.same
    assert any(reason in said for said in replayed.reasons), replayed.reasons


def test_a_replay_names_what_was_not_in_the_answer_then(agent: comis_core.Agent) -> None:
    trace_id = kept(agent)
    successor = agent.store("Nobody saw anything", supersedes=[agent.trace(trace_id).answer[0][0]])
    assert agent.replay(trace_id).come == (successor.id,)


def test_a_replay_works_from_another_process(opened: Open, agent: comis_core.Agent) -> None:
    trace_id = kept(agent)
    assert opened().agent().replay(trace_id).same


def test_why_not_is_answered_from_what_was_kept(agent: comis_core.Agent) -> None:
    other = agent.store("Bob sells cars")
    trace_id = kept(agent, max_results=2)
    assert "found it among its best" in agent.why_not_then(trace_id, other.id)
    stored = agent.trace(trace_id)
    surplus = next(id for id, row in stored.trace.candidates.items() if row["left"] == "budget")
    assert "the answer was full" in agent.why_not_then(trace_id, surplus)
    assert "in the answer, at place 1" in agent.why_not_then(trace_id, stored.answer[0][0])


def test_a_filter_on_tags_is_not_kept_and_that_is_said(agent: comis_core.Agent) -> None:
    other = agent.store("Bob saw birds in Porto")
    trace_id = kept(agent, filters=comis_core.Filters(tags=frozenset({"secretive"})))
    assert agent.replay(trace_id).same
    assert "the filter on tags hid it, which a stored trace does not keep" in agent.why_not_then(trace_id, other.id)


def test_a_trace_holds_ids_and_numbers_and_nothing_that_was_written(agent: comis_core.Agent) -> None:
    kept(agent, "zanzibar birds", sender="mallory", filters=comis_core.Filters(tags=frozenset({"secretive"})))
    rows = agent.engine.store.read(lambda tx: list(tx.execute("SELECT record FROM traces")))
    words = json.dumps(rows).casefold()
    for written in ("zanzibar", "birds", "lisbon", "ana", "witness", "mallory", "secretive"):
        assert written not in words.replace("answer", "").replace("analyze", "").replace("analyzers", "")


def test_another_scope_does_not_see_it(agent: comis_core.Agent) -> None:
    trace_id = kept(agent)
    other = agent.engine.agent("other")
    assert other.traces() == []
    for call in (other.trace, other.replay, lambda unknown: other.why_not_then(unknown, unknown)):
        with pytest.raises(NotFoundError):
            call(trace_id)


@pytest.mark.parametrize("trace_id", ["", "nonsense", "0199c0de-0000-7000-8000-000000000000"])
def test_an_unknown_trace_is_told(agent: comis_core.Agent, trace_id: str) -> None:
    with pytest.raises(NotFoundError, match="has no trace"):
        agent.trace(trace_id)


def test_a_trace_that_cannot_be_kept_is_a_note(tmp_path: Path, agent: comis_core.Agent) -> None:
    with comis_core.open(tmp_path / "memory.db", overrides=settings(), read_only=True) as engine:
        answer = engine.agent().recall("birds in Lisbon", keep_trace=True)
    assert answer.items
    assert answer.trace_id is None
    assert any("the trace was not kept" in note for note in answer.notes)


def test_a_scope_that_holds_nothing_keeps_nothing(agent: comis_core.Agent) -> None:
    other = agent.engine.agent("nobody")
    assert other.recall("birds", keep_trace=True).trace_id is None
    assert other.scope not in agent.engine.scopes()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """The write lock is somebody else's."""
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@pytest.mark.parametrize("rag", [{"traces": {"keep": 10}}, {"traces": {"keep": 10}, "deadlineMs": 200}, {}])
def test_a_recall_answers_without_its_trace_while_somebody_else_writes(
    tmp_path: Path, opened: Open, agent: comis_core.Agent, rag: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nobody gives up a lock by himself.
    monkeypatch.setattr(connection, "BUSY_MILLISECONDS", 3_600_000)
    asking = opened(**rag).agent()
    keep_trace = None if rag else True
    with ThreadPoolExecutor(1) as threads, ExitStack() as lock:
        lock.enter_context(locked(tmp_path / "memory.db"))
        asked = threads.submit(asking.recall, "birds in Lisbon", keep_trace=keep_trace)
        try:
            answer = asked.result(timeout=20.0)
        finally:
            lock.close()
    assert len(answer) > 0
    assert answer.trace_id is None
    assert any("the trace was not kept" in note and "locked" in note for note in answer.notes)
    assert asking.traces() == []
    asking.turn_ended("birds?", "in Lisbon", recalled=answer, session="s", turn="t")
    again = asking.recall("birds in Lisbon", keep_trace=keep_trace)
    assert [trace.id for trace in asking.traces()] == [again.trace_id]


def test_a_recall_answers_without_its_trace_while_another_thread_writes(
    agent: comis_core.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces, "PATIENCE_SECONDS", 0.01)
    with ThreadPoolExecutor(1) as threads, agent.engine.store.transaction():
        answer = threads.submit(agent.recall, "birds in Lisbon", keep_trace=True).result(timeout=20.0)
        assert len(answer) > 0
        assert "the trace was not kept: another thread is still writing" in answer.notes
