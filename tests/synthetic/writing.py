"""Rows of a case, and how they become files."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import attrs


@attrs.frozen
class Draft:
    """One case: rows in the order in which they are written down."""

    set: str
    name: str
    memories: list[dict[str, Any]] = attrs.field(factory=list)
    edges: list[dict[str, Any]] = attrs.field(factory=list)
    turns: list[dict[str, Any]] = attrs.field(factory=list)
    questions: list[dict[str, Any]] = attrs.field(factory=list)

    def remember(self, content: str, **fields: Any) -> str:
        """Add a memory. Returns its id."""
        name = f"m{len(self.memories) + 1}"
        self.memories.append({"id": name, "content": content, **_written(fields)})
        return name

    def link(self, cause: str, effect: str, confidence: float) -> None:
        """Say that one memory is a cause of another."""
        self.edges.append({"cause": cause, "effect": effect, "confidence": confidence})

    def report(self, text: str, recalled: Sequence[str], **fields: Any) -> None:
        """Say what an earlier turn recalled, and what it cited or answered."""
        row = {"id": f"t{len(self.turns) + 1}", "text": text, "recalled": list(recalled)}
        self.turns.append(row | _written(fields))

    def ask(self, text: str, *relevant: str, category: str, **fields: Any) -> None:
        """Add a question with its gold."""
        row = {"id": f"q{len(self.questions) + 1}", "text": text, "relevant": list(relevant), "category": category}
        self.questions.append(row | _written(fields))

    def write(self, folder: Path) -> None:
        """Write the case below `folder`."""
        place = folder / self.set / self.name
        place.mkdir(parents=True, exist_ok=True)
        files = {"memories": self.memories, "queries": self.questions, "edges": self.edges, "turns": self.turns}
        for file, rows in files.items():
            if rows:
                (place / f"{file}.jsonl").write_text(_lines(rows), encoding="utf-8")

    def without(self, set: str, *fields: str) -> Draft:
        """The same case in a set of another name, without some fields of its rows."""
        return attrs.evolve(
            self,
            set=set,
            memories=[_without(row, fields) for row in self.memories],
            questions=[_without(row, fields) for row in self.questions],
        )


def shuffled(draft: Draft, chance: random.Random) -> Draft:
    """The same case with its memories in a random order, so that the order of rows says nothing."""
    memories = draft.memories.copy()
    chance.shuffle(memories)
    return attrs.evolve(draft, memories=memories)


def some_moment(chance: random.Random, start: datetime, days: float) -> datetime:
    """A full minute within `days` after `start`."""
    return start + timedelta(minutes=chance.randrange(max(1, int(days * 24 * 60))))


def _written(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _time(value) if isinstance(value, datetime) else value for name, value in fields.items()}


def _time(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _without(row: Mapping[str, Any], fields: Iterable[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in fields}


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
