"""Evaluation cases on disk: a folder `<set>/<case>` is a store of its own and the questions asked of it.

* `memories.jsonl`, in the order in which they are stored: id, content, and optionally title, type, trust, sender,
  session, turn, tags, key, created_at, occurred_at, expires_at, proof_count, confidence. `annotations`: objects with
  the fields of `Annotation`, whose `target` is an id of this file. `supersedes`: ids that the row replaces.
  `evicted_at`: when it was hidden from recall.
  `updates`: an id whose next version this row is, written at its created_at; it says only what has changed, and has an
  id of its own, so that a question can ask for the version.
* `edges.jsonl`, if there is one: cause, effect, and optionally confidence and `at`, when it was said.
* `turns.jsonl`, if there is one: what an agent reported at the end of earlier turns: id, text (the request), recalled
  (ids), cited (ids among them) or answer or both, and optionally sender, intent and `at`, when the turn ended.
* `queries.jsonl`: id, text, relevant (ids), and optionally category, asker, now, record_as_of, event_as_of.

A time without a zone is UTC. Keys that nobody reads and ids that come twice are refused, with file and line.

A case with versions, evictions, dated edges, dated turns or questions about what was recorded when is played through in
the order of its times; every other one is stored at once, its turns last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs
from attrs.validators import instance_of, optional

from comis_core.errors import ComisError
from comis_core.evaluation.rows import Shape, read_rows
from comis_core.model import Annotation, Filters, MemoryType, NewMemory, Trust

NO_TIME = datetime(2025, 1, 1, tzinfo=UTC)
"""The present of a case without a single date."""

VERSION_FIELDS = (
    "content", "title", "type", "trust", "sender", "session", "turn", "tags", "key", "occurred_at", "expires_at",
    "proof_count", "confidence",
)  # fmt: skip
"""What a row with `updates` may change."""

MEMORIES = Shape(
    called="memories",
    required=("id",),
    optional=(*VERSION_FIELDS, "created_at", "annotations", "supersedes", "evicted_at", "updates"),
)
QUESTIONS = Shape(
    called="questions",
    required=("id", "text", "relevant"),
    optional=("category", "asker", "now", "record_as_of", "event_as_of"),
)
EDGES = Shape(called="edges", required=("cause", "effect"), optional=("confidence", "at"))
TURNS = Shape(
    called="turns", required=("id", "text", "recalled"), optional=("cited", "answer", "sender", "intent", "at")
)


@attrs.frozen(kw_only=True)
class Question:
    """One query with its gold. `relevant` holds the data's own memory ids."""

    id: str
    text: str
    relevant: frozenset[str]
    category: str = ""
    asker: str | None = None
    now: datetime | None = None
    record_as_of: datetime | None = None
    event_as_of: datetime | None = None

    @property
    def filters(self) -> Filters | None:
        """What may be seen, if the question asks about the past."""
        if self.record_as_of is None and self.event_as_of is None:
            return None
        return Filters(record_as_of=self.record_as_of, event_as_of=self.event_as_of)


@attrs.frozen(kw_only=True)
class Pointer:
    """Something said about a memory that points to another one; both are the data's ids.

    annotation: what is said, its target left open. at: when it was said; None = as soon as both are there.
    """

    source: str
    target: str
    annotation: Annotation
    at: datetime | None = None


@attrs.frozen(kw_only=True)
class Revision:
    """The next version of a memory. id: the data's id of this version; of: that of the memory."""

    id: str
    of: str
    at: datetime
    changes: Mapping[str, Any]


@attrs.frozen(kw_only=True)
class Eviction:
    """A memory is hidden from recall."""

    of: str
    at: datetime


@attrs.frozen(kw_only=True)
class ReportedTurn:
    """What an agent reported at the end of an earlier turn. `recalled` and `cited` hold the data's own memory ids.

    at: when the turn ended; None = as soon as everything it recalled is there.
    """

    id: str
    text: str = attrs.field(validator=instance_of(str))
    recalled: tuple[str, ...]
    cited: tuple[str, ...] = ()
    answer: str = attrs.field(default="", validator=instance_of(str))
    sender: str | None = attrs.field(default=None, validator=optional(instance_of(str)))
    intent: str = attrs.field(default="factual", validator=instance_of(str))
    at: datetime | None = None


@attrs.frozen(kw_only=True)
class Case:
    """One store's worth of memories and the questions asked of it."""

    set: str
    name: str
    memory_ids: tuple[str, ...]
    """The data's ids, in the order of `memories`."""
    memories: tuple[NewMemory, ...]
    questions: tuple[Question, ...]
    pointers: tuple[Pointer, ...] = ()
    revisions: tuple[Revision, ...] = ()
    evictions: tuple[Eviction, ...] = ()
    turns: tuple[ReportedTurn, ...] = ()

    @cached_property
    def last_moment(self) -> datetime:
        """The latest record time of the case: "now" for questions that name none."""
        stored = [memory.created_at for memory in self.memories]
        given = [*stored, *(revision.at for revision in self.revisions), *self._dates]
        return max((moment for moment in given if moment is not None), default=NO_TIME)

    @property
    def timed(self) -> bool:
        """Whether it matters when each thing was recorded."""
        asked = any(question.record_as_of is not None for question in self.questions)
        return asked or bool(self.revisions or self.evictions) or any(self._dates)

    @property
    def _dates(self) -> tuple[datetime | None, ...]:
        """When what need not be dated happened."""
        return (*(pointer.at for pointer in self.pointers), *(turn.at for turn in self.turns))


UNCATEGORISED = "uncategorised"
"""Category of questions that name none."""


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
    rows = list(read_rows(folder / "memories.jsonl", MEMORIES, _row))
    stored = [(row.id, row.memory) for row in rows if row.memory is not None]
    edges, turns = folder / "edges.jsonl", folder / "turns.jsonl"
    case = Case(
        set=folder.parent.name,
        name=folder.name,
        memory_ids=tuple(id for id, _ in stored),
        memories=tuple(memory for _, memory in stored),
        questions=tuple(read_rows(folder / "queries.jsonl", QUESTIONS, _question)),
        pointers=(
            *(pointer for row in rows for pointer in row.pointers),
            *(read_rows(edges, EDGES, _edge) if edges.is_file() else ()),
        ),
        revisions=tuple(row.revision for row in rows if row.revision is not None),
        evictions=tuple(row.eviction for row in rows if row.eviction is not None),
        turns=tuple(read_rows(turns, TURNS, _turn)) if turns.is_file() else (),
    )
    _check_names(case, folder)
    return case


def _check_names(case: Case, folder: Path) -> None:
    """Raises ComisError when a row builds on another one that is not there."""
    known = set(case.memory_ids)
    mentioned = [name for pointer in case.pointers for name in (pointer.source, pointer.target)]
    mentioned += [revision.of for revision in case.revisions]
    mentioned += [name for turn in case.turns for name in turn.recalled]
    versions = known | {revision.id for revision in case.revisions}
    asked = {name for question in case.questions for name in question.relevant}
    missing = sorted(set(mentioned) - known | asked - versions)
    if missing:
        raise ComisError(f"{folder}: there is no memory {missing[0]!r}, which another row or question names")


@attrs.frozen(kw_only=True)
class _Row:
    """A line of memories.jsonl: a memory or the next version of one, and what hangs on it."""

    id: str
    memory: NewMemory | None = None
    revision: Revision | None = None
    pointers: Sequence[Pointer] = ()
    eviction: Eviction | None = None


def _row(row: Mapping[str, Any]) -> _Row:
    name = str(row["id"])
    if "updates" in row:
        at = _moment(row.get("created_at"))
        if at is None:
            raise ValueError("a row with 'updates' needs its 'created_at'")
        if unread := sorted({"annotations", "supersedes", "evicted_at"} & row.keys()):
            raise ValueError(f"a row with 'updates' cannot have {unread[0]!r}: it changes the memory's fields alone")
        given = {field: row[field] for field in VERSION_FIELDS if field in row}
        return _Row(id=name, revision=Revision(id=name, of=str(row["updates"]), at=at, changes=_fields(given)))
    if not isinstance(row.get("content"), str):
        raise ValueError("'content' is missing, or no text")
    plain, pointers = _annotations(name, row)
    evicted = _moment(row.get("evicted_at"))
    return _Row(
        id=name,
        memory=NewMemory(**_fields(row), created_at=_moment(row.get("created_at")), annotations=plain),
        pointers=pointers,
        eviction=None if evicted is None else Eviction(of=name, at=evicted),
    )


def _fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row's fields of a memory, but for its record time."""
    fields = {field: row[field] for field in VERSION_FIELDS if field in row}
    if "type" in fields:
        fields["type"] = MemoryType(fields["type"])
    if "trust" in fields:
        fields["trust"] = Trust(fields["trust"])
    if "tags" in fields:
        fields["tags"] = tuple(fields["tags"])
    return fields | {field: _moment(fields[field]) for field in ("occurred_at", "expires_at") if field in fields}


def _annotations(name: str, row: Mapping[str, Any]) -> tuple[tuple[Annotation, ...], list[Pointer]]:
    """What is said about the memory alone, and what points to others."""
    plain, pointers = [], []
    for said in row.get("annotations", ()):
        target = said.get("target")
        fields = {field: value for field, value in said.items() if field != "target"}
        annotation = Annotation(**fields | {"occurred_at": _moment(said.get("occurred_at"))})
        if target is None:
            plain.append(annotation)
        else:
            pointers.append(Pointer(source=name, target=str(target), annotation=annotation))
    replaced = Annotation(kind="supersedes")
    pointers += [Pointer(source=name, target=str(old), annotation=replaced) for old in row.get("supersedes", ())]
    return tuple(plain), pointers


def _edge(row: Mapping[str, Any]) -> Pointer:
    said = Annotation(kind="cause", confidence=float(row.get("confidence", 1.0)))
    return Pointer(source=str(row["cause"]), target=str(row["effect"]), annotation=said, at=_moment(row.get("at")))


def _turn(row: Mapping[str, Any]) -> ReportedTurn:
    recalled, cited = _ids(row["recalled"]), _ids(row.get("cited", ()))
    if not cited and "answer" not in row:
        raise ValueError("a turn says what it used: cited, or answer, or both")
    if not set(cited) <= set(recalled):
        raise ValueError("a turn cites what it has not recalled")
    return ReportedTurn(
        id=str(row["id"]),
        text=row["text"],
        recalled=recalled,
        cited=cited,
        answer=row.get("answer", ""),
        sender=row.get("sender"),
        intent=row.get("intent", "factual"),
        at=_moment(row.get("at")),
    )


def _ids(names: Sequence[Any]) -> tuple[str, ...]:
    if not isinstance(names, list | tuple):
        raise TypeError(f"a list of ids is needed, not {names!r:.80}")
    return tuple(str(name) for name in names)


def _question(row: Mapping[str, Any]) -> Question:
    if not row["relevant"]:
        raise ValueError("a question needs at least one relevant memory")
    if not isinstance(row["text"], str):
        raise TypeError(f"the text of a question is {row['text']!r:.80}, which is no text")
    return Question(
        id=str(row["id"]),
        text=row["text"],
        relevant=frozenset(_ids(row["relevant"])),
        category=str(row.get("category") or UNCATEGORISED),
        asker=row.get("asker"),
        now=_moment(row.get("now")),
        record_as_of=_moment(row.get("record_as_of")),
        event_as_of=_moment(row.get("event_as_of")),
    )


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
