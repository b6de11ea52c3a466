"""Evaluation cases on disk: `<set>/<case>/memories.jsonl` and `queries.jsonl`, a case being a store of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs

from comis_core.errors import ComisError
from comis_core.model import MemoryType, NewMemory


@attrs.frozen(kw_only=True)
class Question:
    """One query with its gold. `relevant` holds the data's own memory ids."""

    id: str
    text: str
    relevant: frozenset[str]
    category: str = ""
    asker: str | None = None
    now: datetime | None = None


@attrs.frozen(kw_only=True)
class Case:
    """One store's worth of memories and the questions asked of it."""

    set: str
    name: str
    memory_ids: tuple[str, ...]
    """The data's ids, in the order of `memories`."""
    memories: tuple[NewMemory, ...]
    questions: tuple[Question, ...]

    @property
    def last_moment(self) -> datetime:
        """The latest record time of the case: "now" for questions that name none."""
        given = [memory.created_at for memory in self.memories if memory.created_at is not None]
        return max(given, default=datetime(2025, 1, 1, tzinfo=UTC))


def find_cases(folder: Path) -> list[Case]:
    """Every case at or below `folder`, sorted by set and name. Raises ComisError where there is none."""
    files = sorted(folder.glob("**/memories.jsonl")) if folder.is_dir() else []
    found = [path.parent.resolve() for path in files if (path.parent / "queries.jsonl").is_file()]
    if not found:
        raise ComisError(
            f"{folder} holds no evaluation case",
            hint="a case is a folder with memories.jsonl and queries.jsonl",
        )
    return [load_case(path) for path in found]


def load_case(folder: Path) -> Case:
    """Read one case. Raises ComisError naming file and line of the first row that is wrong."""
    memories = list(_rows(folder / "memories.jsonl", _memory))
    questions = tuple(_rows(folder / "queries.jsonl", _question))
    return Case(
        set=folder.parent.name,
        name=folder.name,
        memory_ids=tuple(name for name, _ in memories),
        memories=tuple(memory for _, memory in memories),
        questions=questions,
    )


def _rows(path: Path, parse: Any) -> Iterator[Any]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield parse(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ComisError(f"{path}:{number}: not a valid row: {error!r}") from error


def _memory(row: dict[str, Any]) -> tuple[str, NewMemory]:
    memory = NewMemory(
        content=row["content"],
        title=row.get("title"),
        type=MemoryType(row.get("type", "semantic")),
        sender=row.get("sender"),
        session=row.get("session"),
        turn=row.get("turn"),
        tags=tuple(row.get("tags", ())),
        key=row.get("key"),
        created_at=_moment(row.get("created_at")),
        occurred_at=_moment(row.get("occurred_at")),
    )
    return str(row["id"]), memory


def _question(row: dict[str, Any]) -> Question:
    return Question(
        id=str(row["id"]),
        text=row["text"],
        relevant=frozenset(str(name) for name in row["relevant"]),
        category=row.get("category", ""),
        asker=row.get("asker"),
        now=_moment(row.get("now")),
    )


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
