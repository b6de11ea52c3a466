"""A slab: the living memories of a scope as segments in RAM, their statistics, and how it follows the change log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_plugins.lexical.segment import Row, Segment, build, merge

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids
    from comis_plugins.lexical.terms import SubLane

    Floats = NDArray[np.float32]
    Places = NDArray[np.int64]

K1 = 0.9
"""How soon further occurrences of a token stop counting; measured on short turns and passages alike."""

GRADE = 8
"""A segment joins the one before it once it has a GRADE-th of its memories: few segments, little copied."""

LARGEST = 2**20
"""Segments of more memories than that are left as they are."""

HIDDEN = 16
"""A segment is rid of its hidden memories once they are more than one in so many."""


@attrs.frozen(eq=False, repr=False)
class Statistics:
    """What BM25 needs to know of one sub-lane. mean: tokens of a memory; b: how much its length counts."""

    mean: float
    b: float


@attrs.frozen(eq=False, repr=False, slots=False)
class Slab:
    """One immutable state of a scope. Rows are numbered through all segments.

    Statistics are those of the living memories alone, whatever else the segments still hold, so that a ranking does
    not depend on how the slab came about. missing: living memories that the table has no row for yet.
    """

    lanes: tuple[SubLane, ...]
    segments: tuple[Segment, ...]
    missing: frozenset[int] = frozenset()
    _narrowed: dict[str, tuple[Ids, Ids, Places]] = attrs.field(init=False, factory=dict)
    """The last restriction, for the recalls that follow with the same filter."""

    @property
    def memory(self) -> Mapping[int, int]:
        """Identity and bytes of what its segments hold, and of what is worked out from them."""
        blocks = {id(self): 8 * self.size * (len(self.lanes) + 1)}
        for segment in self.segments:
            blocks |= segment.memory
        return blocks

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """The number of each segment's first row."""
        return (0, *accumulate(len(segment) for segment in self.segments[:-1]))

    @cached_property
    def size(self) -> int:
        """How many rows there are, hidden ones included."""
        return sum(len(segment) for segment in self.segments)

    @cached_property
    def count(self) -> int:
        """How many living memories there are."""
        return self.size - sum(segment.dead for segment in self.segments)

    @cached_property
    def statistics(self) -> tuple[Statistics, ...]:
        """For each sub-lane."""
        sums = [segment.sums for segment in self.segments]
        return tuple(
            _statistics(self.count, sum(each[lane][0] for each in sums), sum(each[lane][1] for each in sums))
            for lane in range(len(self.lanes))
        )

    @cached_property
    def norms(self) -> tuple[Floats, ...]:
        """For each sub-lane float32[size]: k1 (1 - b + b length / mean) of every row."""
        lengths = np.concatenate([segment.lengths for segment in self.segments], axis=1)
        return tuple(_norms(each, statistics) for each, statistics in zip(lengths, self.statistics, strict=True))

    @cached_property
    def singles(self) -> tuple[Floats, ...]:
        """For each sub-lane float32[size]: what one occurrence is worth in every row, 1 / (1 + norm)."""
        return tuple(np.reciprocal(1 + norms) for norms in self.norms)

    @cached_property
    def _order(self) -> tuple[Ids, Places | None]:
        """The living ids, ascending, and their rows; None for all rows as they stand."""
        ids = np.concatenate([segment.ids for segment in self.segments])
        if self.count < self.size:
            living = [np.ones(len(each), np.bool_) if each.living is None else each.living for each in self.segments]
            rows = np.flatnonzero(np.concatenate(living))
        elif (ids[1:] > ids[:-1]).all():
            return _locked(ids), None
        else:
            rows = np.arange(len(ids))
        rows = rows[np.argsort(ids[rows], kind="stable")]
        return _locked(ids[rows]), rows

    @property
    def ids(self) -> Ids:
        """int64[count], ascending: the living memories."""
        return self._order[0]

    def rows(self, visible: Ids | None) -> tuple[Ids, Places | None]:
        """The memories that count, ascending, and their rows (None: all rows as they stand).

        visible: ascending ids to which they are restricted.
        """
        ids, rows = self._order
        if visible is None:
            return ids, rows
        last = self._narrowed.get("last")
        if last is None or last[0] is not visible:
            places = np.flatnonzero(np.isin(ids, visible, assume_unique=True))
            last = (visible, _locked(ids[places]), places if rows is None else rows[places])
            self._narrowed["last"] = last
        return last[1:]

    def followed(self, touched: Collection[int], living: Sequence[Row]) -> Slab:
        """The slab after a change of the memories `touched`, of which those of `living` are alive now.

        living: rows by ascending id, without lengths and blobs (all None) where the table has none yet.
        """
        alive = {row[0]: row for row in living}
        segments = list(self.segments)
        fresh = dict(alive)
        for place, segment in enumerate(segments):
            marks = {row: pk in alive for pk in touched if (row := segment.row_of(pk)) is not None}
            if marks:
                segments[place] = segment.marked(marks)
                for row in marks:
                    fresh.pop(int(segment.ids[row]), None)
        here = [row for row in fresh.values() if row[1] is not None]
        if here:
            segments.append(build(here, self.lanes))
        missing = self.missing.difference(touched).union(pk for pk, row in fresh.items() if row[1] is None)
        return Slab(self.lanes, tuple(_graded(segments)), missing)


def load(rows: Iterable[Row], lanes: tuple[SubLane, ...]) -> Slab:
    """A slab of some memories; rows by ascending id, without lengths and blobs where the table has none yet."""
    missing: set[int] = set()
    present = _present(rows, missing)
    segments = [build(islice(present, LARGEST), lanes)]
    while len(segments[-1]) == LARGEST:
        segments.append(build(islice(present, LARGEST), lanes))
    return Slab(lanes, tuple(segments), frozenset(missing))


def _present(rows: Iterable[Row], missing: set[int]) -> Iterator[Row]:
    """The rows that the table has; the ids of the others go to `missing`."""
    for row in rows:
        if row[1] is None:
            missing.add(row[0])
        else:
            yield row


def _graded(segments: Sequence[Segment]) -> list[Segment]:
    """The segments rid of much that is hidden, each less than a GRADE-th of the one before it."""
    graded: list[Segment] = []
    for segment in segments:
        kept = segment.compacted() if segment.dead * HIDDEN > len(segment) else segment
        if graded and not len(kept):
            continue
        graded.append(kept)
        while len(graded) > 1 and _joins(*graded[-2:]):
            second = graded.pop()
            graded[-1] = merge(graded[-1], second)
    return graded


def _joins(first: Segment, second: Segment) -> bool:
    return len(second) * GRADE >= len(first) and len(first) + len(second) <= LARGEST


def _statistics(count: int, total: float, squares: float) -> Statistics:
    """b grows with how much lengths differ: turns of a chat hardly do, documents do."""
    if not total:
        return Statistics(mean=1.0, b=0.4)
    mean = total / count
    deviation = max(0.0, squares / count - mean * mean) ** 0.5
    return Statistics(mean=mean, b=min(0.8, max(0.4, deviation / mean - 0.2)))


def _norms(lengths: Floats, statistics: Statistics) -> Floats:
    factor, constant = np.float32(K1 * statistics.b / statistics.mean), np.float32(K1 * (1 - statistics.b))
    norms: Floats = lengths * factor + constant
    return norms


def _locked(ids: Ids) -> Ids:
    ids.flags.writeable = False
    return ids
