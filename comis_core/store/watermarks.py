"""How far each derived index has followed the change log.

`seq` is the last change that an index has applied. While an index is filled for the first time, memories up to
`position` are in it and those up to `target` are yet to come; changes of what is yet to come are left out, for the
filling brings the memory as it is then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs

from comis_core.errors import ComisError
from comis_core.model import Memory, Scope
from comis_core.model.shown import Compared
from comis_core.protocols import Change, Index, Transaction
from comis_core.store import changes
from comis_core.store.faults import is_environment
from comis_core.store.rows import MEMORY_COLUMNS, to_memory

BATCH = 1_000
"""Rows applied in one transaction while catching up, so that writers wait little."""


@attrs.frozen(eq=False, repr=False)
class Mark(Compared):
    """A row of `watermarks`."""

    name: str
    version: str
    seq: int
    position: int
    target: int

    @property
    def filling(self) -> bool:
        """Whether the index has not yet seen every memory."""
        return self.position < self.target

    def awaits(self, pk: int) -> bool:
        """Whether the filling will bring this memory."""
        return self.position < pk <= self.target

    def after(self, lines: Sequence[Change], last: int) -> Mark:
        """The mark once `lines`, the next of `lines_to_fill` or `lines_to_replay`, are applied."""
        full = len(lines) == BATCH
        if self.filling:
            return attrs.evolve(self, position=lines[-1].pk if full else self.target)
        return attrs.evolve(self, seq=lines[-1].seq if full else last)


@attrs.frozen(eq=False, repr=False)
class Payload:
    """A memory and what an index prepared for it."""

    memory: Memory
    prepared: object


def read_marks(transaction: Transaction) -> dict[str, Mark]:
    """Every mark by name; that of the log's horizon too."""
    rows = transaction.execute("SELECT name, version, seq, position, target FROM watermarks")
    return {row[0]: Mark(*row) for row in rows}


def write_mark(transaction: Transaction, mark: Mark) -> None:
    """Keep a mark."""
    transaction.execute(
        "REPLACE INTO watermarks(name, version, seq, position, target) VALUES (?, ?, ?, ?, ?)",
        (mark.name, mark.version, mark.seq, mark.position, mark.target),
    )


def begin(transaction: Transaction, name: str, index: Index, version: str) -> None:
    """Empty an index and let it start anew: everything that is there now is to be filled in."""
    index.clear(transaction)
    ((target,),) = transaction.execute("SELECT max(pk) FROM memories")
    write_mark(transaction, Mark(name, version, changes.newest(transaction), 0, target or 0))


def lines_to_fill(transaction: Transaction, mark: Mark) -> list[Change]:
    """The next memories of a filling, as additions."""
    rows = transaction.execute(
        "SELECT scope, pk FROM memories WHERE pk > ? AND pk <= ? ORDER BY pk LIMIT ?",
        (mark.position, mark.target, BATCH),
    )
    return [Change(seq=mark.seq, scope=scope, pk=pk, operation="add") for scope, pk in rows]


def lines_to_replay(transaction: Transaction, mark: Mark, last: int, limit: int = -1) -> list[Change]:
    """The log's lines in (mark.seq, last]."""
    rows = transaction.execute(
        "SELECT seq, scope, pk, operation FROM changes WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
        (mark.seq, last, limit),
    )
    return [Change(seq=seq, scope=scope, pk=pk, operation=operation) for seq, scope, pk, operation in rows]


def load(transaction: Transaction, pks: Iterable[int]) -> dict[int, Memory]:
    """The versions that are still there, by pk."""
    rows = transaction.execute(
        f"SELECT s.tenant, s.agent, {', '.join(f'm.{name}' for name in MEMORY_COLUMNS.split(', '))} "
        "FROM json_each(?) AS wanted CROSS JOIN memories AS m ON m.pk = wanted.value "
        "CROSS JOIN scopes AS s ON s.scope = m.scope",
        (str(list(pks)),),
    )
    return {row[2]: to_memory(row[2:], Scope(row[0], row[1])) for row in rows}


def present(transaction: Transaction, pks: Iterable[int]) -> list[int]:
    """Which of these versions are still there."""
    sql = "SELECT m.pk FROM json_each(?) AS wanted CROSS JOIN memories AS m ON m.pk = wanted.value"
    return [pk for (pk,) in transaction.execute(sql, (str(list(pks)),))]


def complete(lines: Iterable[Change], mark: Mark, payloads: Mapping[int, Payload]) -> list[Change]:
    """The lines that concern an index, additions with their memory; memories that have gone are left out."""
    completed = []
    for line in lines:
        if line.operation == "add":
            payload = payloads.get(line.pk)
            if payload is not None:
                completed.append(_addition(line, payload))
        elif line.operation == "delete" or not mark.awaits(line.pk):
            completed.append(line)
    return completed


def _addition(line: Change, payload: Payload) -> Change:
    return Change(
        seq=line.seq,
        scope=line.scope,
        pk=line.pk,
        operation=line.operation,
        memory=payload.memory,
        prepared=payload.prepared,
    )


def apply(transaction: Transaction, index: Index, lines: Sequence[Change], mark: Mark) -> None:
    """Apply lines and move the mark, both or neither; the rest of the transaction stands either way."""
    transaction.execute("SAVEPOINT index_apply")
    try:
        if lines:
            index.apply(transaction, lines)
        write_mark(transaction, mark)
    except Exception as error:
        if not (isinstance(error, ComisError) and is_environment(error)):
            transaction.execute("ROLLBACK TO index_apply")
            transaction.execute("RELEASE index_apply")
        raise
    transaction.execute("RELEASE index_apply")
