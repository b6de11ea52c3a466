"""Neighbours in event time, on a real store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import comis_core
from comis_core.clock import ManualClock
from comis_plugins import temporal
from comis_plugins.temporal.options import TemporalOptions

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ON = {"embedding": "none", "rag": {"lanes": {"temporal": {"enabled": True, "windowDays": 7}}}}


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[comis_core.Agent]:
    clock = ManualClock(NOW)
    with comis_core.open(tmp_path / "m.db", preset="tuned", overrides=ON, clock=clock) as engine:
        yield engine.agent()


def at(agent: comis_core.Agent, content: str, days: float | None, base: datetime = NOW) -> str:
    moment = None if days is None else base + timedelta(days=days)
    return agent.store(content, occurred_at=moment).id


def ranks(agent: comis_core.Agent, query: str = "river banks") -> dict[str, int]:
    """Memories that the expander found, with their ranks."""
    items = agent.recall(query, min_score=0.0)
    return {item.memory.id: item.sources["temporal"] for item in items if "temporal" in item.sources}


@pytest.mark.parametrize(("days", "near"), [(0, True), (2, True), (-2, True), (30, False), (-30, False), (None, False)])
def test_a_neighbour_lies_within_the_window(agent: comis_core.Agent, days: float | None, near: bool) -> None:
    at(agent, "The river rose above its banks.", 0)
    other = at(agent, "Everybody slept at the school.", days)
    assert (other in ranks(agent)) is near


def test_the_nearer_stands_before_the_further(agent: comis_core.Agent) -> None:
    at(agent, "The river rose above its banks.", 0)
    near, far = at(agent, "Everybody slept at the school.", 1), at(agent, "The bakery gave away bread.", 4)
    found = ranks(agent)
    assert found[near] < found[far]


def test_without_event_times_nothing_is_found(agent: comis_core.Agent) -> None:
    at(agent, "The river rose above its banks.", None)
    at(agent, "Everybody slept at the school.", None)
    assert ranks(agent) == {}


@pytest.mark.parametrize("year", [1850, 9999])
def test_ancient_and_future_dates_have_neighbours_too(agent: comis_core.Agent, year: int) -> None:
    base = datetime(year, 6, 1, tzinfo=UTC)
    at(agent, "The river rose above its banks.", 0, base)
    other = at(agent, "Everybody slept at the school.", 1, base)
    assert other in ranks(agent)


def test_a_leap_day_is_a_day(agent: comis_core.Agent) -> None:
    base = datetime(2024, 2, 28, tzinfo=UTC)
    at(agent, "The river rose above its banks.", 0, base)
    other = at(agent, "Everybody slept at the school.", 1, base)
    assert other in ranks(agent)


def test_another_scope_has_no_neighbours_here(agent: comis_core.Agent) -> None:
    at(agent, "The river rose above its banks.", 0)
    foreign = at(agent.engine.agent("other"), "Everybody slept at the school.", 0)
    assert foreign not in ranks(agent)


def test_the_documented_defaults() -> None:
    assert TemporalOptions() == TemporalOptions(enabled=True, weight=1.0, window_days=7.0)
    (spec,) = temporal.comis_expanders()
    assert (spec.name, spec.sections[0].path) == ("temporal", "rag.lanes.temporal")
