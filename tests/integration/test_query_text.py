"""Whatever a user types is a question, through every entry point and under every preset."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import comis_core

HOSTILE = [
    "pre-edit",
    "a:b",
    '"',
    '"unclosed phrase',
    "x AND",
    "x OR",
    "NOT",
    "(y",
    "y)",
    "NEAR(",
    "NEAR(a b, 2)",
    "*",
    "^x",
    "content:x",
    "{a b}",
    "-",
    "--",
    "a + b",
    "'; DROP TABLE memories; --",
    "%",
    "?1",
    ":name",
    "\\",
    "\u202e\u200b",
    "\ud800",
    "a\0b",
]


@pytest.mark.parametrize("query", HOSTILE)
def test_no_text_is_syntax(agent: comis_core.Agent, query: str) -> None:
    stored = agent.store("the pre-edit of the letter b is content")
    for ask in (agent.recall, agent.search):
        answer = ask(query)
        assert not answer.degraded
        assert {item.memory.id for item in answer} <= {stored.id}


def test_a_hyphenated_word_is_found_by_itself_and_by_its_parts(agent: comis_core.Agent) -> None:
    agent.store("Run the pre-edit before Monday.")
    for query in ("pre-edit", "the edit", "preedit"):
        assert len(agent.recall(query)) == 1, query


def test_an_apostrophe_is_no_obstacle(agent: comis_core.Agent) -> None:
    agent.store("What comes next is the review.")
    for ask in (agent.recall, agent.search):
        assert len(ask("what's next?")) == 1


def test_words_far_apart_are_found_by_a_whole_question(agent: comis_core.Agent) -> None:
    agent.store("The budget for the garden was approved by the council after a long debate.")
    assert len(agent.recall("Which debate was about the budget?")) == 1


@pytest.mark.parametrize("identifier", ["om_x1", "gen-itgc", "foo.bar()", "src/app/main.py", "ana@example.org"])
def test_an_identifier_beside_chinese_is_found(agent: comis_core.Agent, identifier: str) -> None:
    stored = agent.store(f"{identifier} 测试 已完成")
    agent.store("something else entirely")
    for query in (identifier, f"{identifier} 测试", "测试"):
        assert [item.memory.id for item in agent.recall(query)] == [stored.id], query


@pytest.mark.parametrize("query", ["the and of", "who are you", "to be or not to be"])
def test_a_question_of_stop_words_still_searches(agent: comis_core.Agent, query: str) -> None:
    stored = agent.store(f"He asked: {query}?")
    assert [item.memory.id for item in agent.recall(query)] == [stored.id]


@pytest.mark.parametrize("query", ["???", "...", "!!! --- ,,,", "()[]{}"])
def test_a_question_of_punctuation_finds_nothing_and_fails_nowhere(agent: comis_core.Agent, query: str) -> None:
    agent.store("Are you sure???")
    assert not agent.recall(query).degraded


def test_an_emoji_is_a_word(agent: comis_core.Agent) -> None:
    stored = agent.store("Deploy went out 🦊 yesterday")
    agent.store("Nothing to see here")
    assert [item.memory.id for item in agent.recall("🦊")] == [stored.id]


def test_a_question_of_a_hundred_kilobytes_is_answered(agent: comis_core.Agent) -> None:
    stored = agent.store("The zanzibar code is 4711.")
    answer = agent.recall("lorem ipsum dolor " * 5_500 + "zanzibar")
    assert not answer.degraded
    assert {item.memory.id for item in answer} <= {stored.id}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=80))
def test_any_text_is_a_question(agent: comis_core.Agent, query: str) -> None:
    agent.store("the pre-edit of the letter b")
    assert not agent.recall(query).degraded
