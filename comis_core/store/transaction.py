"""Statements on a connection, as parts see them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import apsw

from comis_core.errors import StoreError
from comis_core.store.faults import translate

_CHUNK = 512


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
        statement = sql.format(",".join("?" * size))
        rows += execute(statement, [*before, *part, *[part[-1]] * (size - len(part))])
    return rows


def run(
    connection: apsw.Connection, path: Path, sql: str, bindings: Sequence[Any] | Mapping[str, Any]
) -> Iterator[tuple[Any, ...]]:
    """Run a statement to its end when it has few rows, so that it neither lingers nor fails later; else stream them."""
    try:
        cursor = connection.execute(sql, bindings)
        rows = list(islice(cursor, _CHUNK))
    except apsw.Error as error:
        raise translate(error, path) from error
    if len(rows) < _CHUNK:
        return iter(rows)
    return chain(rows, chain.from_iterable(_chunks(cursor, path)))


def _chunks(cursor: Iterator[tuple[Any, ...]], path: Path) -> Iterator[list[tuple[Any, ...]]]:
    while True:
        try:
            rows = list(islice(cursor, _CHUNK))
        except apsw.Error as error:
            raise translate(error, path) from error
        if not rows:
            return
        yield rows


class Statements:
    """Runs statements on a connection until `end`; fulfils `protocols.Transaction`."""

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        self._connection: apsw.Connection | None = connection
        self._path = path

    def execute(self, sql: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run one statement. Raises StoreError."""
        return run(self._open(), self._path, sql, bindings)

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
        """No statement may follow."""
        self._connection = None

    def _open(self) -> apsw.Connection:
        if self._connection is None:
            raise StoreError(f"{self._path}: the transaction has ended", hint="do the work inside it")
        return self._connection
