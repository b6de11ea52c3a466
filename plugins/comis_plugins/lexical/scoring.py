"""BM25 of a question over a slab, one sub-lane at a time, and the claim that follows."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Scores
    from comis_plugins.lexical.segment import Segment
    from comis_plugins.lexical.slab import Slab

    Floats = NDArray[np.float32]
    Places = NDArray[np.int64]

UNIT = 2.0**20
"""An idf of 1: weights are rounded to whole numbers on this scale."""

STEEPNESS = 3.0
"""How quickly a claim shrinks with what the best memory lacks."""

LEAST_SURE = 0.1
"""What the best memory claims at least: one that has a single word of a long question must not fall under a floor."""

_BLOCKS = 4
"""So many blocks for each candidate that is asked for, to find where the best begin."""


@attrs.frozen(eq=False, repr=False)
class Asked:
    """What a question asks of each sub-lane of a slab.

    terms: uint64[q], ascending. times: float64[q], how often the question says it. bounds: where the terms of each
    sub-lane begin, and the end.
    """

    terms: NDArray[np.uint64]
    times: Scores
    bounds: tuple[int, ...]

    @classmethod
    def of(cls, lanes: Sequence[Mapping[int, int]]) -> Asked:
        """lanes: for each sub-lane term -> times; terms of a later one are higher than those of an earlier one."""
        counts = {term: times for lane in lanes for term, times in sorted(lane.items())}
        return cls(
            np.fromiter(counts, np.uint64, len(counts)),
            np.fromiter(counts.values(), np.float64, len(counts)),
            (0, *accumulate(len(lane) for lane in lanes)),
        )


@attrs.frozen(eq=False, repr=False)
class _Hits:
    """The asked terms that a segment has.

    asked: int64[h], ascending, places among the asked terms. places: int64[h], places among the segment's terms.
    begins, ends: int64[h], their lists. frequent: bool[h], those to be read as bitmaps.
    """

    segment: Segment
    offset: int
    asked: Places
    places: Places
    begins: Places
    ends: Places
    frequent: NDArray[np.bool_]

    def holders(self) -> Places:
        """int64[h]: how many living memories have each term."""
        counts = self.ends - self.begins
        living = self.segment.living
        if living is None:
            return counts
        often, seldom = np.flatnonzero(self.frequent), np.flatnonzero(~self.frequent)
        for place, term in zip(often.tolist(), self.places[often].tolist(), strict=True):
            counts[place] = np.count_nonzero(self.segment.bits(term).view(np.bool_) & living)
        if len(seldom):
            rows = np.concatenate(_slices(self.segment.rows, self.begins[seldom], self.ends[seldom]))
            firsts = np.cumsum(counts[seldom]) - counts[seldom]
            counts[seldom] = np.add.reduceat(living[rows], firsts, dtype=np.int64)
        return counts

    def within(self, begin: int, end: int) -> tuple[Places, Places]:
        """Which hits are of asked terms in [begin, end): the frequent ones, and the others."""
        low, high = self.asked.searchsorted((begin, end))
        frequent = self.frequent[low:high]
        return low + np.flatnonzero(frequent), low + np.flatnonzero(~frequent)


@attrs.frozen(eq=False, repr=False)
class Heard:
    """What one sub-lane says to a question.

    values: float64[slab.size], BM25 of every row, apart from a constant factor. coverage: of all that the question asks
    for, by idf, what the one memory has that has most of it; above 1 where it has words several times.
    """

    values: Scores
    coverage: float


def scores(slab: Slab, asked: Asked, rows: Places | None) -> list[Heard]:
    """For each sub-lane what it says. rows: the memories whose coverage counts; None for all.

    idf = ln(1 + (N - n + .5) / (n + .5)); a token that a memory has f times counts f / (f + norm). What is added up
    are whole numbers, which is exact in any order: how rows are spread over segments changes no bit of a sum.
    """
    found = [_find(segment, offset, asked) for segment, offset in zip(slab.segments, slab.offsets, strict=True)]
    holders = np.zeros(len(asked.terms), np.int64)
    for hits in found:
        holders[hits.asked] += hits.holders()
    weights = np.rint(UNIT * np.log1p((slab.count - holders + 0.5) / (holders + 0.5)) * asked.times)
    bounds = pairwise(asked.bounds)
    return [_sum(slab, lane, found, begin, end, weights, rows) for lane, (begin, end) in enumerate(bounds)]


def _find(segment: Segment, offset: int, asked: Asked) -> _Hits:
    places = segment.terms.searchsorted(asked.terms)
    inside = np.flatnonzero(places < len(segment.terms))
    hit = segment.terms[places[inside]] == asked.terms[inside]
    found = inside[hit]
    places = places[found]
    begins, ends = segment.starts[places], segment.starts[places + 1]
    return _Hits(segment, offset, found, places, begins, ends, segment.frequent(ends - begins))


def _sum(
    slab: Slab, lane: int, found: Sequence[_Hits], begin: int, end: int, weights: Scores, rows: Places | None
) -> Heard:
    """One sub-lane: every posting adds its term's weight, and the sum is multiplied by one occurrence's worth.

    A posting of several occurrences adds what they are worth beyond the first.
    """
    parts: list[tuple[Places, Scores]] = []
    dense: list[tuple[_Hits, Places]] = []
    for hits in found:
        often, seldom = hits.within(begin, end)
        if len(often):
            dense.append((hits, often))
        if len(seldom):
            parts.append(_listed(hits, seldom, weights))
        if slab.lanes[lane].count_bits:
            parts += _repeated(slab.norms[lane], hits, np.concatenate((often, seldom)), weights)
    sums: Scores = np.zeros(slab.size)
    if parts:
        places, values = map(np.concatenate, zip(*parts, strict=True))
        sums = np.bincount(places, values, slab.size).astype(np.float64, copy=False)
    for hits, often in dense:
        _add_bitmaps(sums[hits.offset : hits.offset + len(hits.segment)], hits, often, weights)
    asked_for = float(weights[begin:end].sum())
    most = float((sums if rows is None else sums[rows]).max(initial=0.0))
    sums *= slab.singles[lane]
    return Heard(sums, most / asked_for if asked_for else 0.0)


def _listed(hits: _Hits, which: Places, weights: Scores) -> tuple[Places, Scores]:
    begins, ends = hits.begins[which], hits.ends[which]
    return _joined(hits, hits.segment.rows, begins, ends), np.repeat(weights[hits.asked[which]], ends - begins)


def _repeated(norms: Floats, hits: _Hits, which: Places, weights: Scores) -> list[tuple[Places, Scores]]:
    """Rows that have terms more than once, and what that adds: weight x (f (1 + norm) / (f + norm) - 1)."""
    repeats = hits.segment.repeats
    places = hits.places[which]
    begins, ends = repeats.starts[places], repeats.starts[places + 1]
    if not (ends > begins).any():
        return []
    rows = _joined(hits, repeats.rows, begins, ends)
    counts = np.concatenate(_slices(repeats.counts, begins, ends))
    norm = norms[rows]
    gains = norm * (counts - 1) / (counts + norm)
    return [(rows, np.rint(np.repeat(weights[hits.asked[which]], ends - begins) * gains))]


def _add_bitmaps(sums: Scores, hits: _Hits, which: Places, weights: Scores) -> None:
    """Add frequent terms eight at a time: which of them a row has is one byte, and their sum stands in a table."""
    for start in range(0, len(which), 8):
        eight = which[start : start + 8]
        codes = np.zeros(len(sums), np.uint8)
        for place in hits.places[eight].tolist():
            codes += codes
            codes |= hits.segment.bits(place)
        sums += (_members(len(eight)) @ weights[hits.asked[eight]]).take(codes)


@functools.cache
def _members(count: int) -> Scores:
    """float64[2 ** count, count]: which of so many terms each code stands for, the first in the highest bit."""
    bits = np.unpackbits(np.arange(1 << count, dtype=np.uint8)[:, None], axis=1)
    return bits[:, 8 - count :].astype(np.float64)


def _joined(hits: _Hits, source: NDArray[np.int32], begins: Places, ends: Places) -> Places:
    rows = np.concatenate(_slices(source, begins, ends), dtype=np.intp)
    if hits.offset:
        rows += hits.offset
    return rows


def _slices(values: NDArray[Any], begins: Places, ends: Places) -> list[NDArray[Any]]:
    return [values[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]


def claims(heard: Sequence[Heard], weights: Sequence[float], rows: Places | None, full: float) -> Scores | None:
    """float64[n] in 0..1: the weighted sum of the sub-lanes, each divided by its highest, divided by its highest.

    rows: which memories count, in this order; None for all. None when no memory has any of the terms. full: the
    coverage from which on the best memory claims 1.0; below it all claims shrink by (coverage / full) ** STEEPNESS,
    to LEAST_SURE at most, the coverage being that of the sub-lane which has most. Who has one word of four by chance is
    not sure of anything.
    """
    total: Scores | None = None
    for lane, weight in zip(heard, weights, strict=True):
        counting = lane.values if rows is None else lane.values[rows]
        highest = counting.max(initial=0.0)
        if highest > 0.0:
            share = counting * (weight / highest)
            total = share if total is None else np.add(total, share, out=total)
    if total is None:
        return None
    coverage = max(lane.coverage for lane in heard)
    sure = 1.0 if coverage >= full else max(LEAST_SURE, (coverage / full) ** STEEPNESS)
    total /= total.max() / sure
    return total


def best(values: Scores, limit: int) -> Places:
    """The places among which the `limit` highest positive values are, ties included; seldom many more.

    The values are cut into blocks: as many of them as are asked for are at least as high as the limit-th highest of
    the blocks' own highest. That is one pass where a partition of everything takes many.
    """
    size = len(values) // (_BLOCKS * limit) if limit > 0 else 0
    if size < 2:
        return np.flatnonzero(values > 0.0)
    tops = np.maximum.reduceat(values, np.arange(0, len(values), size))
    cut = np.partition(tops, len(tops) - limit)[len(tops) - limit]
    return np.flatnonzero(values >= cut) if cut > 0.0 else np.flatnonzero(values > 0.0)
