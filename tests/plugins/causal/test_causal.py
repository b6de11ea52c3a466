"""One hop along what was said to cause what, on a real store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import comis_core
from comis_core.clock import ManualClock
from comis_core.model import Annotation
from comis_plugins import causal
from comis_plugins.causal.options import CausalOptions

ON = {"embedding": "none", "rag": {"lanes": {"causal": {"enabled": True}}}}
OFF = {"embedding": "none", "rag": {"lanes": {"causal": {"enabled": False}}}}


def opened(path: Path, overrides: dict[str, object]) -> comis_core.Engine:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    return comis_core.open(path, preset="tuned", overrides=overrides, clock=clock)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[comis_core.Agent]:
    with opened(tmp_path / "m.db", ON) as engine:
        yield engine.agent()


def linked(agent: comis_core.Agent, confidence: float = 1.0) -> tuple[str, str]:
    cause = agent.store("The river rose above its banks.").id
    effect = agent.store("Everybody slept at the school.").id
    agent.annotate(cause, Annotation(kind="cause", target=effect, confidence=confidence))
    return cause, effect


def found(agent: comis_core.Agent, query: str) -> dict[str, int]:
    """Memories that the expander found, with their ranks."""
    items = agent.recall(query, min_score=0.0)
    return {item.memory.id: item.sources["causal"] for item in items if "causal" in item.sources}


def test_an_effect_is_found_by_its_cause(agent: comis_core.Agent) -> None:
    _, effect = linked(agent)
    assert found(agent, "river banks")[effect] == 1


def test_a_cause_is_found_by_its_effect(agent: comis_core.Agent) -> None:
    cause, _ = linked(agent)
    assert found(agent, "slept school")[cause] == 1


def test_switched_off_nothing_is_followed(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db", OFF) as engine:
        _, effect = linked(engine.agent())
        assert effect not in found(engine.agent(), "river banks")


def test_without_edges_it_finds_nothing(agent: comis_core.Agent) -> None:
    agent.store("The river rose above its banks.")
    agent.store("Everybody slept at the school.")
    assert found(agent, "river banks") == {}


def test_what_was_deleted_or_evicted_is_no_effect(agent: comis_core.Agent) -> None:
    _, effect = linked(agent)
    agent.evict(effect)
    assert effect not in found(agent, "river banks")
    agent.restore(effect)
    agent.delete(effect)
    assert effect not in found(agent, "river banks")


def test_an_edge_without_confidence_claims_nothing(agent: comis_core.Agent) -> None:
    _, effect = linked(agent, confidence=0.0)
    assert effect not in found(agent, "river banks")


def test_a_circle_ends(agent: comis_core.Agent) -> None:
    cause, effect = linked(agent)
    agent.annotate(effect, Annotation(kind="cause", target=cause))
    agent.annotate(cause, Annotation(kind="cause", target=cause))
    assert effect in found(agent, "river banks")
    assert {item.memory.id for item in agent.recall("river banks", min_score=0.0)} == {cause, effect}


def test_the_documented_defaults() -> None:
    assert CausalOptions() == CausalOptions(enabled=True, weight=1.0)
    (spec,) = causal.comis_expanders()
    assert (spec.name, spec.sections[0].path) == ("causal", "rag.lanes.causal")
