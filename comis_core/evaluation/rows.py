"""Rows of evaluation data: JSON objects line by line, whose faults are told with file and line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from comis_core.errors import ComisError, MemoryRejected

R = TypeVar("R")


@attrs.frozen(kw_only=True)
class Shape:
    """What the rows of a file are called, and which keys they must and may have; an `id` is given once a file."""

    called: str
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()

    def check(self, row: object) -> Mapping[str, Any]:
        """The row. Raises ValueError for one that is no object, lacks a key or has one that nobody reads."""
        if not isinstance(row, dict):
            raise ValueError(f"a row is a JSON object, not {type(row).__name__}")
        missing = [key for key in self.required if row.get(key) is None]
        if missing:
            raise ValueError(f"{', '.join(map(repr, missing))} is missing (needed: {', '.join(self.required)})")
        known = (*self.required, *self.optional)
        unknown = [key for key in row if key not in known]
        if unknown:
            raise ValueError(f"unknown key {unknown[0]!r} (known: {', '.join(known)})")
        return row


def read_rows(path: Path, shape: Shape, parse: Callable[[Mapping[str, Any], str], R]) -> Iterator[R]:
    """Each row of a file, parsed; empty lines are passed over.

    parse: gets the row and its place, which is file and line.

    Raises ComisError naming file and line of the first row that is wrong.
    """
    seen: dict[str, int] = {}
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = shape.check(json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8")))
                first = seen.setdefault(str(row["id"]), number) if "id" in row else number
                if first != number:
                    words = f"two {shape.called} have the id {str(row['id'])!r}, the first on line {first}"
                    raise ValueError(f"{words}; give each an id of its own")
                yield parse(row, f"{path}:{number}")
            except (MemoryRejected, ValueError, TypeError, AttributeError, RecursionError) as error:
                raise ComisError(f"{path}:{number}: {_words(error)}") from error


def _words(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at byte {error.start} of the line"
    if isinstance(error, MemoryRejected):
        return error.reason
    return str(error.args[0]) if error.args else type(error).__name__
