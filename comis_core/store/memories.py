"""Storing memories: a batch is one transaction."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from datetime import datetime
from typing import Any

import attrs

from comis_core.errors import MemoryRejected
from comis_core.model import (
    TRUST_CODES,
    Annotation,
    BatchResult,
    Memory,
    NewMemory,
    Rejected,
    Scope,
    Stored,
    from_microseconds,
    to_microseconds,
)
from comis_core.protocols import Transaction
from comis_core.store import changes
from comis_core.store.annotations import (
    annotate,
    annotation_rows,
    live_targets,
    missing_target,
    protected_target,
    reachable,
    unspoken,
)
from comis_core.store.identity import IdMaker, to_bytes, to_text
from comis_core.store.rows import INSERT_ANNOTATION, INSERT_MEMORY, to_row
from comis_core.store.transaction import select_in
from comis_core.store.validation import checked, checked_annotations, sound_annotations
from comis_core.text import fingerprint

Enqueue = Callable[[Transaction, int, Sequence[int]], None]
Extract = Callable[[Sequence[Memory]], Sequence[Sequence[Annotation]]]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AddResult(BatchResult):
    """A batch's outcome with the primary keys inside the file.

    pks: one an entry of `stored`, in the same order; a duplicate has the first one's.
    """

    pks: tuple[int, ...]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Candidate:
    """A row that keeps the rules and waits for the write lock."""

    index: int
    memory: Memory
    number: bytes
    """The id's 16 bytes."""
    given: bool
    """Whether the caller gave the id."""
    annotations: tuple[Annotation, ...]


def candidates(
    scope: Scope,
    memories: Sequence[NewMemory],
    extracted: Sequence[Sequence[Annotation]] | None,
    *,
    now: int,
    make: IdMaker,
    allow_system: bool,
) -> tuple[list[Candidate], list[Rejected]]:
    """Check a batch's rows outside the write lock.

    extracted: further annotations, one sequence a row.
    """
    accepted, rejected = [], []
    moment = from_microseconds(now)
    for index, new in enumerate(memories):
        try:
            row = checked(new, index, allow_system=allow_system)
            more = checked_annotations(extracted[index], index) if extracted is not None else ()
        except MemoryRejected as error:
            rejected.append(Rejected(index=index, reason=error.reason))
        else:
            accepted.append(_candidate(scope, row, more, index, moment, make))
    return accepted, rejected


def _candidate(
    scope: Scope, new: NewMemory, more: tuple[Annotation, ...], index: int, now: datetime, make: IdMaker
) -> Candidate:
    given = to_bytes(new.id) if new.id else None
    created = new.created_at or now
    supersedes = tuple([Annotation(kind="supersedes", target=target) for target in new.supersedes])
    number = given or make.make()
    memory = Memory(
        id=to_text(number),
        scope=scope,
        content=new.content,
        type=new.type,
        trust=new.trust,
        created_at=created,
        created_given=new.created_at is not None and new.created_given,
        opened_at=created,
        title=new.title,
        sender=new.sender,
        channel=new.channel,
        session=new.session,
        turn=new.turn,
        tags=new.tags,
        key=new.key,
        occurred_at=new.occurred_at,
        expires_at=new.expires_at,
        pinned=new.pinned,
        proof_count=new.proof_count,
        confidence=new.confidence,
        importance=new.importance,
        source_ids=new.source_ids,
        fingerprint=fingerprint(new.content),
    )
    said = new.annotations + supersedes + more
    return Candidate(index=index, memory=memory, number=number, given=given is not None, annotations=said)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Inserted:
    """What the write made of the candidates. places: pk of a new row -> its place among the candidates."""

    stored: list[Stored] = attrs.field(factory=list)
    pks: list[int] = attrs.field(factory=list)
    rejected: list[Rejected] = attrs.field(factory=list)
    places: dict[int, int] = attrs.field(factory=dict)

    def result(self, rejected: Sequence[Rejected]) -> AddResult:
        """The whole batch's outcome, with the rows refused before the write."""
        return AddResult(
            stored=tuple(self.stored),
            rejected=tuple(sorted([*rejected, *self.rejected], key=lambda row: row.index)),
            pks=tuple(self.pks),
        )


def extracted(accepted: Sequence[Candidate], extract: Extract) -> list[Candidate]:
    """The candidates with what an extractor finds in them.

    What breaks the rules of annotations is left out, and so is what is of a kind that the caller speaks of himself.
    """
    found = extract([candidate.memory for candidate in accepted])
    return [
        _with(candidate, sound_annotations(more)) if more else candidate
        for candidate, more in zip(accepted, found, strict=True)
    ]


def _with(candidate: Candidate, found: Sequence[Annotation]) -> Candidate:
    said = candidate.annotations
    return Candidate(
        index=candidate.index,
        memory=candidate.memory,
        number=candidate.number,
        given=candidate.given,
        annotations=(*said, *unspoken(found, said)) if said else tuple(found),
    )


def insert(
    transaction: Transaction, scope: int, accepted: Sequence[Candidate], *, now: int, allow_system: bool
) -> Inserted:
    """Insert a batch's rows inside the write transaction; a row that cannot go in is refused, the rest goes on."""
    outcome = Inserted()
    taken = _taken(transaction, [candidate.number for candidate in accepted if candidate.given])
    known = _known(transaction, scope, [candidate.memory.fingerprint for candidate in accepted], now)
    targets = _targets(transaction, scope, accepted)
    pk = next(transaction.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memories'"), (0,))[0]
    rows, statements, further = [], [], []
    for place, candidate in enumerate(accepted):
        memory = candidate.memory
        reason = _refused(candidate, taken, targets) or _forbidden(transaction, scope, candidate, allow_system)
        if reason:
            outcome.rejected.append(Rejected(index=candidate.index, reason=reason))
            continue
        likeness = (memory.fingerprint, memory.sender, memory.session, TRUST_CODES[memory.trust])
        first = known.get(likeness)
        if first is None:
            pk += 1
            first = known[likeness] = (pk, candidate.number)
            taken.add(candidate.number)
            targets.add(candidate.number)
            outcome.places[pk] = place
            rows.append((pk, *to_row(memory, candidate.number, scope)))
            statements += _said(scope, pk, candidate, targets)
        elif candidate.annotations:
            further.append((first[0], reachable(candidate.annotations, targets)))
        duplicate = first[1] != candidate.number
        id = to_text(first[1]) if duplicate else memory.id
        outcome.stored.append(Stored(id=id, trust=memory.trust, duplicate=duplicate))
        outcome.pks.append(first[0])
    transaction.executemany(INSERT_MEMORY, rows)
    transaction.executemany(INSERT_ANNOTATION, statements)
    changes.record(transaction, scope, outcome.places, "add")
    for known_pk, said in further:
        annotate(transaction, scope, known_pk, said, now)
    return outcome


def _said(scope: int, pk: int, candidate: Candidate, targets: Container[bytes | None]) -> list[tuple[Any, ...]]:
    """Rows of what is said along with a memory: known for as long as the memory, which may be older than the file."""
    if not candidate.annotations:
        return []
    opened = to_microseconds(candidate.memory.opened_at)
    return annotation_rows(scope, pk, reachable(candidate.annotations, targets), opened)


def refusal(transaction: Transaction, scope: int, candidate: Candidate, *, allow_system: bool) -> str:
    """Why `insert` would refuse this row as things are; empty when it would not."""
    taken = _taken(transaction, [candidate.number] if candidate.given else [])
    refused = _refused(candidate, taken, _targets(transaction, scope, [candidate]))
    return refused or _forbidden(transaction, scope, candidate, allow_system)


def _forbidden(transaction: Transaction, scope: int, candidate: Candidate, allow_system: bool) -> str:
    if allow_system or not candidate.annotations:
        return ""
    return protected_target(transaction, scope, candidate.annotations)


def _refused(candidate: Candidate, taken: Container[bytes], targets: Container[bytes]) -> str:
    if candidate.given and candidate.number in taken:
        return f"the id {candidate.memory.id} is taken"
    return missing_target(candidate.annotations, targets)


def _taken(transaction: Transaction, numbers: Sequence[bytes]) -> set[bytes]:
    """Which of these ids some memory of the file has."""
    rows = select_in(transaction.execute, "SELECT id FROM memories WHERE id IN ({})", numbers)
    return {number for (number,) in rows}


def _known(
    transaction: Transaction, scope: int, fingerprints: Sequence[bytes], now: int
) -> dict[tuple[Any, ...], tuple[int, bytes]]:
    """(fingerprint, sender, session, trust) -> (pk, id) of the first live memory with it."""
    sql = (
        "SELECT fingerprint, sender, session, trust, pk, id, expires_at FROM memories WHERE scope = ? "
        "AND fingerprint IN ({}) AND closed_at IS NULL AND evicted_at IS NULL"
    )
    rows = select_in(transaction.execute, sql, fingerprints, (scope,))
    live = [row for row in rows if row[6] is None or row[6] > now]
    return {row[:4]: row[4:6] for row in sorted(live, key=lambda row: -row[4])}


def _targets(transaction: Transaction, scope: int, accepted: Sequence[Candidate]) -> set[bytes]:
    return live_targets(transaction, scope, [said for candidate in accepted for said in candidate.annotations])
