"""What is known about the candidates: read once a recall with the look at whether they are visible, and made into
columns when somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
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


_id = itemgetter(0)


class Selected(Mapping[str, "NDArray[Any]"]):
    """Some rows of columns; each column is cut when it is first looked at, and few ever are.

    rows: places, or a mask.
    """

    def __init__(self, columns: Columns, rows: NDArray[Any]) -> None:
        self._columns = columns
        self._rows = rows
        self._cut: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        values = self._cut.get(name)
        if values is None:
            values = self._cut[name] = locked(self._columns[name][self._rows])
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


class Joined(Mapping[str, "NDArray[Any]"]):
    """The columns of the core and of plugins, whose names differ; none is cut before it is looked at."""

    def __init__(self, core: Columns, plugins: Columns) -> None:
        self._core = core
        self._plugins = plugins

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._core[name] if name in CORE_COLUMNS else self._plugins[name]

    def __iter__(self) -> Iterator[str]:
        return chain(self._core, self._plugins)

    def __len__(self) -> int:
        return len(self._core) + len(self._plugins)


def _none() -> Ids:
    return np.zeros(0, np.int64)


def _taken(columns: Columns, known: Ids, ids: Ids) -> Columns:
    """The columns of `ids`, which are all among `known`; both ascending."""
    return columns if len(ids) == len(known) else Selected(columns, positions(ids, known)[0])


@attrs.define(eq=False, repr=False)
class Hydration:
    """The columns of one recall's candidates: the core's, and those of plugins that some part requires."""

    reader: Reader
    parts: Sequence[Bound[Column]]
    required: frozenset[str]
    guard: Guard
    _ids: Ids = attrs.field(factory=_none, init=False)
    """Everybody known to be visible, ascending."""
    _rows: list[tuple[Any, ...]] = attrs.field(factory=list, init=False)
    _core: Columns | None = attrs.field(default=None, init=False)
    _asked: Ids = attrs.field(factory=_none, init=False)
    """Those for whom the plugins' columns are loaded."""
    _plugins: dict[str, NDArray[Any]] = attrs.field(factory=dict, init=False)

    @classmethod
    def of(cls, pipeline: Pipeline, reader: Reader, guard: Guard) -> Hydration:
        """For a pipeline: a column that no part requires is never loaded."""
        columns = [column for column in pipeline.columns if column.name in pipeline.required]
        return cls(reader, columns, pipeline.required, guard)

    def hidden(self, ids: Ids) -> Ids:
        """Those of the ascending `ids` that this recall may not see. What is read on the way is kept for `load`."""
        fresh = ids[~positions(ids, self._ids)[1]] if len(self._ids) else ids
        if not len(fresh):
            return fresh
        rows = self.reader.rows(fresh)
        seen = fresh if len(rows) == len(fresh) else np.fromiter((row[0] for row in rows), np.int64, len(rows))
        self._rows = sorted((*self._rows, *rows), key=_id) if self._rows else list(rows)
        self._ids = np.sort(np.concatenate((self._ids, seen))) if len(self._ids) else seen
        self._core = None
        return _none() if len(seen) == len(fresh) else np.setdiff1d(fresh, seen, assume_unique=True)

    def load(self, ids: Ids) -> Columns:
        """The columns for ascending ids that `hidden` has found visible."""
        if self._core is None:
            self._core = self.reader.columns_of(self._rows)
        core = _taken(self._core, self._ids, ids)
        return Joined(core, self._plugin_columns(ids)) if self.required else core

    def _plugin_columns(self, ids: Ids) -> Columns:
        """What some part requires of plugins; each candidate is asked for once."""
        fresh = ids[~positions(ids, self._asked)[1]]
        if len(fresh):
            columns, known = self._fetch(fresh), fresh
            if len(self._asked):
                everyone = np.concatenate((self._asked, fresh))
                order = np.argsort(everyone)
                columns = {
                    name: np.concatenate((self._plugins[name], values))[order] for name, values in columns.items()
                }
                known = everyone[order]
            self._plugins, self._asked = {name: locked(values) for name, values in columns.items()}, known
        return _taken(self._plugins, self._asked, ids)

    def _fetch(self, ids: Ids) -> dict[str, NDArray[Any]]:
        columns = {name: np.full(len(ids), np.nan) for name in self.required}
        for part in self.parts:
            values = self.guard.attempt(
                part, "column", lambda column: check_column(column.load(self.reader, ids), len(ids))
            )
            if values is not None:
                columns[part.name] = values
        return columns


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
