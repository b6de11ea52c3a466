"""Statements on a connection, as parts see them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import apsw

from comis_core.errors import StoreError
from comis_core.store.faults import translate

_CHUNK = 512
"""Rows that a statement reads at once."""

_SIZES = (1, 16, 64, 256, 1024, 4096)


Execute = Callable[[str, Sequence[Any]], Iterable[tuple[Any, ...]]]
"""Runs one statement with its bindings."""


def select_in(execute: Execute, sql: str, values: Sequence[Any], before: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """The rows of a statement that says `IN ({})`, for any number of values.

    The list of placeholders is padded to one of a few sizes by repeating the last value, so that the statements stay
    prepared; a repeated value in IN changes nothing.

    before: bindings of the placeholders that stand before the list.
    """
    rows: list[tuple[Any, ...]] = []
    for start in range(0, len(values), _SIZES[-1]):
        part = values[start : start + _SIZES[-1]]
        size = next(size for size in _SIZES if size >= len(part))
        rows += execute(_with_places(sql, size), [*before, *part, *[part[-1]] * (size - len(part))])
    return rows


@functools.lru_cache(maxsize=256)
def _with_places(sql: str, size: int) -> str:
    return sql.format(",".join("?" * size))


def end_reading(connection: apsw.Connection) -> None:
    """End a read transaction, also one that a failed read has ended already or in which SQLite refuses to commit."""
    for end in ("COMMIT", "ROLLBACK"):
        if not connection.in_transaction:
            return
        with suppress(apsw.Error):
            connection.execute(end)


class Statements:
    """Runs statements on a connection until `end`; fulfils `protocols.Transaction`.

    over: what to say of a statement that comes after the end.
    """

    def __init__(self, connection: apsw.Connection, path: Path, over: str = "the transaction has ended") -> None:
        self._connection: apsw.Connection | None = connection
        self._path = path
        self._over = over
        self._pending: list[apsw.Cursor] = []

    def execute(self, sql: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run one statement; few rows are read at once, many are streamed. Raises StoreError."""
        try:
            cursor = self._open().execute(sql, bindings)
        except apsw.Error as error:
            raise translate(error, self._path) from error
        rows = self._chunk(cursor)
        if len(rows) < _CHUNK:
            return iter(rows)
        self._pending.append(cursor)
        # No name holds what has been read: rows that wait call the garbage collector, which looks through everything.
        return chain(iter(rows), chain.from_iterable(iter(partial(self._chunk, cursor), [])))

    def executemany(self, sql: str, bindings: Iterable[Sequence[Any]]) -> None:
        """Run one statement for many rows. Raises StoreError."""
        try:
            for _ in self._open().executemany(sql, bindings):
                pass
        except apsw.Error as error:
            raise translate(error, self._path) from error

    def script(self, sql: str) -> None:
        """Run several statements, separated by semicolons."""
        for _ in self.execute(sql):
            pass

    def end(self) -> None:
        """No statement may follow. One that was not read to its end would keep an old state of the file in use."""
        self._connection = None
        for cursor in self._pending:
            cursor.close(True)

    def _open(self) -> apsw.Connection:
        if self._connection is None:
            raise StoreError(f"{self._path}: {self._over}", hint="read and write inside it")
        return self._connection

    def _chunk(self, cursor: apsw.Cursor) -> list[tuple[Any, ...]]:
        """The next rows; none at the end."""
        try:
            return list(islice(cursor, _CHUNK))
        except apsw.Error as error:
            raise translate(error, self._path) from error
