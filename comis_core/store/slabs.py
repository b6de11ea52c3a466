"""A scope's live vectors of one embedding space as one matrix in RAM, and how it follows the change log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.model import Claims

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids
    from comis_core.protocols.reading import Matrix

STORED = np.dtype("<f4")
"""How a component lies in a blob."""

_READ = 1024
"""Blobs joined at a time while loading."""

_SLACK = 256
"""Free rows of a new buffer, at least; an eighth of its rows if that is more."""

_DENSE = 100
"""A scope's ids lie close together when they span fewer numbers than so many a memory."""

_SMALL = 4 * 1024 * 1024
"""Below so many bytes hidden rows are taken out at once; above when they are a sixteenth of all rows."""


class Buffer:
    """Room for rows. Slabs share it: each sees the rows it was made with, later ones are written behind them."""

    def __init__(self, rows: int, dimensions: int) -> None:
        capacity = rows + max(_SLACK, rows // 8)
        self.ids: Ids = np.empty(capacity, np.int64)
        self.matrix: Matrix = np.empty((capacity, dimensions), np.float32)
        self.filled = 0

    @property
    def bytes(self) -> int:
        """What it occupies."""
        return self.ids.nbytes + self.matrix.nbytes

    def append(self, ids: Ids, matrix: Matrix) -> None:
        """Write rows behind the last; the caller has seen that there is room."""
        end = self.filled + len(ids)
        self.ids[self.filled : end] = ids
        self.matrix[self.filled : end] = matrix
        self.filled = end

    def room(self) -> int:
        """How many rows still fit."""
        return len(self.ids) - self.filled


@attrs.frozen(eq=False)
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
        """Identity and bytes of its buffer."""
        return {id(self.buffer): self.buffer.bytes}

    def members(self) -> Ids:
        """int64[m]: the ids without repetition, hidden ones included."""
        return self.ids if self.starts is None else self.ids[self.starts]

    def similarities(self, query: Matrix, visible: Ids | None) -> Claims:
        """Cosine of each memory's best window.

        Args:
            query: float32[d], unit length.
            visible: ascending ids to which the answer is restricted; None for all live ones.
        """
        scores = self.matrix @ query
        members, live = self.ids, self.live
        if self.starts is not None:
            scores = np.maximum.reduceat(scores, self.starts)
            members = self.ids[self.starts]
            live = None if live is None else live[self.starts]
        if visible is not None:
            rows = _places(members, visible)
            members, scores = members[rows], scores[rows]
        elif live is not None:
            members, scores = members[live], scores[live]
        return Claims(members, np.clip(scores, -1.0, 1.0).astype(np.float64))

    def first_windows(self, ids: Ids) -> Matrix:
        """float32[len(ids), d]: the first row of each id, NaN where there is none."""
        found = np.full((len(ids), self.matrix.shape[1]), np.nan, np.float32)
        if len(self.ids):
            rows = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
            hit = self.ids[rows] == ids
            if self.live is not None:
                hit &= self.live[rows]
            found[hit] = self.matrix[rows[hit]]
        return found


def best(claims: Claims, limit: int) -> Claims:
    """The `limit` highest, ids ascending; a tie at the cut goes to the newer (higher) id."""
    if len(claims.ids) <= limit:
        return claims
    if limit <= 0:
        return Claims(claims.ids[:0], claims.values[:0])
    cut = np.partition(claims.values, len(claims.values) - limit)[len(claims.values) - limit]
    above = np.flatnonzero(claims.values > cut)
    tied = np.flatnonzero(claims.values == cut)
    chosen = np.sort(np.concatenate((above, tied[len(tied) - (limit - len(above)) :])))
    return Claims(claims.ids[chosen], claims.values[chosen])


def read(rows: Iterator[tuple[int, bytes]], count: int, dimensions: int) -> Slab:
    """A slab from (id, blob) rows in ascending order of id; `count` is how many there are at most."""
    buffer = Buffer(count, dimensions)
    while chunk := list(islice(rows, _READ)):
        buffer.append(*decode(chunk, dimensions))
    return _view(buffer, buffer.filled)


def decode(rows: Sequence[tuple[int, bytes]], dimensions: int) -> tuple[Ids, Matrix]:
    """int64[n] and float32[n, dimensions] of (id, blob) rows."""
    if not rows:
        return np.zeros(0, np.int64), np.zeros((0, dimensions), np.float32)
    matrix = np.frombuffer(b"".join([blob for _, blob in rows]), STORED).reshape(len(rows), dimensions)
    return np.fromiter((pk for pk, _ in rows), np.int64, len(rows)), matrix


def follow(slab: Slab, touched: Iterable[int], ids: Ids, matrix: Matrix) -> Slab:
    """The slab after a change of some memories.

    Args:
        touched: the memories whose rows may differ now.
        ids, matrix: all rows of those that are live, by ascending id.
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
    if len(ids) and not _fits_behind(slab, ids):
        return _rebuild(slab, live, ids, matrix)
    if _worth_compacting(slab, live):
        return _rebuild(slab, live, ids, matrix)
    if len(ids):
        slab.buffer.append(ids, matrix)
    return _view(slab.buffer, len(live) + len(ids), np.concatenate((live, np.ones(len(ids), np.bool_))))


def _fits_behind(slab: Slab, ids: Ids) -> bool:
    at_tip = slab.buffer.filled == len(slab.ids)
    newer = not len(slab.ids) or ids[0] > slab.ids[-1]
    return bool(at_tip and newer and len(ids) <= slab.buffer.room())


def _worth_compacting(slab: Slab, live: NDArray[np.bool_]) -> bool:
    hidden = len(live) - int(np.count_nonzero(live))
    return hidden > 0 and (slab.matrix.nbytes <= _SMALL or hidden * 16 > len(live))


def _rebuild(slab: Slab, live: NDArray[np.bool_], ids: Ids, matrix: Matrix) -> Slab:
    """A new buffer with the live rows and the given ones, in order of id."""
    kept = slab.ids[live]
    buffer = Buffer(len(kept) + len(ids), slab.matrix.shape[1])
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
