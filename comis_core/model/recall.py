"""What flows through a recall: the query, arrays of candidates, and the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from comis_core.model.memory import Memory
from comis_core.model.shown import Compared, Shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]
    Scores = NDArray[np.float64]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TimeWindow(Compared):
    """A half-open window [start, end) of event time in epoch microseconds; None is unbounded.

    `hard` asks for a filter instead of a boost.
    """

    start: int | None
    end: int | None
    hard: bool = False


INTENTS = ("surroundings", "reasons", "temporal", "preference", "enumeration", "factual")
"""Kinds of questions, in the order in which they are looked for; the last is what is left. Analyzers may know more."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Query(Compared):
    """The question, and what analyzers found in it."""

    text: str
    lexical_text: str
    """What lexical lanes search; an analyzer may have taken names out of it."""
    dense_text: str
    """What is embedded; an analyzer may have rewritten it."""
    asker: str | None = None
    time_zone: str = "UTC"
    """IANA name of the asker's zone, for time expressions and rendering."""
    intent: str = "factual"
    lane_multipliers: Mapping[str, float] = attrs.field(factory=dict)
    """Factor on a lane's or expander's weight for this query; absent = 1.0."""
    time_window: TimeWindow | None = None
    entities: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    """Senders of the scope that the query names."""

    @classmethod
    def of(cls, text: str, *, asker: str | None = None, time_zone: str = "UTC") -> Query:
        """A query as the caller gave it, before any analyzer."""
        return cls(text=text, lexical_text=text, dense_text=text, asker=asker, time_zone=time_zone)


@attrs.frozen(eq=False, repr=False)
class Claims(Shown):
    """A lane's claims for every memory of the scope that it looked at.

    ids: int64[n], ascending; the same array in recall after recall is looked at once, if it owns its numbers and is
    closed for writing. values: float64[n] in 0..1.
    """

    ids: Ids
    values: Scores

    def at(self, ids: Ids) -> Scores:
        """float64[len(ids)]: the claims for these ids, 0.0 where the lane made none."""
        import numpy as np

        if not len(self.ids):
            return np.zeros(len(ids))
        places = self.ids.searchsorted(ids)
        known = self.ids.take(places, mode="clip") == ids
        return np.where(known, self.values.take(places, mode="clip"), 0.0)


@attrs.frozen(eq=False, repr=False)
class Ranking(Shown):
    """What a lane or expander found, best first.

    ids: int64[n], unique, all visible in the snapshot. scores: float64[n], finite, in 0..1, not increasing: a claim
    of how sure the lane is that the memory answers the query. claims: the lane's claims for its whole scope, if it
    has them. expanded: whether an expander found it, beside the hits of others; the core sees to that.
    """

    ids: Ids
    scores: Scores
    claims: Claims | None = None
    expanded: bool = False

    @classmethod
    def empty(cls) -> Ranking:
        """No candidates."""
        import numpy as np

        return cls(np.zeros(0, np.int64), np.zeros(0))

    @classmethod
    def best(cls, ids: Ids, scores: Scores, limit: int, *, claims: Claims | None = None) -> Ranking:
        """The `limit` highest of unsorted candidates, only positive scores; ties by higher (newer) id first."""
        import numpy as np

        floor = _floor(scores, limit)
        high = np.flatnonzero(scores >= floor) if floor > 0 else np.flatnonzero(scores > 0)
        order = high[np.lexsort((-ids[high], -scores[high]))][:limit]
        return cls(ids[order], scores[order], claims)

    @staticmethod
    def union(rankings: Iterable[Ranking]) -> Ids:
        """int64[n], ascending: every id of these rankings, once."""
        import numpy as np

        arrays = [ranking.ids for ranking in rankings if len(ranking)]
        if not arrays:
            return np.zeros(0, np.int64)
        everyone = np.concatenate(arrays)
        everyone.sort()
        # A third of the time of np.unique, which first asks what kind of array it has.
        first = np.ones(len(everyone), np.bool_)
        np.not_equal(everyone[1:], everyone[:-1], out=first[1:])
        return everyone[first]

    def __len__(self) -> int:
        return len(self.ids)


def _floor(scores: Scores, limit: int) -> float:
    """A value that at least `limit` of many scores reach, and seldom many more; 0.0 for few scores.

    The scores are cut into blocks, and the `limit`-th highest of the blocks' own highest is such a value. That takes
    one pass, where a partition of everything takes many.
    """
    import numpy as np

    size = len(scores) // (8 * limit) if limit > 0 else 0
    if size < 2:
        return 0.0
    tops = np.maximum.reduceat(scores, np.arange(0, len(scores), size))
    return float(np.partition(tops, len(tops) - limit)[len(tops) - limit])


@attrs.frozen(eq=False, repr=False)
class Pool(Shown):
    """The candidates of one recall as columns, in ascending id order.

    ids: int64[n]. fused: float64[n], the fused score so far. columns: name -> array of length n; see
    `protocols.CORE_COLUMNS` for those that are always there. rankings: what each lane and expander returned so far.
    """

    ids: Ids
    fused: Scores
    columns: Mapping[str, NDArray[Any]]
    rankings: Mapping[str, Ranking]

    def __len__(self) -> int:
        return len(self.ids)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Degraded(Compared):
    """A part that failed during this recall: it contributed nothing, and the recall answered without it."""

    plugin: str
    stage: str
    reason: str

    def __str__(self) -> str:
        return f"{self.plugin} ({self.stage}): {self.reason}"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Item(Compared):
    """One memory of an answer."""

    memory: Memory
    score: float
    """base x the product of the factors, for this memory; its place may be higher than that: that of its best copy
    (`folded`), above a rival that it supersedes, or where the diversifier put it."""
    base: float
    """Fused score, or the reranker's where it ran."""
    factors: Mapping[str, float]
    sources: Mapping[str, int]
    """Which lanes and expanders found it, and at which rank (1 = first)."""
    folded: tuple[str, ...] = ()
    """Ids of near-duplicates that this item stands for."""
    superseded_by: str | None = None
    """Id of the memory in this answer that contradicts and outranks this one."""

    @property
    def why(self) -> str:
        """The reasons in one line, for people."""
        found = ", ".join(f"{name} #{rank}" for name, rank in sorted(self.sources.items()))
        factors = ", ".join(f"{name} x{value:.3f}" for name, value in self.factors.items() if value != 1.0)
        parts = [f"found by {found or 'nothing'}", f"base {self.base:.3f}"]
        parts += [factors] if factors else []
        parts += [f"stands for {len(self.folded)} copies"] if self.folded else []
        parts += [f"superseded by {self.superseded_by}"] if self.superseded_by else []
        return "; ".join(parts)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Trace(Shown):
    """What happened in a recall, as ids and numbers, never text. Plain data: JSON-ready after `attrs.asdict`."""

    inputs: Mapping[str, Any]
    """What a replay needs: now, seed, limits, filters, weights, rankings as (ids, scores)."""
    stages: tuple[Mapping[str, Any], ...]
    """One mapping a stage, in order: name, milliseconds, and what it did."""
    candidates: Mapping[str, Mapping[str, Any]]
    """Memory id -> ranks, raw and fused scores, factors, moves and the stage at which it left (or "answer")."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Recall(Shown):
    """The answer: items best first, the block for the prompt, how it came about, and what did not work."""

    items: tuple[Item, ...]
    text: str
    """The block for the prompt; empty when nothing was found."""
    trace: Trace
    degraded: tuple[Degraded, ...] = ()
    notes: tuple[str, ...] = ()
    milliseconds: float = 0.0
    trace_id: str | None = None
    """Under which id the trace was kept, if it was (`rag.traces.keep`, `Agent.recall(keep_trace=True)`)."""

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)
