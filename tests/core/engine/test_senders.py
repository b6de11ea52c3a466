"""What an agent says of its senders, in whole recalls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import comis_core
from comis_core.clock import ManualClock
from comis_core.errors import ConfigError
from comis_core.model import Recall

ALFRED = {"assistants": ["Alfred"]}


def config(**senders: Any) -> dict[str, Any]:
    """Agents of the preset `tuned`, by words alone, each with what it says of its senders."""
    agents = {name: {"preset": "tuned", "embedding": "none", "senders": said} for name, said in senders.items()}
    return {"agents": agents}


def chat(agent: comis_core.Agent, assistant: str) -> None:
    """Ana asks for advice, and an assistant gives it; then she says where her key is, and he takes it up."""
    lines = (
        ("ana", "How do I get the moss out of my lawn?"),
        (assistant, "Scarify the lawn in April and sow shade grass where the moss was."),
        ("ana", "I keep my spare key in the shed, under the moss bucket."),
        (assistant, "A spare key in the shed is easily found; take the spare key to a neighbour."),
    )
    for turn, (sender, said) in enumerate(lines):
        agent.store(said, sender=sender, session="s1", turn=turn)


def contents(recall: Recall) -> list[str]:
    return [item.memory.content for item in recall]


def asked(agent: comis_core.Agent, question: str) -> list[tuple[str, float]]:
    return [(item.memory.content, item.score) for item in agent.recall(question, sender="ana")]


QUESTIONS = ("Where do I keep my spare key?", "What did you recommend for the lawn?")


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_assistant_with_a_name_is_recalled_as_one_without(tmp_path: Path, question: str) -> None:
    with comis_core.open(tmp_path / "m.db", config=config(named=ALFRED, plain={}, unsaid={})) as engine:
        for name, sender in (("named", "Alfred"), ("plain", "assistant"), ("unsaid", "Alfred")):
            chat(engine.agent(name), sender)
        named, plain, unsaid = (asked(engine.agent(name), question) for name in ("named", "plain", "unsaid"))
    assert [content for content, _ in named] == [content for content, _ in plain]
    assert [score for _, score in named] == pytest.approx([score for _, score in plain], abs=0.02)
    assert unsaid != named


def test_two_agents_of_one_file_do_not_share_what_they_say_of_their_senders(tmp_path: Path) -> None:
    with comis_core.open(tmp_path / "m.db", config=config(one=ALFRED, other={})) as engine:
        one, other = engine.agent("one"), engine.agent("other")
        for agent in (one, other):
            chat(agent, "Alfred")
        texts = [agent.recall("moss in the lawn", sender="ana").text for agent in (one, other, one)]
    assert ['said by the assistant "Alfred"' in text for text in texts] == [True, False, True]
    assert 'said by "Alfred"' in texts[1]


def test_agents_of_every_tenant_have_the_senders_of_their_section(tmp_path: Path) -> None:
    with comis_core.open(tmp_path / "m.db", config=config(helper=ALFRED)) as engine:
        agent = engine.agent("helper", tenant="acme")
        chat(agent, "Alfred")
        assert 'said by the assistant "Alfred"' in agent.recall("moss in the lawn").text


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What did Alfred say about the moss?", "Scarify the lawn in April and sow shade grass where the moss was."),
        ("Alfred, where do I keep my spare key?", "I keep my spare key in the shed, under the moss bucket."),
        ("What did I tell Alfred about the key?", "I keep my spare key in the shed, under the moss bucket."),
    ],
)
def test_a_question_that_names_the_assistant_finds_who_is_meant(tmp_path: Path, question: str, first: str) -> None:
    with comis_core.open(tmp_path / "m.db", config=config(helper=ALFRED)) as engine:
        agent = engine.agent("helper")
        chat(agent, "Alfred")
        assert contents(agent.recall(question, sender="ana"))[0] == first


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Alfred, where does Ben keep his spare key?", "My spare key is on the hook; keep that spare."),
        ("Hey Alfred, where is Ben's spare key?", "My spare key is on the hook; keep that spare."),
        ("What did Ben say about his spare key, Alfred?", "My spare key is on the hook; keep that spare."),
    ],
)
def test_a_question_that_only_calls_the_assistant_finds_what_the_other_one_said(
    tmp_path: Path, question: str, first: str
) -> None:
    with comis_core.open(tmp_path / "m.db", config=config(helper=ALFRED)) as engine:
        agent = engine.agent("helper")
        chat(agent, "Alfred")
        agent.store("My spare key is on the hook; keep that spare.", sender="Ben", session="s2")
        assert contents(agent.recall(question, sender="ana"))[0] == first


@pytest.mark.parametrize("asker", ["Ben", "ana"])
def test_what_i_told_the_assistant_is_what_the_asker_said(tmp_path: Path, asker: str) -> None:
    with comis_core.open(tmp_path / "m.db", config=config(helper=ALFRED)) as engine:
        agent = engine.agent("helper")
        chat(agent, "Alfred")
        agent.store("I row on Sundays.", sender="Ben", session="s2")
        agent.store("What should I plant?", sender="ana", session="s2")
        agent.store("What should I read?", sender="Cy", session="s2")
        found = agent.recall("What did I tell Alfred?", sender=asker)
        assert {item.memory.sender for item in found} == {asker}


@pytest.mark.parametrize(("served", "said"), [("customer", False), ("Client ", False), ("user", True)])
def test_an_agent_is_the_assistant_in_the_prompt_unless_a_customer_speaks_in_the_scope(
    tmp_path: Path, served: str, said: bool
) -> None:
    with comis_core.open(tmp_path / "m.db", config=config(desk={})) as engine:
        agent = engine.agent("desk")
        agent.store("The refund takes five days.", sender="agent", session="s1")
        agent.store("My parcel is lost.", sender=served, session="s1")
        recall = agent.recall("How long does the refund take?", max_results=1)
        assert contents(recall) == ["The refund takes five days."]
        assert ("said by the assistant" in recall.text) is said


def test_a_change_of_senders_counts_at_once_for_what_is_stored_already(tmp_path: Path, clock: ManualClock) -> None:
    with comis_core.open(tmp_path / "m.db", config=config(helper=ALFRED), clock=clock) as engine:
        chat(engine.agent("helper"), "Alfred")
        expected = asked(engine.agent("helper"), QUESTIONS[0])
        engine.reconfigure(config(helper={}))
        unsaid = asked(engine.agent("helper"), QUESTIONS[0])
        engine.reconfigure(config(helper=ALFRED))
        engine.drain()
        assert asked(engine.agent("helper"), QUESTIONS[0]) == expected != unsaid
        assert not engine.store.pending()


def test_the_budget_counts_the_line_as_it_is_rendered(tmp_path: Path) -> None:
    with comis_core.open(tmp_path / "m.db", config=config(helper=ALFRED)) as engine:
        agent = engine.agent("helper")
        chat(agent, "Alfred")
        whole = agent.recall("moss in the lawn", sender="ana")
        room = len(whole.text)
        assert len(agent.recall("moss in the lawn", sender="ana", max_context_chars=room - 1).text) < room
        assert len(agent.recall("moss in the lawn", sender="ana", max_context_chars=room).text) <= room


def test_a_file_is_not_opened_with_a_sender_that_is_both(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="stands under assistants too"):
        comis_core.open(tmp_path / "m.db", config=config(helper={"assistants": ["Al"], "people": ["al"]}))
