"""What was said about memories: stored beside them, closed with their version."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from comis_core.errors import MemoryRejected
from comis_core.mentions import SUPERSEDES
from comis_core.model import TRUST_CODES, Annotation, Trust, to_microseconds
from comis_core.protocols import Transaction
from comis_core.store import changes
from comis_core.store.identity import fold, to_bytes, to_text
from comis_core.store.rows import INSERT_ANNOTATION, STATEMENT_COLUMNS, to_annotation
from comis_core.store.transaction import select_in

CAUSE = "cause"
"""Kind of an annotation whose target is an effect of its memory."""


def annotation_rows(scope: int, pk: int, annotations: Sequence[Annotation], now: int) -> list[tuple[Any, ...]]:
    """What `INSERT_ANNOTATION` wants for a version's annotations; equal ones once."""
    return [
        (
            pk, scope, said.kind, fold(said.name), said.name, said.predicate, said.value,
            None if said.target is None else to_bytes(said.target), said.confidence, said.origin,
            None if said.occurred_at is None else to_microseconds(said.occurred_at), now, None,
        )
        for said in dict.fromkeys(annotations)
    ]  # fmt: skip


def live_targets(transaction: Transaction, scope: int, annotations: Sequence[Annotation]) -> set[bytes]:
    """The live memories of the scope among what these annotations point to."""
    numbers = [number for said in annotations if said.target and (number := to_bytes(said.target))]
    sql = "SELECT id FROM memories WHERE scope = ? AND id IN ({}) AND closed_at IS NULL"
    return {number for (number,) in select_in(transaction.execute, sql, numbers, (scope,))}


def reachable(annotations: Sequence[Annotation], targets: Container[bytes | None]) -> list[Annotation]:
    """The annotations without those that point to nothing."""
    return [said for said in annotations if said.target is None or to_bytes(said.target) in targets]


def missing_target(annotations: Sequence[Annotation], targets: Container[bytes | None]) -> str:
    """Which memory a caller or a model points to without its being among the targets; empty when all are there.

    What an extractor points to in vain is left out instead: it is no reason to refuse a memory.
    """
    for said in annotations:
        if said.origin != "extractor" and said.target is not None and to_bytes(said.target) not in targets:
            return f"{said.kind!r} points to {said.target}, which is no live memory of this scope"
    return ""


def system_memories(transaction: Transaction, scope: int, ids: Sequence[bytes]) -> set[bytes]:
    """Which of these live memories are system memories; those are for an administrator to change, remove, replace."""
    sql = "SELECT id FROM memories WHERE scope = ? AND trust = ? AND id IN ({}) AND closed_at IS NULL"
    return {number for (number,) in select_in(transaction.execute, sql, ids, (scope, TRUST_CODES[Trust.SYSTEM]))}


def protected_target(transaction: Transaction, scope: int, annotations: Sequence[Annotation]) -> str:
    """Which system memory these annotations would replace; empty when none."""
    numbers = [number for said in annotations if said.kind == SUPERSEDES and (number := to_bytes(said.target or ""))]
    if not numbers:
        return ""
    protected = system_memories(transaction, scope, numbers)
    first = next((number for number in numbers if number in protected), None)
    return f"{to_text(first)} has the trust 'system' and is replaced by an administrator only" if first else ""


def protected_statement(transaction: Transaction, scope: int, id: str, annotations: Sequence[Annotation]) -> str:
    """Why these may be said of this live memory by an administrator only; empty when anybody may.

    What stands of a system memory counts as the system's word: a triple outranks whatever was learned, and names decide
    when the memory comes up. A cause leads from one memory to another and back; it could as well stand on the other.
    """
    number = to_bytes(id)
    heavy = sorted({said.kind for said in annotations if said.kind != CAUSE})
    if not heavy or number is None or not system_memories(transaction, scope, [number]):
        return ""
    return f"{to_text(number)} has the trust 'system' and gets {', '.join(heavy)} from an administrator only"


def unspoken(found: Sequence[Annotation], said: Sequence[Annotation]) -> list[Annotation]:
    """What extractors found of kinds that nobody else spoke of: who names a memory's entities names all of them."""
    spoken = {annotation.kind for annotation in said if annotation.origin != "extractor"}
    return [annotation for annotation in found if annotation.kind not in spoken]


def insert_annotations(
    transaction: Transaction, scope: int, pk: int, annotations: Sequence[Annotation], now: int
) -> None:
    """Insert a version's annotations. Raises MemoryRejected when one points outside the scope."""
    targets = live_targets(transaction, scope, annotations)
    reason = missing_target(annotations, targets)
    if reason:
        raise MemoryRejected(reason)
    transaction.executemany(INSERT_ANNOTATION, annotation_rows(scope, pk, reachable(annotations, targets), now))


def open_annotations(transaction: Transaction, pk: int) -> list[Annotation]:
    """What stands of a version, in the order in which it was said."""
    sql = f"SELECT {STATEMENT_COLUMNS} FROM annotations WHERE pk = ? AND closed_at IS NULL ORDER BY annotation"
    return [to_annotation(row) for row in transaction.execute(sql, (pk,))]


def annotations_at(transaction: Transaction, pk: int, moment: int) -> list[Annotation]:
    """What stood of a version at a moment (epoch microseconds of record time), in the order in which it was said."""
    sql = (
        f"SELECT {STATEMENT_COLUMNS} FROM annotations WHERE pk = ? AND opened_at <= ? "
        "AND (closed_at IS NULL OR closed_at > ?) ORDER BY annotation"
    )
    return [to_annotation(row) for row in transaction.execute(sql, (pk, moment, moment))]


def last_annotations(transaction: Transaction, pk: int) -> list[Annotation]:
    """What stood of a version when it ended, or stands now: annotations are closed with their version alone."""
    sql = f"SELECT {STATEMENT_COLUMNS} FROM annotations WHERE pk = ? ORDER BY annotation"
    return [to_annotation(row) for row in transaction.execute(sql, (pk,))]


def close_annotations(transaction: Transaction, pk: int, now: int) -> None:
    """A version's annotations end with it."""
    transaction.execute("UPDATE annotations SET closed_at = ? WHERE pk = ? AND closed_at IS NULL", (now, pk))


def annotate(transaction: Transaction, scope: int, pk: int, annotations: Sequence[Annotation], now: int) -> int:
    """Say more about a version; how many were new. Raises MemoryRejected when one points outside the scope."""
    known = set(open_annotations(transaction, pk))
    fresh = [annotation for annotation in dict.fromkeys(annotations) if annotation not in known]
    insert_annotations(transaction, scope, pk, fresh, now)
    if fresh:
        changes.record(transaction, scope, [pk], "annotate")
    return len(fresh)
