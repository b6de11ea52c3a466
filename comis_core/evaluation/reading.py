"""Evaluation cases from their files (see `data` for what these hold)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from comis_core.errors import ComisError
from comis_core.evaluation.data import Case, Eviction, Pointer, Revision
from comis_core.evaluation.parsing import (
    EDGES,
    MEMORIES,
    QUESTIONS,
    TURNS,
    edge_of,
    memory_of,
    question_of,
    turn_of,
)
from comis_core.evaluation.rows import read_rows


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
    """Read one case. Raises ComisError naming file, line and field of the first row that is wrong."""
    rows = list(read_rows(folder / "memories.jsonl", MEMORIES, memory_of))
    stored = {row.id: row.memory for row in rows if row.memory is not None}
    edges, turns = folder / "edges.jsonl", folder / "turns.jsonl"
    said = tuple(pointer for row in rows for pointer in row.pointers)
    caused = tuple(read_rows(edges, EDGES, edge_of)) if edges.is_file() else ()
    case = Case(
        set=folder.parent.name,
        name=folder.name,
        memory_ids=tuple(stored),
        memories=tuple(stored.values()),
        questions=tuple(read_rows(folder / "queries.jsonl", QUESTIONS, question_of)),
        pointers=(*said, *caused),
        revisions=tuple(row.revision for row in rows if row.revision is not None),
        evictions=tuple(row.eviction for row in rows if row.eviction is not None),
        turns=tuple(read_rows(turns, TURNS, turn_of)) if turns.is_file() else (),
        places={row.id: row.place for row in rows if row.memory is not None},
    )
    _refuse_unknown_names(case, said, caused)
    _refuse_versions_before_their_memory(case)
    return case


def _refuse_unknown_names(case: Case, said: Iterable[Pointer], caused: Iterable[Pointer]) -> None:
    """Raises ComisError for the first row that builds on another one which is not there."""
    known = frozenset(case.memory_ids)
    versions = known | {revision.id for revision in case.revisions}
    for place, field, name, there in _mentions(case, said, caused, known, versions):
        if name not in there:
            raise ComisError(f"{place}: {field}: there is no memory {name!r} in this case")


def _mentions(
    case: Case, said: Iterable[Pointer], caused: Iterable[Pointer], known: Collection[str], versions: Collection[str]
) -> Iterator[tuple[str, str, str, Collection[str]]]:
    """Place, field, id and the ids that it may be."""
    for pointer in said:
        field = "supersedes" if pointer.annotation.kind == "supersedes" else "annotations"
        yield pointer.place, field, pointer.target, known
    for edge in caused:
        yield edge.place, "cause", edge.source, known
        yield edge.place, "effect", edge.target, known
    for revision in case.revisions:
        yield revision.place, "updates", revision.of, known
    for turn in case.turns:
        yield from ((turn.place, "recalled", name, known) for name in turn.recalled)
    for question in case.questions:
        yield from ((question.place, "relevant", name, versions) for name in sorted(question.relevant))


def _refuse_versions_before_their_memory(case: Case) -> None:
    """Raises ComisError for a version or an eviction that would be played before its memory is there."""
    arrivals = case.arrivals
    events: tuple[Revision | Eviction, ...] = (*case.revisions, *case.evictions)
    for event in events:
        if event.at < arrivals[event.of]:
            field = "evicted_at" if isinstance(event, Eviction) else "created_at"
            raise ComisError(
                f"{event.place}: {field}: {event.at.isoformat()} is before the memory {event.of!r} is stored, "
                f"at {arrivals[event.of].isoformat()} ({case.places[event.of]})"
            )
