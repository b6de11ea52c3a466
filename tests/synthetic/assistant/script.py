"""Chats as plain text.

    == 2024-02-06 19:40 running-plan              a session: when it began, and its name
    U@tenk: My best over ten kilometres is ...    what the user said; the label is there for questions
    A: Two hours is ambitious ...                 what the assistant said
    ? said-by-user @tenk How fast did I run?      category, gold (@label here, @session/label elsewhere), question

Empty lines separate sessions. A file may hold questions alone.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import attrs

SENDERS = {"U": "user", "A": "assistant"}
SESSION = re.compile(r"== (\d{4}-\d\d-\d\d \d\d:\d\d) ([a-z0-9-]+)")
TURN = re.compile(r"([UA])(?:@([a-z0-9]+))?: (\S.*)")
QUESTION = re.compile(r"\? ([a-z-]+)((?: @[a-z0-9/-]+)+) (\S.*)")


@attrs.frozen
class Said:
    """One turn. label: what questions call it, or ""."""

    sender: str
    text: str
    label: str


@attrs.frozen
class Asked:
    """A question. gold: turns by session and label."""

    category: str
    text: str
    gold: tuple[str, ...]


@attrs.frozen
class Session:
    """One chat. at: when it began."""

    name: str
    at: datetime
    turns: list[Said] = attrs.field(factory=list)


def read_scripts(folder: Path) -> tuple[list[Session], list[Asked]]:
    """Sessions and questions of every file of a folder. Raises ValueError with file and line of what is not understood."""
    sessions: list[Session] = []
    asked: list[Asked] = []
    for path in sorted(folder.glob("*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line and not _take(line, sessions, asked):
                raise ValueError(f"{path.name}:{number}: neither a session nor a turn nor a question: {line[:60]!r}")
    return sessions, asked


def _take(line: str, sessions: list[Session], asked: list[Asked]) -> bool:
    """Add what a line says. Returns whether it says anything."""
    if found := SESSION.fullmatch(line):
        sessions.append(Session(found[2], datetime.strptime(found[1], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)))
    elif found := TURN.fullmatch(line):
        sessions[-1].turns.append(Said(SENDERS[found[1]], found[3], found[2] or ""))
    elif found := QUESTION.fullmatch(line):
        labels = [name.removeprefix("@") for name in found[2].split()]
        gold = tuple(name if "/" in name else f"{sessions[-1].name}/{name}" for name in labels)
        asked.append(Asked(found[1], found[3], gold))
    return found is not None
