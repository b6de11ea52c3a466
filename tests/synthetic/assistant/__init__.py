"""Some eight months of chats between one user and an assistant, and what the user asks about them afterwards.

Personal details are mentioned in passing in messages about something else; many sessions about the same topics hold
nothing that is asked for. Sessions and questions are written by hand in `sessions/*.txt` (form: `assistant.script`).

The history is one, its questions are two cases of equal make-up: what is tuned on `given` is judged on `kept`.
Questions of the category `adversarial` have no answer; their gold is the turn that looks most like one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import attrs

from synthetic.assistant.script import Asked, Session, read_scripts
from synthetic.writing import Draft

SCRIPTS = Path(__file__).parent / "sessions"
HALVES = ("given", "kept")
NOW = datetime(2024, 10, 1, 12, tzinfo=UTC)
"""When every question is asked: after the last session."""

BETWEEN_TURNS = timedelta(minutes=2)


def drafts() -> Iterator[Draft]:
    """The two halves: the same sessions, every other question of each category."""
    sessions, asked = read_scripts(SCRIPTS)
    whole = _history(sessions, asked)
    for number, name in enumerate(HALVES):
        yield attrs.evolve(whole, name=name, questions=list(_half(whole.questions, number)))


def _history(sessions: list[Session], asked: list[Asked]) -> Draft:
    draft, gold = Draft("assistant", ""), dict[str, str]()
    for number, session in enumerate(sorted(sessions, key=lambda each: each.at), 1):
        for turn, said in enumerate(session.turns):
            id = draft.remember(
                said.text,
                sender=said.sender,
                session=f"s{number}",
                turn=turn,
                created_at=session.at + turn * BETWEEN_TURNS,
            )
            gold[f"{session.name}/{said.label or turn}"] = id
    for each in asked:
        draft.ask(each.text, *(gold[name] for name in each.gold), category=each.category, now=NOW)
    return draft


def _half(questions: list[dict[str, Any]], half: int) -> Iterator[dict[str, Any]]:
    """Every other question of each category; which comes first changes from category to category."""
    seen: Counter[str] = Counter()
    order = {name: place for place, name in enumerate(sorted({row["category"] for row in questions}))}
    for row in questions:
        category = row["category"]
        if (seen[category] + order[category]) % len(HALVES) == half:
            yield row
        seen[category] += 1
