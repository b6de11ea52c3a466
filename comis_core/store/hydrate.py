"""Columns of a pool: one statement, which also says who is in sight, and one array a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from comis_core.protocols import CORE_COLUMNS
from comis_core.store.transaction import Execute, select_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids

_COLUMNS = ", ".join(CORE_COLUMNS)
_TYPES = tuple(CORE_COLUMNS.items())

CoreRow = tuple[Any, ...]
"""The id and `CORE_COLUMNS` of one memory."""


def visible_rows(execute: Execute, ids: Ids) -> list[CoreRow]:
    """The rows of those of the ascending `ids` that are in `visible`, ascending too."""
    return select_in(execute, f"SELECT pk, {_COLUMNS} FROM visible WHERE pk IN ({{}}) ORDER BY pk", ids.tolist())


def to_columns(rows: Sequence[CoreRow]) -> dict[str, NDArray[Any]]:
    """`CORE_COLUMNS` of rows, each an array of len(rows)."""
    columns = list(zip(*rows, strict=True))[1:] if rows else [()] * len(_TYPES)
    return {name: _array(values, dtype) for (name, dtype), values in zip(_TYPES, columns, strict=True)}


def _array(values: Sequence[Any], dtype: str) -> NDArray[Any]:
    if dtype == "object":
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array
    return cast("NDArray[Any]", np.array(values, dtype=dtype))
