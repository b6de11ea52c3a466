"""The loop on a real store: turns are counted, rates smoothed, ranks lifted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import comis_core
from comis_core import Filters
from comis_core.clock import ManualClock
from comis_core.errors import ComisError

OFF = {"embedding": "none", "rag": {"feedback": {"enabled": False}}}
ON = {"embedding": "none", "rag": {"feedback": {"enabled": True}}}


def opened(path: Path, overrides: dict[str, object]) -> comis_core.Engine:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    return comis_core.open(path, overrides=overrides, clock=clock)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[comis_core.Agent]:
    with opened(tmp_path / "m.db", ON) as engine:
        yield engine.agent()


def factor(agent: comis_core.Agent, query: str = "birds") -> float:
    return agent.recall(query).items[0].factors["usefulness"]


def end(agent: comis_core.Agent, turn: str, answer: str) -> None:
    recall = agent.recall("birds")
    agent.turn_ended("birds", answer, recalled=list(recall), session="s", turn=turn)


def test_a_memory_that_was_never_shown_is_neutral(agent: comis_core.Agent) -> None:
    agent.store("Ana saw birds in Lisbon")
    assert factor(agent) == 1.0


def test_a_use_lifts_by_the_smoothed_rate(agent: comis_core.Agent) -> None:
    agent.store("Ana saw birds in Lisbon")
    end(agent, "1", "Ana saw birds in Lisbon.")
    assert factor(agent) == pytest.approx(1 + 0.1 * (3 / 5 - 0.5))


def test_being_ignored_lowers(agent: comis_core.Agent) -> None:
    agent.store("Ana saw birds in Lisbon")
    end(agent, "1", "The train leaves at nine.")
    assert factor(agent) == pytest.approx(1 + 0.1 * (2 / 5 - 0.5))


def test_a_turn_counts_once_however_often_it_is_reported(agent: comis_core.Agent) -> None:
    agent.store("Ana saw birds in Lisbon")
    for _ in range(3):
        end(agent, "1", "Ana saw birds in Lisbon.")
    assert factor(agent) == pytest.approx(1 + 0.1 * (3 / 5 - 0.5))


def test_another_agents_turn_counts_nothing_here(agent: comis_core.Agent) -> None:
    stored = agent.store("Ana saw birds in Lisbon")
    other = agent.engine.agent("other")
    other.turn_ended("birds", "Ana saw birds in Lisbon", recalled=[stored.id], session="s", turn="1")
    assert factor(agent) == 1.0


def test_a_deleted_memory_takes_its_counters_along(agent: comis_core.Agent) -> None:
    stored = agent.store("Ana saw birds in Lisbon")
    end(agent, "1", "Ana saw birds in Lisbon.")
    agent.delete(stored.id)
    rows = agent.engine.store.write(lambda tx: list(tx.execute("SELECT * FROM feedback_uses")))
    assert rows == []


def test_counters_outlive_a_version(agent: comis_core.Agent) -> None:
    stored = agent.store("Ana saw birds in Lisbon")
    end(agent, "1", "Ana saw birds in Lisbon.")
    agent.update(stored.id, tags=("birds",))
    assert factor(agent) == pytest.approx(1 + 0.1 * (3 / 5 - 0.5))


def test_switched_off_nothing_is_read_counted_or_added(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db", OFF) as engine:
        agent = engine.agent()
        agent.store("Ana saw birds in Lisbon")
        before = agent.recall("birds")
        agent.turn_ended("birds", "Ana saw birds in Lisbon", recalled=list(before), session="s", turn="1")
        after = agent.recall("birds")
    assert "usefulness" not in after.items[0].factors
    assert (before.items, before.text) == (after.items, after.text)


def test_an_answer_about_a_past_moment_does_not_change_by_turns_reported_later(tmp_path: Path) -> None:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    with comis_core.open(tmp_path / "m.db", overrides=ON, clock=clock) as engine:
        agent = engine.agent()
        first, second = agent.store("Ana saw birds in Lisbon").id, agent.store("Ben saw birds in Porto").id
        asked = clock.now()
        clock.advance(timedelta(days=1))
        past = Filters(record_as_of=asked)
        before = agent.recall("birds", now=asked, filters=past)
        for turn in range(5):
            agent.turn_ended("q", "a", recalled=[first, second], cited=[second], session="s", turn=str(turn))
        after = agent.recall("birds", now=asked, filters=past)
        live = agent.recall("birds")
    assert before.items == after.items
    assert {item.factors["usefulness"] for item in after.items} == {1.0}
    assert {item.factors["usefulness"] for item in live.items} != {1.0}


def test_a_turn_needs_a_session_and_an_id(agent: comis_core.Agent) -> None:
    with pytest.raises(ComisError, match="session"):
        agent.turn_ended("q", "a", recalled=[], session="", turn="1")
