"""A scope's live vectors of one embedding space as one matrix in RAM, and how it follows the change log.

A large one has a copy in int8 beside it (`comis_core.store.codes`): that is scanned, and the nearest are compared again
as float32, so that their order and their cosines are those of the matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from comis_core.model import Claims
from comis_core.store.codes import EXTRA, Codes, worth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids
    from comis_core.protocols.reading import Matrix

STORED = np.dtype("<f4")
"""How a component lies in a blob."""

RESCORED = 200
"""Nearest memories by codes that are compared again as float32, at least."""

_READ = 512
"""Blobs joined at a time while loading."""

_SLACK = 256
"""Free rows of a new buffer, at least; an eighth of its rows if that is more."""

_DENSE = 100
"""A scope's ids lie close together when they span fewer numbers than so many a memory."""

_HEAPS = 8
"""So many heaps for each place that is looked for among the highest."""

_SMALL = 4 * 1024 * 1024
"""Below so many bytes hidden rows are taken out at once; above when they are a sixteenth of all rows."""


class Buffer:
    """Room for rows. Slabs share it: each sees the rows it was made with, later ones are written behind them.

    Args:
        coded: whether the rows are kept as int8 too.
    """

    def __init__(self, rows: int, dimensions: int, *, coded: bool) -> None:
        capacity = rows + max(_SLACK, rows // 8)
        self.ids: Ids = np.empty(capacity, np.int64)
        self.matrix: Matrix = np.empty((capacity, dimensions), np.float32)
        self.codes = Codes(capacity, dimensions) if coded else None
        self.filled = 0

    @property
    def bytes(self) -> int:
        """What it occupies."""
        return self.ids.nbytes + self.matrix.nbytes + (0 if self.codes is None else self.codes.bytes)

    def append(self, ids: Ids, matrix: Matrix) -> None:
        """Write rows behind the last; the caller has seen that there is room."""
        end = self.filled + len(ids)
        self.ids[self.filled : end] = ids
        self.matrix[self.filled : end] = matrix
        if self.codes is not None:
            self.codes.write(self.filled, matrix)
        self.filled = end

    def room(self) -> int:
        """How many rows still fit."""
        return len(self.ids) - self.filled


@attrs.frozen(eq=False, repr=False)
class Slab:
    """One immutable state of a scope's vectors.

    ids: int64[n], ascending, repeated for the windows of one memory. matrix: float32[n, d]. live: bool[n], False for
    memories hidden since the buffer was made; None when there are none. starts: int64[m], the first row of each
    memory; None when every memory has one row.
    """

    buffer: Buffer
    ids: Ids
    matrix: Matrix
    live: NDArray[np.bool_] | None = None
    starts: NDArray[np.int64] | None = None

    @property
    def memory(self) -> Mapping[int, int]:
        """Identity and bytes of its buffer, and of `members`, which are its own."""
        return {id(self.buffer): self.buffer.bytes, id(self): self.ids.nbytes}

    @cached_property
    def members(self) -> Ids:
        """int64[m]: the ids without repetition, hidden ones included.

        An array of its own that nobody can write to, so that who has looked at it once need not look again.
        """
        members = self.ids.copy() if self.starts is None else self.ids[self.starts]
        members.flags.writeable = False
        return members

    def similarities(self, query: Matrix, visible: Ids | None, exact: int = RESCORED) -> Claims:
        """Cosine of each memory's best window.

        Args:
            query: float32[d], unit length.
            visible: ascending ids to which the answer is restricted; None for all live ones.
            exact: how many of the nearest are compared as float32, where the others are compared as int8. None of the
                others is said to be nearer than these.
        """
        codes = self._codes()
        scores = self.matrix @ query if codes is None else codes.cosines(len(self.ids), query)
        if self.starts is not None:
            scores = np.maximum.reduceat(scores, self.starts)
        places = self._seen(visible)
        if places is not None:
            scores = scores[places]
        if codes is not None:
            self._rescore(scores, places, query, exact)
        chosen = self.members if places is None else self.members[places]
        return Claims(chosen, np.clip(scores, -1.0, 1.0, out=scores).astype(np.float64))

    def _codes(self) -> Codes | None:
        """The copy that is to be scanned. How many are live decides, not how they came here, so that a slab that has
        grown answers like one that was loaded."""
        codes = self.buffer.codes
        if codes is None:
            return None
        rows = len(self.ids) if self.live is None else int(np.count_nonzero(self.live))
        return codes if worth(rows, self.matrix.shape[1]) else None

    def _seen(self, visible: Ids | None) -> NDArray[np.int64] | None:
        """Places in `members` of those that are asked for; None for all."""
        if visible is not None:
            return _places(self.members, visible)
        if self.live is None:
            return None
        return np.flatnonzero(self.live if self.starts is None else self.live[self.starts])

    def _rescore(self, scores: Matrix, places: NDArray[np.int64] | None, query: Matrix, exact: int) -> None:
        """Put float32 cosines in the place of the `exact` highest scores, the newer of equals, and no other above."""
        head = _highest(scores, exact)
        if not len(head):
            return
        chosen = head if places is None else places[head]
        found = self._cosines(chosen, query)
        np.minimum(scores, found.min(), out=scores)
        scores[head] = found

    def _cosines(self, chosen: NDArray[np.int64], query: Matrix) -> Matrix:
        """float32[len(chosen)]: cosines of the best windows of some members, from the matrix."""
        if self.starts is None:
            return self.matrix[chosen] @ query
        ends = np.append(self.starts[1:], len(self.ids))
        windows = ends[chosen] - self.starts[chosen]
        begins = np.cumsum(windows) - windows
        rows = np.arange(int(windows.sum())) + np.repeat(self.starts[chosen] - begins, windows)
        best: Matrix = np.maximum.reduceat(self.matrix[rows] @ query, begins)
        return best

    def first_windows(self, ids: Ids) -> Matrix:
        """float32[len(ids), d]: the first row of each id, NaN where there is none."""
        if not len(self.ids):
            return np.full((len(ids), self.matrix.shape[1]), np.nan, np.float32)
        rows = np.minimum(self.ids.searchsorted(ids), len(self.ids) - 1)
        found = self.matrix[rows]
        hit = self.ids[rows] == ids
        if self.live is not None:
            hit &= self.live[rows]
        found[~hit] = np.nan
        return found


def best(claims: Claims, limit: int) -> Claims:
    """The `limit` highest, ids ascending; a tie at the cut goes to the newer (higher) id."""
    if len(claims.ids) <= limit:
        return claims
    chosen = _highest(claims.values, limit)
    return Claims(claims.ids[chosen], claims.values[chosen])


def row_bytes(dimensions: int, *, coded: bool = False) -> int:
    """What a vector occupies in a slab."""
    return 4 * dimensions + 8 + (dimensions + EXTRA if coded else 0)


def read(rows: Iterator[tuple[int, bytes]], count: int, dimensions: int, budget_bytes: int) -> Slab:
    """A slab from (id, blob) rows in ascending order of id; `count` is how many there are at most.

    budget_bytes: within which a large one has a copy in int8 too; 0 for none.
    """
    buffer = Buffer(count, dimensions, coded=_coded(count, dimensions, budget_bytes))
    while chunk := list(islice(rows, _READ)):
        buffer.append(*decode(chunk, dimensions))
    return _view(buffer, buffer.filled)


def decode(rows: Sequence[tuple[int, bytes]], dimensions: int) -> tuple[Ids, Matrix]:
    """int64[n] and float32[n, dimensions] of (id, blob) rows."""
    if not rows:
        return np.zeros(0, np.int64), np.zeros((0, dimensions), np.float32)
    matrix = np.frombuffer(b"".join([blob for _, blob in rows]), STORED).reshape(len(rows), dimensions)
    return np.fromiter((pk for pk, _ in rows), np.int64, len(rows)), matrix


def follow(slab: Slab, touched: Iterable[int], ids: Ids, matrix: Matrix, budget_bytes: int) -> Slab:
    """The slab after a change of some memories.

    Args:
        touched: the memories whose rows may differ now.
        ids, matrix: all rows of those that are live, by ascending id.
        budget_bytes: as in `read`.
    """
    live = np.ones(len(slab.ids), np.bool_) if slab.live is None else slab.live.copy()
    fresh = np.ones(len(ids), np.bool_)
    for pk in touched:
        old, new = _range(slab.ids, pk), _range(ids, pk)
        same = new.start < new.stop and np.array_equal(slab.matrix[old], matrix[new])
        live[old] = same
        if same:
            fresh[new] = False
    ids, matrix = ids[fresh], matrix[fresh]
    if (
        (len(ids) and not _fits_behind(slab, ids))
        or _worth_compacting(slab, live)
        or _codes_differ(slab, len(live) + len(ids), budget_bytes)
    ):
        return _rebuild(slab, live, ids, matrix, budget_bytes)
    if len(ids):
        slab.buffer.append(ids, matrix)
    return _view(slab.buffer, len(live) + len(ids), np.concatenate((live, np.ones(len(ids), np.bool_))))


def _coded(rows: int, dimensions: int, budget_bytes: int) -> bool:
    return rows * row_bytes(dimensions, coded=True) <= budget_bytes and worth(rows, dimensions)


def _codes_differ(slab: Slab, rows: int, budget_bytes: int) -> bool:
    """Whether codes are missing, or have to go; those of a slab that has become small stay for the time being."""
    dimensions = slab.matrix.shape[1]
    if slab.buffer.codes is None:
        return _coded(rows, dimensions, budget_bytes)
    return rows * row_bytes(dimensions, coded=True) > budget_bytes


def _highest(values: NDArray[np.floating[Any]], limit: int) -> NDArray[np.int64]:
    """Places of the `limit` highest, ascending; a tie at the cut goes to the later."""
    if len(values) <= limit:
        return np.arange(len(values))
    if limit <= 0:
        return np.zeros(0, np.int64)
    places = _upper(values, limit)
    among = values[places]
    cut = np.partition(among, len(among) - limit)[len(among) - limit]
    above, tied = places[among > cut], places[among == cut]
    return np.sort(np.concatenate((above, tied[len(tied) - (limit - len(above)) :])))


def _upper(values: NDArray[np.floating[Any]], limit: int) -> NDArray[np.int64]:
    """Places, ascending, among which the `limit` highest are, ties included; seldom many more.

    The values are dealt to several times as many heaps as are asked for: what reaches the `limit`-th highest of the
    heaps' own highest is enough. That takes one pass, where a partition of everything takes many.
    """
    heaps = _HEAPS * limit
    if len(values) >= 2 * heaps:
        tops = values[: len(values) // heaps * heaps].reshape(-1, heaps).max(axis=0)
        places = np.flatnonzero(values >= np.partition(tops, heaps - limit)[heaps - limit])
        if len(places) >= limit:  # Not so where values are no numbers.
            return places
    return np.arange(len(values))


def _fits_behind(slab: Slab, ids: Ids) -> bool:
    at_tip = slab.buffer.filled == len(slab.ids)
    newer = not len(slab.ids) or ids[0] > slab.ids[-1]
    return bool(at_tip and newer and len(ids) <= slab.buffer.room())


def _worth_compacting(slab: Slab, live: NDArray[np.bool_]) -> bool:
    hidden = len(live) - int(np.count_nonzero(live))
    return hidden > 0 and (slab.matrix.nbytes <= _SMALL or hidden * 16 > len(live))


def _rebuild(slab: Slab, live: NDArray[np.bool_], ids: Ids, matrix: Matrix, budget_bytes: int) -> Slab:
    """A new buffer with the live rows and the given ones, in order of id."""
    kept = slab.ids[live]
    rows, dimensions = len(kept) + len(ids), slab.matrix.shape[1]
    buffer = Buffer(rows, dimensions, coded=_coded(rows, dimensions, budget_bytes))
    if not len(ids) or not len(kept) or ids[0] > kept[-1]:
        buffer.append(kept, slab.matrix[live] if len(kept) < len(slab.ids) else slab.matrix)
        buffer.append(ids, matrix)
    else:
        both = np.concatenate((kept, ids))
        order = np.argsort(both, kind="stable")
        buffer.append(both[order], np.concatenate((slab.matrix[live], matrix))[order])
    return _view(buffer, buffer.filled)


def _view(buffer: Buffer, rows: int, live: NDArray[np.bool_] | None = None) -> Slab:
    ids, matrix = buffer.ids[:rows], buffer.matrix[:rows]
    ids.flags.writeable = False
    matrix.flags.writeable = False
    if live is not None and live.all():
        live = None
    return Slab(buffer, ids, matrix, live, _starts(ids))


def _starts(ids: Ids) -> NDArray[np.int64] | None:
    changed = np.ones(len(ids), np.bool_)
    np.not_equal(ids[1:], ids[:-1], out=changed[1:])
    return None if changed.all() else np.flatnonzero(changed)


def _range(ids: Ids, pk: int) -> slice:
    return slice(int(np.searchsorted(ids, pk)), int(np.searchsorted(ids, pk, "right")))


def _places(members: Ids, wanted: Ids) -> NDArray[np.int64]:
    """Places in `members` of those that are in `wanted`; both ascending."""
    if not len(members) or not len(wanted):
        return np.zeros(0, np.int64)
    first, last = int(members[0]), int(members[-1])
    if last - first < _DENSE * len(members):
        # Ids that lie close together are looked up in a table, many times faster than by bisection.
        table = np.zeros(last - first + 1, np.bool_)
        table[wanted[np.searchsorted(wanted, first) : np.searchsorted(wanted, last, "right")] - first] = True
        return np.flatnonzero(table[members - first])
    places = np.minimum(np.searchsorted(members, wanted), len(members) - 1)
    found: NDArray[np.int64] = places[members[places] == wanted]
    return found
