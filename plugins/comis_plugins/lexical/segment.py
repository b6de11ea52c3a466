"""A segment: the inverted index of some memories of a scope, as immutable arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from comis_plugins.lexical.terms import WIDTH, SubLane

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids

    Terms = NDArray[np.uint64]
    Starts = NDArray[np.int64]
    Rows = NDArray[np.int32]
    Mask = NDArray[np.bool_]

ROW_BITS = 64 - WIDTH - 2
"""Bits of a row's number while postings are sorted; a segment has no more rows."""

DENSE = 16
"""A term is frequent when more than one row in so many has it."""

SMALL = 1024
"""A segment of fewer rows has no frequent terms: its lists are short."""

MANY = 4096
"""Postings that are read together, from which they are put in order at once: while the processor's cache holds them."""

_AT_ONCE = 512
"""Rows read together, as columns. Of more, the garbage collector would look at those that wait, again and again."""

Row = tuple[Any, ...]
"""(id, a length for each sub-lane, a blob for each sub-lane)."""


@attrs.frozen(eq=False, repr=False)
class Repeats:
    """Postings of tokens that a memory has more than once, beside their ordinary posting, by the segment's terms.

    starts: int64[v + 1] into rows: int32[m] and counts: float32[m].
    """

    starts: Starts
    rows: Rows
    counts: NDArray[np.float32]


@attrs.frozen(eq=False, repr=False, slots=False, kw_only=True)
class Segment:
    """n memories in the order of their rows.

    ids: int64[n]. lengths: float32[sub-lanes, n], tokens of each. terms: uint64[v], ascending. starts: int64[v + 1];
    rows[starts[t]:starts[t + 1]] are the memories that have term t, ascending. living: bool[n], False for memories
    that are hidden by now; None when there are none.
    """

    ids: Ids
    lengths: NDArray[np.float32]
    terms: Terms
    starts: Starts
    rows: Rows
    repeats: Repeats
    living: Mask | None = None
    _bits: dict[int, NDArray[np.uint8]] = attrs.field(factory=dict)
    """Frequent terms that were asked for, as bitmaps; shared by segments that differ in what lives."""

    def __len__(self) -> int:
        return len(self.ids)

    def frequent(self, counts: NDArray[np.int64]) -> Mask:
        """bool[len(counts)]: whether a term that so many rows have is better read as a bitmap than as a list."""
        mask: Mask = counts * DENSE >= max(len(self), SMALL)
        return mask

    def bits(self, place: int) -> NDArray[np.uint8]:
        """uint8[n]: 1 in the rows that have the term at this place among `terms`."""
        packed = self._bits.get(place)
        if packed is None:
            row = np.zeros(len(self), np.uint8)
            row[self.rows[self.starts[place] : self.starts[place + 1]]] = 1
            packed = self._bits[place] = np.packbits(row)
        return np.unpackbits(packed, count=len(self))

    @cached_property
    def ascending(self) -> bool:
        """Whether the ids are in order: restored memories come late."""
        return bool((self.ids[1:] > self.ids[:-1]).all())

    @cached_property
    def highest(self) -> int:
        """The highest id, -1 for none."""
        return int(self.ids.max()) if len(self.ids) else -1

    @cached_property
    def dead(self) -> int:
        """How many of its memories are hidden."""
        return 0 if self.living is None else len(self.ids) - int(np.count_nonzero(self.living))

    @cached_property
    def sums(self) -> tuple[tuple[float, float], ...]:
        """For each sub-lane the living memories' lengths, and their squares, summed up: whole numbers, so exact."""
        lengths = self.lengths if self.living is None else self.lengths[:, self.living]
        exact = lengths.astype(np.float64)
        return tuple((float(each.sum()), float((each * each).sum())) for each in exact)

    @cached_property
    def memory(self) -> Mapping[int, int]:
        """Identity and bytes of its arrays and possible bitmaps; segments that differ in what lives share them."""
        shared = (self.ids, self.lengths, self.terms, self.starts, self.rows)
        own = (self.repeats.starts, self.repeats.rows, self.repeats.counts)
        bitmaps = int(np.count_nonzero(self.frequent(np.diff(self.starts)))) * (len(self) // 8 + 100)
        blocks = {id(self.rows): sum(array.nbytes for array in (*shared, *own)) + bitmaps}
        return blocks if self.living is None else blocks | {id(self.living): self.living.nbytes}

    def row_of(self, pk: int) -> int | None:
        """The row of a memory, living or not; None when it is not here."""
        if pk > self.highest:
            return None
        if self.ascending:
            row = int(self.ids.searchsorted(pk))
            return row if self.ids[row] == pk else None
        found = np.flatnonzero(self.ids == pk)
        return int(found[0]) if len(found) else None

    def marked(self, rows: Mapping[int, bool]) -> Segment:
        """The segment with other marks of life for some rows."""
        living = np.ones(len(self), np.bool_) if self.living is None else self.living.copy()
        living[list(rows)] = list(rows.values())
        return attrs.evolve(self, living=None if living.all() else living)

    def compacted(self) -> Segment:
        """The segment without what is hidden."""
        if self.living is None:
            return self
        number = (np.cumsum(self.living) - 1).astype(np.int32)
        starts, rows, _ = _without(self.starts, self.rows, self.rows, self.living)
        repeats = Repeats(*_without(self.repeats.starts, self.repeats.rows, self.repeats.counts, self.living))
        used = starts[1:] > starts[:-1]
        return Segment(
            ids=self.ids[self.living],
            lengths=self.lengths[:, self.living],
            terms=self.terms[used],
            starts=_used(starts, used),
            rows=number[rows],
            repeats=Repeats(_used(repeats.starts, used), number[repeats.rows], repeats.counts),
        )


def build(rows: Iterable[Row], lanes: Sequence[SubLane]) -> Segment:
    """A segment of some memories; rows by ascending id, at most 2**ROW_BITS. They are read once and not kept."""
    ids: list[int] = []
    lengths: list[list[int]] = [[] for _ in lanes]
    parts: list[list[_Postings]] = [[] for _ in lanes]
    remaining = iter(rows)
    while columns := list(zip(*islice(remaining, _AT_ONCE), strict=True)):
        for number, lane in enumerate(lanes):
            lengths[number] += columns[1 + number]
            parts[number].append(_read(columns[1 + len(lanes) + number], lane, len(ids)))
        ids += columns[0]
    terms, starts, postings, repeats = _inverted(list(chain.from_iterable(parts)))
    return Segment(
        ids=np.array(ids, np.int64),
        lengths=np.array(lengths, np.float32).reshape(len(lanes), len(ids)),
        terms=terms,
        starts=starts,
        rows=postings,
        repeats=repeats,
    )


def merge(first: Segment, second: Segment) -> Segment:
    """Both as one segment without what is hidden, the rows of the first before those of the second."""
    first, second = first.compacted(), second.compacted()
    places = np.searchsorted(first.terms, second.terms)
    known = np.zeros(len(places), np.bool_)
    inside = places < len(first.terms)
    known[inside] = first.terms[places[inside]] == second.terms[inside]
    terms = np.insert(first.terms, places[~known], second.terms[~known])
    into = _Insertion(places, known, len(first.terms) + len(second.terms) - int(np.count_nonzero(known)))
    again, more, shift = first.repeats, second.repeats, np.int32(len(first))
    return Segment(
        ids=np.concatenate((first.ids, second.ids)),
        lengths=np.concatenate((first.lengths, second.lengths), axis=1),
        terms=terms,
        starts=into.starts(first.starts, second.starts),
        rows=into.values(first.starts, second.starts, first.rows, second.rows + shift),
        repeats=Repeats(
            into.starts(again.starts, more.starts),
            into.values(again.starts, more.starts, again.rows, more.rows + shift),
            into.values(again.starts, more.starts, again.counts, more.counts),
        ),
    )


@attrs.frozen(eq=False, repr=False)
class _Insertion:
    """How the second segment's lists go behind the first's of the same term.

    places: for each term of the second its place among the first's; known: whether the first has it too; size: how
    many terms there are in all.
    """

    places: NDArray[np.int64]
    known: Mask
    size: int

    def starts(self, first: Starts, second: Starts) -> Starts:
        """Where each term's list begins now."""
        new = np.flatnonzero(~self.known)
        counts = np.insert(np.diff(first), self.places[new], 0)
        counts[self.places + np.cumsum(~self.known) - ~self.known] += np.diff(second)
        starts = np.zeros(self.size + 1, np.int64)
        np.cumsum(counts, out=starts[1:])
        return starts

    def values(self, first: Starts, second: Starts, old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
        """The lists of both."""
        behind = first[self.places + self.known]
        merged: NDArray[Any] = np.insert(old, np.repeat(behind, np.diff(second)), new)
        return merged


@attrs.frozen(eq=False, repr=False)
class _Postings:
    """A sub-lane's postings as term << ROW_BITS | row; those of repeated tokens once more, with their counts."""

    keys: Terms
    several: Terms
    counts: NDArray[np.float32]


def _read(blobs: Sequence[bytes], lane: SubLane, first: int) -> _Postings:
    """The postings of some rows, the first of which has the number `first`."""
    sizes = np.fromiter(map(len, blobs), np.int64, len(blobs)) // lane.size
    words = np.frombuffer(b"".join(blobs), lane.dtype)
    hashes = words >> lane.count_bits if lane.count_bits else words
    keys = hashes.astype(np.uint64)
    keys += np.uint64(lane.base)
    keys <<= np.uint64(ROW_BITS)
    keys |= np.repeat(np.arange(first, first + len(blobs), dtype=np.uint64), sizes)
    if not lane.count_bits:
        return _Postings(_by_term(keys, hashes, lane), keys[:0], np.zeros(0, np.float32))
    counts = words & np.array((1 << lane.count_bits) - 1, lane.dtype)
    repeated = np.flatnonzero(counts > 1)
    return _Postings(_by_term(keys, hashes, lane), keys[repeated], counts[repeated].astype(np.float32))


def _by_term(keys: Terms, hashes: NDArray[Any], lane: SubLane) -> Terms:
    """Postings, whose rows ascend, in the order of their terms' hashes; few are left as they are.

    From the lowest 16 bits of the hash to the highest: numpy sorts numbers of 16 bits by counting them.
    """
    if len(keys) < MANY:
        return keys
    digits = hashes.view("<u2").reshape(len(keys), -1).T
    return keys[np.lexsort(digits[: -(-lane.hash_bits // 16)])]


def _inverted(parts: Sequence[_Postings]) -> tuple[Terms, Starts, Rows, Repeats]:
    """The lists of every term."""
    keys = np.concatenate([np.zeros(0, np.uint64), *(each.keys for each in parts)])
    # What was read together is in order already, or else the terms of each row: a stable sort makes use of it.
    keys.sort(kind="stable")
    rows = _row_numbers(keys)
    keys >>= np.uint64(ROW_BITS)
    new = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    firsts = np.flatnonzero(new)
    terms = keys[firsts]
    several = np.concatenate([np.zeros(0, np.uint64), *(each.several for each in parts)])
    counts = np.concatenate([np.zeros(0, np.float32), *(each.counts for each in parts)])
    order = np.argsort(several, kind="stable")
    several = several[order]
    starts = np.append(np.searchsorted(several >> np.uint64(ROW_BITS), terms), len(several))
    return terms, np.append(firsts, len(keys)), rows, Repeats(starts, _row_numbers(several), counts[order])


def _row_numbers(keys: Terms) -> Rows:
    rows = keys.astype(np.int32)  # their lowest 32 bits, of which ROW_BITS are the row's
    rows &= np.int32((1 << ROW_BITS) - 1)
    return rows


def _without(starts: Starts, rows: Rows, values: NDArray[Any], living: Mask) -> tuple[Starts, Rows, NDArray[Any]]:
    kept = living[rows]
    before = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    return before[starts], rows[kept], values[kept]


def _used(starts: Starts, used: Mask) -> Starts:
    return np.append(starts[:-1][used], starts[-1])
