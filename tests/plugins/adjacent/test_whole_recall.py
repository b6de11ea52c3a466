"""Whole recalls with the expanders that look at who said what beside what."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import comis_core
from comis_core.model import NewMemory

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
EXPANDERS = ("adjacent", "session", "speaker", "dateWindow", "turnKind")
OFF: dict[str, Any] = {name: {"enabled": False} for name in ("temporal", "causal", "graphSpread")}


def order(
    folder: Path, memories: Sequence[NewMemory], question: str, *, expanders: Sequence[str], participants: bool = True
) -> list[str]:
    """The contents of an answer, best first, by words alone and with the given expanders."""
    rag: dict[str, Any] = {
        "fusion": {"method": "score"},
        "mmr": {"enabled": False},
        "entityLane": {"enabled": False},
        "queryUnderstanding": {"participants": participants},
        "lanes": {**OFF, **{name: {"enabled": True} for name in expanders}},
    }
    config = {"memory": {"recall": {"embeddingModel": "none"}}, "agents": {"default": {"rag": rag}}}
    with comis_core.open(folder / f"{len(expanders)}{participants}.db", config=config) as engine:
        agent = engine.agent("default")
        agent.store_many(memories, validate=False)
        engine.drain()
        recall = agent.recall(question, now=NOW, max_results=50, min_score=0.0)
        assert not recall.degraded
        return [item.memory.content for item in recall]


def turns(*lines: tuple[str, str | None, str | None]) -> list[NewMemory]:
    return [
        NewMemory(content=said, sender=who, session=session, turn=place, created_at=NOW - timedelta(minutes=60 - place))
        for place, (said, who, session) in enumerate(lines)
    ]


WORDS = ("I moved to Lisbon in May.", "Is Lisbon far?", "Lisbon, in May!", "The key is under the mat.", "May is warm?")


@pytest.mark.parametrize(
    ("who", "session"),
    [("user", "s1"), ("Ana", "s1"), (None, None), ("user", None)],
    ids=["user", "one", "notes", "loose"],
)
@pytest.mark.parametrize("question", ["When did Ben move to Lisbon?", "Lisbon", "Where is the key?"])
def test_where_only_one_person_speaks_everything_stays_in_its_place(
    tmp_path: Path, who: str | None, session: str | None, question: str
) -> None:
    memories = turns(*((words, who, session) for words in WORDS))
    assert order(tmp_path, memories, question, expanders=EXPANDERS) == order(tmp_path, memories, question, expanders=())


def test_an_answer_that_shares_no_word_with_the_question_is_found_beside_it(tmp_path: Path) -> None:
    memories = turns(
        ("Which city do you live in these days?", "Ana", "s1"),
        ("By the river, near the old bridge of Porto.", "Ben", "s1"),
        ("The city council met again.", "Ben", "s2"),
        ("What a bore.", "Ana", "s2"),
    )
    question = "Which city does Ben live in?"
    assert "By the river, near the old bridge of Porto." not in order(tmp_path, memories, question, expanders=())
    assert order(tmp_path, memories, question, expanders=EXPANDERS)[0] == "By the river, near the old bridge of Porto."


@pytest.mark.parametrize("who", ["Ana", "Ben"])
def test_the_one_who_is_asked_about_is_heard_first(tmp_path: Path, who: str) -> None:
    memories = turns(
        ("I like green tea, says Ben.", "Ben", "s1"), ("I like green tea, says Ana.", "Ana", "s2"), ("Tea?", "Cy", "s3")
    )
    assert order(tmp_path, memories, f"Does {who} like green tea?", expanders=EXPANDERS)[0].endswith(f"{who}.")


def test_memories_of_the_named_day_are_found_without_a_word_in_common(tmp_path: Path) -> None:
    memories = [
        NewMemory(content="We painted the kitchen.", created_at=datetime(2024, 4, 27, 9, tzinfo=UTC)),
        NewMemory(content="We planted a tree.", created_at=datetime(2024, 4, 21, 9, tzinfo=UTC)),
        NewMemory(content="Nothing happened.", created_at=datetime(2024, 2, 20, 9, tzinfo=UTC)),
    ]
    question = "What happened last Saturday?"
    assert "We painted the kitchen." not in order(tmp_path, memories, question, expanders=())
    assert order(tmp_path, memories, question, expanders=EXPANDERS)[:2] == [
        "Nothing happened.",
        "We painted the kitchen.",
    ]
