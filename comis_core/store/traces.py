"""Stored traces: how answers came about, as the text of plain data without any word of a question or a memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from comis_core.model.shown import Compared
from comis_core.protocols import Transaction
from comis_core.store.identity import to_text

_COLUMNS = "id, kind, asked_at, record"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TraceRow(Compared):
    """One stored trace. asked_at: epoch microseconds. record: JSON."""

    id: str
    kind: str
    asked_at: int
    record: str


def keep(transaction: Transaction, scope: int, number: bytes, row: TraceRow, most: int) -> None:
    """Add a trace, and forget the scope's oldest beyond `most`. number: the 16 bytes of its id."""
    transaction.execute(
        "INSERT INTO traces(id, scope, kind, asked_at, record) VALUES (?, ?, ?, ?, ?)",
        (number, scope, row.kind, row.asked_at, row.record),
    )
    transaction.execute(
        "DELETE FROM traces WHERE scope = ?1 AND trace <= "
        "(SELECT trace FROM traces WHERE scope = ?1 ORDER BY trace DESC LIMIT 1 OFFSET ?2)",
        (scope, most),
    )


def find(reader: Transaction, scope: int, number: bytes | None) -> TraceRow | None:
    """The scope's trace with this id."""
    rows = reader.execute(f"SELECT {_COLUMNS} FROM traces WHERE id = ? AND scope = ?", (number, scope))
    return next((_row(row) for row in rows), None)


def newest(reader: Transaction, scope: int, limit: int) -> list[TraceRow]:
    """The scope's last traces, newest first."""
    rows = reader.execute(
        f"SELECT {_COLUMNS} FROM traces WHERE scope = ? ORDER BY trace DESC LIMIT ?", (scope, max(0, limit))
    )
    return [_row(row) for row in rows]


def _row(row: Sequence[Any]) -> TraceRow:
    number, kind, asked_at, record = row
    return TraceRow(id=to_text(number), kind=kind, asked_at=asked_at, record=record)
