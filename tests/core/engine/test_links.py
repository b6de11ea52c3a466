"""Causes and effects as people say and list them."""

from __future__ import annotations

from datetime import timedelta

import pytest

import comis_core
from comis_core.clock import ManualClock
from comis_core.errors import ComisError, MemoryRejected, NotFoundError
from comis_core.links import Link
from comis_core.model import Annotation

NOBODY = "00000000-0000-7000-8000-000000000000"


def two(agent: comis_core.Agent) -> tuple[str, str]:
    return agent.store("The cable was cut.").id, agent.store("The cold store was warm.").id


def test_an_edge_is_listed_at_both_of_its_ends(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    cause, effect = two(agent)
    agent.link(cause, effect, 0.8)
    expected = [Link(cause=cause, effect=effect, confidence=0.8)]
    assert list(agent.links(cause)) == expected
    assert list(agent.links(effect)) == expected


def test_edges_come_surest_first_and_each_pair_once(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    cause, effect = two(agent)
    other = agent.store("The ice cream melted.").id
    agent.link(cause, effect, 0.4)
    agent.link(cause, effect, 0.6)
    agent.link(cause, other, 0.9)
    assert [(link.effect, link.confidence) for link in agent.links(cause)] == [(other, 0.9), (effect, 0.6)]


def test_a_memory_without_edges_has_none(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    assert list(agent.links(agent.store("alone").id)) == []


def test_what_a_model_said_is_marked_as_its_word(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    cause, effect = two(agent)
    agent.annotate(cause, Annotation(kind="cause", target=effect, confidence=0.5, origin="model"))
    assert [link.origin for link in agent.links(effect)] == ["model"]


@pytest.mark.parametrize("gone", ["cause", "effect"])
def test_a_deleted_end_takes_the_edge_with_it(engine: comis_core.Engine, gone: str) -> None:
    agent = engine.agent()
    ends = dict(zip(("cause", "effect"), two(agent), strict=True))
    agent.link(ends["cause"], ends["effect"])
    agent.delete(ends.pop(gone))
    assert list(agent.links(*ends.values())) == []


def test_an_evicted_end_hides_the_edge_until_it_is_back(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    cause, effect = two(agent)
    agent.link(cause, effect)
    agent.evict(effect)
    assert list(agent.links(cause)) == list(agent.links(effect)) == []
    agent.restore(effect)
    assert len(agent.links(cause)) == 1


def test_edges_stay_when_an_end_is_updated(engine: comis_core.Engine, clock: ManualClock) -> None:
    agent = engine.agent()
    cause, effect = two(agent)
    agent.link(cause, effect)
    clock.advance(timedelta(days=1))
    agent.update(cause, content="The cable was cut by a digger.")
    agent.update(effect, content="The cold store stood at nine degrees.")
    assert [(link.cause, link.effect) for link in agent.links(effect)] == [(cause, effect)]


def test_a_memory_cannot_be_its_own_cause(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    cause, _ = two(agent)
    with pytest.raises(ComisError, match="its own cause"):
        agent.link(cause, cause.upper())


def test_unknown_memories_are_an_error(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    cause, _ = two(agent)
    foreign = engine.agent("somebody else").store("theirs").id
    for ends in ((NOBODY, cause), (cause, NOBODY), (cause, foreign), (cause, "x")):
        with pytest.raises(NotFoundError):
            agent.link(*ends)
    with pytest.raises(NotFoundError):
        agent.links(NOBODY)


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_confidence_lies_between_nothing_and_certainty(engine: comis_core.Engine, confidence: float) -> None:
    agent = engine.agent()
    with pytest.raises(MemoryRejected, match="confidence"):
        agent.link(*two(agent), confidence)


def test_what_a_hit_caused_is_recalled(engine: comis_core.Engine) -> None:
    agent = engine.agent()
    cause, effect = two(agent)
    assert [item.memory.id for item in agent.recall("cable")] == [cause]
    agent.link(cause, effect)
    assert {item.memory.id for item in agent.recall("cable")} == {cause, effect}
