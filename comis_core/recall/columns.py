"""What is known about the candidates, as columns: loaded when first asked for, each candidate once a recall."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from comis_core.model import Pool, Ranking
from comis_core.protocols import CORE_COLUMNS, Column
from comis_core.recall.checks import check_column, locked, positions
from comis_core.recall.guard import Guard
from comis_core.recall.parts import Bound, Pipeline
from comis_core.recall.reader import Reader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids, Scores

    Columns = Mapping[str, NDArray[Any]]


@attrs.define(eq=False)
class Hydration:
    """The columns of one recall's candidates: the core's, and those of plugins that some part requires."""

    reader: Reader
    parts: Sequence[Bound[Column]]
    required: frozenset[str]
    guard: Guard
    _ids: Ids = attrs.field(factory=lambda: np.zeros(0, np.int64), init=False)
    _columns: dict[str, NDArray[Any]] = attrs.field(factory=dict, init=False)

    @classmethod
    def of(cls, pipeline: Pipeline, reader: Reader, guard: Guard) -> Hydration:
        """For a pipeline: a column that no part requires is never loaded."""
        parts: tuple[Bound[Any], ...] = (*pipeline.lanes, *pipeline.expanders, *pipeline.scorers)
        required = {name for part in parts for name in part.requires} - set(CORE_COLUMNS)
        columns = [column for column in pipeline.columns if column.name in required]
        return cls(reader, columns, frozenset(required), guard)

    def load(self, ids: Ids) -> Columns:
        """The columns for ascending visible ids; those that are known already are not read again."""
        _, known = positions(ids, self._ids)
        if not known.all():
            self._add(ids[~known])
        if len(ids) == len(self._ids):
            return MappingProxyType(self._columns)
        places, _ = positions(ids, self._ids)
        return {name: locked(values[places]) for name, values in self._columns.items()}

    def _add(self, ids: Ids) -> None:
        fresh = self._fetch(ids)
        if len(self._ids):
            order = np.argsort(np.concatenate([self._ids, ids]))
            fresh = {name: np.concatenate([self._columns[name], values])[order] for name, values in fresh.items()}
            ids = np.concatenate([self._ids, ids])[order]
        self._ids = ids
        self._columns = {name: locked(values) for name, values in fresh.items()}

    def _fetch(self, ids: Ids) -> dict[str, NDArray[Any]]:
        columns = {name: np.full(len(ids), np.nan) for name in self.required}
        for part in self.parts:
            values = self.guard.attempt(
                part, "column", lambda column: check_column(column.load(self.reader, ids), len(ids))
            )
            if values is not None:
                columns[part.name] = values
        return columns | dict(self.reader.columns(ids))


class LazyColumns(Mapping[str, "NDArray[Any]"]):
    """Columns that are loaded when somebody looks at them; most expanders never do."""

    def __init__(self, load: Callable[[], Columns]) -> None:
        self._load = load
        self._loaded: Columns | None = None

    def _columns(self) -> Columns:
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns())

    def __len__(self) -> int:
        return len(self._columns())


def pool_of(hydration: Hydration, ids: Ids, fused: Scores, rankings: Mapping[str, Ranking]) -> Pool:
    """A pool to show to parts: they can read its arrays and write none of them."""
    return Pool(locked(ids), locked(fused), LazyColumns(lambda: hydration.load(ids)), dict(rankings))


def id_text(id: bytes) -> str:
    """The canonical form of a UUID's 16 bytes."""
    digits = id.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
