"""The chats with an assistant are well formed, and their two halves are alike."""

from __future__ import annotations

import itertools
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

from comis_core.evaluation import find_cases
from synthetic import assistant
from synthetic.assistant.script import Asked, Session, read_scripts
from synthetic.writing import Draft

AT_LEAST = {
    "said-by-user": 80,
    "said-by-assistant": 60,
    "adversarial": 18,
    "several": 16,
    "when": 15,
    "preference": 14,
    "update": 10,
}
"""Questions of each category, in both halves together."""

ONE_SESSION = ("said-by-user", "said-by-assistant", "preference", "update", "adversarial")
WORDS = {"user": (20, 90), "assistant": (40, 150)}


@pytest.fixture(scope="module")
def scripts() -> tuple[list[Session], list[Asked]]:
    return read_scripts(assistant.SCRIPTS)


@pytest.fixture(scope="module")
def halves() -> tuple[Draft, Draft]:
    given, kept = assistant.drafts()
    return given, kept


def test_the_history_has_nine_hundred_turns_in_the_order_of_their_times(halves: tuple[Draft, Draft]) -> None:
    rows = halves[0].memories
    assert len(rows) >= 900
    assert len({row["session"] for row in rows}) >= 180
    moments = [datetime.fromisoformat(row["created_at"]) for row in rows]
    assert all(one < other for one, other in itertools.pairwise(moments))
    assert 230 <= (moments[-1] - moments[0]).days <= 250


def test_at_least_seventy_sessions_are_asked_about_and_sixty_are_not(
    scripts: tuple[list[Session], list[Asked]],
) -> None:
    sessions, asked = scripts
    needles = {name.split("/")[0] for each in asked for name in each.gold}
    assert len(needles) >= 70
    assert len({session.name for session in sessions} - needles) >= 60


def test_turns_alternate_and_are_as_long_as_in_real_chats(scripts: tuple[list[Session], list[Asked]]) -> None:
    for session in scripts[0]:
        assert [said.sender for said in session.turns] == ["user", "assistant"] * (len(session.turns) // 2)
        assert 4 <= len(session.turns) <= 10, session.name
        for said in session.turns:
            fewest, most = WORDS[said.sender]
            assert fewest <= len(said.text.split()) <= most, (session.name, said.text)


def test_sessions_and_their_labels_have_names_of_their_own(scripts: tuple[list[Session], list[Asked]]) -> None:
    sessions, _ = scripts
    assert len({session.name for session in sessions}) == len(sessions)
    for session in sessions:
        labels = [said.label for said in session.turns if said.label]
        assert len(set(labels)) == len(labels), session.name


def test_every_label_is_asked_for_and_every_gold_is_there(scripts: tuple[list[Session], list[Asked]]) -> None:
    sessions, asked = scripts
    labels = {f"{session.name}/{said.label}" for session in sessions for said in session.turns if said.label}
    assert {name for each in asked for name in each.gold} == labels


def test_gold_is_said_by_whom_the_category_names_and_in_as_many_sessions(halves: tuple[Draft, Draft]) -> None:
    rows = {row["id"]: row for row in halves[0].memories}
    for question in (question for half in halves for question in half.questions):
        gold = [rows[id] for id in question["relevant"]]
        if question["category"] in ONE_SESSION:
            assert len(gold) == 1, question["text"]
        if question["category"] == "several":
            assert len({row["session"] for row in gold}) >= 2, question["text"]
        senders = {row["sender"] for row in gold}
        if question["category"] != "adversarial":
            asked_for = "assistant" if question["category"] == "said-by-assistant" else "user"
            assert senders == {asked_for}, question["text"]


def test_every_category_has_enough_questions(halves: tuple[Draft, Draft]) -> None:
    counts = Counter(question["category"] for half in halves for question in half.questions)
    assert counts.keys() == AT_LEAST.keys()
    assert all(counts[category] >= least for category, least in AT_LEAST.items())


def test_no_question_is_asked_twice(halves: tuple[Draft, Draft]) -> None:
    texts = [question["text"] for half in halves for question in half.questions]
    assert len(set(texts)) == len(texts)


def test_the_halves_share_the_history_and_no_question(halves: tuple[Draft, Draft]) -> None:
    given, kept = halves
    assert given.memories == kept.memories
    assert not {question["id"] for question in given.questions} & {question["id"] for question in kept.questions}


def test_the_halves_are_of_equal_make_up(halves: tuple[Draft, Draft]) -> None:
    given, kept = (Counter(question["category"] for question in half.questions) for half in halves)
    assert all(abs(given[category] - kept[category]) <= 1 for category in AT_LEAST)
    assert abs(given.total() - kept.total()) <= 2


def test_the_same_chats_come_every_time(halves: tuple[Draft, Draft]) -> None:
    assert tuple(assistant.drafts()) == halves


def test_each_half_is_a_case_that_can_be_read(halves: tuple[Draft, Draft], tmp_path: Path) -> None:
    for half in halves:
        half.write(tmp_path)
    cases = find_cases(tmp_path / "assistant")
    assert [case.name for case in cases] == ["given", "kept"]
    for case, half in zip(cases, halves, strict=True):
        assert [question.text for question in case.questions] == [row["text"] for row in half.questions]
        assert all(question.now == assistant.NOW for question in case.questions)
        assert case.last_moment < assistant.NOW


def test_a_line_that_is_nothing_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("== 2024-02-06 19:40 one\nU: Hello there.\nB: What?\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"bad\.txt:3"):
        read_scripts(tmp_path)
