"""Ways to spoil a database file behind the back of everybody."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw

PAGE = 8192


def checkpoint(path: Path) -> None:
    """Fold the log into the file, as any other process may do; nobody must be reading."""
    statement(path, "SELECT 1")


def statement(path: Path, sql: str, bindings: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Run one statement without foreign keys and without anybody following it."""
    connection = apsw.Connection(str(path))
    try:
        connection.set_busy_timeout(5000)
        rows = connection.execute(sql, bindings).fetchall()
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    finally:
        connection.close(True)
    return rows


def pages(path: Path, name: str) -> list[int]:
    """The pages of a table or index."""
    return [page for (page,) in statement(path, "SELECT pageno FROM dbstat WHERE name = ? ORDER BY 1", (name,))]


def spoil_page(path: Path, name: str, place: float = 0.5) -> None:
    """Overwrite the first part of a page of a table or index; nobody may have the file open.

    place: 0 for its first page, 1 for its last.
    """
    found = pages(path, name)
    page = found[round(place * (len(found) - 1))]
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(random.Random(1).randbytes(3000))


def digest(path: Path) -> str:
    """What tells whether a file was touched."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
