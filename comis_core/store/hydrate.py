"""Columns of a pool: one statement, which also says who is in sight, and one array a column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from comis_core.protocols import CORE_COLUMNS
from comis_core.store.transaction import Execute, select_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COLUMNS = ", ".join(CORE_COLUMNS)
_PLACES = {name: place for place, name in enumerate(CORE_COLUMNS)}

CoreRow = tuple[Any, ...]
"""The id and `CORE_COLUMNS` of one memory."""


def visible_rows(execute: Execute, ids: Sequence[int]) -> list[CoreRow]:
    """The rows of those of the ascending `ids` that are in `visible`, ascending too."""
    return select_in(execute, f"SELECT pk, {_COLUMNS} FROM visible WHERE pk IN ({{}}) ORDER BY pk", ids)


class CoreColumns(Mapping[str, "NDArray[Any]"]):
    """`CORE_COLUMNS` of rows, each a read-only array of len(rows), made when it is first asked for: few ever are."""

    def __init__(self, rows: Sequence[CoreRow]) -> None:
        self._values = list(zip(*rows, strict=True))[1:] if rows else [()] * len(_PLACES)
        self._made: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = _array(self._values[_PLACES[name]], CORE_COLUMNS[name])
            made.setflags(write=False)
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)


def _array(values: Sequence[Any], dtype: str) -> NDArray[Any]:
    if dtype == "object":
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array
    return np.array(values, dtype=dtype)
