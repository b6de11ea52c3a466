"""Columns of a pool: one statement, one array a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from comis_core.protocols import CORE_COLUMNS
from comis_core.store.transaction import Execute, select_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids

_COLUMNS = ", ".join(CORE_COLUMNS)
_NAMES = tuple(CORE_COLUMNS)


def core_columns(execute: Execute, ids: Ids) -> Mapping[str, NDArray[Any]]:
    """`CORE_COLUMNS` for ascending ids, each an array of len(ids).

    Raises:
        KeyError: an id has no row.
    """
    rows = select_in(execute, f"SELECT pk, {_COLUMNS} FROM memories WHERE pk IN ({{}}) ORDER BY pk", ids.tolist())
    if len(rows) != len(ids):
        missing = sorted(set(ids.tolist()) - {row[0] for row in rows})
        raise KeyError(f"no rows for {missing[:5]}, or ids that are not unique")
    columns = list(zip(*rows, strict=True))[1:] if rows else [()] * len(_NAMES)
    return {name: _array(values, CORE_COLUMNS[name]) for name, values in zip(_NAMES, columns, strict=True)}


def _array(values: Sequence[Any], dtype: str) -> NDArray[Any]:
    if dtype == "object":
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array
    return np.array(values, dtype=dtype)
