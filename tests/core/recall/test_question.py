"""How much of a question is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.recall import replay
from comis_core.recall.question import LONGEST, read_of
from tests.core.recall.conftest import Sandbox, lane, pipeline, ranking, steady

LINES = " ".join(f"word{number}" for number in range(20_000))


@pytest.mark.parametrize("text", ["", "where?", "x" * LONGEST, " where? \n"])
def test_a_question_of_ordinary_length_is_read_as_it_is(text: str) -> None:
    assert read_of(text) == (text, 0)


def test_both_ends_of_a_pasted_document_are_read_and_no_word_is_cut() -> None:
    read, unread = read_of(f"What does Ana think of this?\n{LINES}\nDid Bob agree?")
    assert read.startswith("What does Ana think of this?")
    assert read.endswith("Did Bob agree?")
    assert set(read.split()) <= set(f"What does Ana think of this? {LINES} Did Bob agree?".split())
    assert LONGEST - 202 < len(read) <= LONGEST
    assert unread > len(LINES) - LONGEST


@pytest.mark.parametrize("text", ["字" * 100_000, "x" * 100_000, "\ud800" * 100_000, "\u0301" * 100_000])
def test_a_text_without_spaces_is_cut_anywhere(text: str) -> None:
    read, unread = read_of(text)
    assert (len(read), unread) == (LONGEST - 1, len(text) - LONGEST + 2)


def test_white_space_around_a_question_is_not_its_length() -> None:
    assert read_of(" " * 5_000 + "where?" + "\n" * 5_000) == ("where?", 0)


@steady
@given(st.text(alphabet="ab \n字\u0301", min_size=LONGEST - 3, max_size=LONGEST + 300))
def test_what_is_read_and_what_is_not_are_the_whole(text: str) -> None:
    read, unread = read_of(text)
    assert len(read) <= LONGEST
    if unread:
        whole = text.strip()
        first, last = read[: read.index("\n", LONGEST // 2 - 101)], read
        assert whole.startswith(first)
        assert len(last) - 1 + unread == len(whole)
    else:
        assert read.strip() == text.strip()


def test_lanes_see_what_is_read_and_the_answer_says_what_is_not(sandbox: Sandbox) -> None:
    found = sandbox.remember("Ana moved to Lisbon.")
    asked = lane("a", ranking((found, 0.9)))
    text = f"Where does Ana live? {LINES}"
    read, unread = read_of(text)
    answer = sandbox.recall(pipeline(asked), text)
    assert asked.part.asked[0].query.text == read
    assert len(answer) == 1
    assert answer.notes == (
        f"the question is too long: {unread:,} characters in its middle were not read; "
        "put what is asked into its first or last 1,899 characters",
    )
    assert answer.trace.stages[0]["unread"] == unread


def test_a_question_that_is_read_as_a_whole_says_nothing_of_it(sandbox: Sandbox) -> None:
    answer = sandbox.search(pipeline(lane("a", ranking())), "where?")
    assert answer.notes == ()
    assert "unread" not in answer.trace.stages[0]


def test_a_replay_has_no_question_to_call_too_long(sandbox: Sandbox) -> None:
    walked = pipeline(lane("a", ranking((sandbox.remember("one"), 0.9))))
    first = sandbox.recall(walked, LINES)
    again = replay(walked, sandbox.store, first.trace.inputs)
    assert (again.items, again.notes) == (first.items, ())
