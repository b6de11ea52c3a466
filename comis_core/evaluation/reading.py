"""Evaluation cases from their files (see `data` for what these hold)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path

from comis_core.errors import ComisError
from comis_core.evaluation.data import Case, Pointer
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
    _refuse_what_comes_before_its_memory(case)
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


def _refuse_what_comes_before_its_memory(case: Case) -> None:
    """Raises ComisError for what would be played before a memory that it is about is there."""
    arrivals = case.arrivals
    for place, field, moment, names in _dated(case):
        late = next((name for name in names if moment is not None and moment < arrivals[name]), None)
        if moment is not None and late is not None:
            raise ComisError(
                f"{place}: {field}: {moment.isoformat()} is before the memory {late!r} is stored, "
                f"at {arrivals[late].isoformat()} ({case.places[late]})"
            )


def _dated(case: Case) -> Iterator[tuple[str, str, datetime | None, tuple[str, ...]]]:
    """Place, field, moment and the memories that must be there by then."""
    for revision in case.revisions:
        yield revision.place, "created_at", revision.at, (revision.of,)
    for eviction in case.evictions:
        yield eviction.place, "evicted_at", eviction.at, (eviction.of,)
    for pointer in case.pointers:
        yield pointer.place, "at", pointer.at, (pointer.source, pointer.target)
    for turn in case.turns:
        yield turn.place, "at", turn.at, turn.recalled
