"""Trace: how an answer came about, as ids and numbers, never text.

During a recall the journal only keeps references to arrays that exist anyway and the time of each stage; the records
that people and replays read are built when somebody looks (`records`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import attrs

from comis_core.model import Filters, Query, Ranking, Scope, TimeWindow, Trace
from comis_core.recall.asked import Asked
from comis_core.recall.budget import Spent
from comis_core.recall.candidates import Candidates
from comis_core.recall.conflict import Conflicts
from comis_core.recall.dedup import Folding
from comis_core.recall.fuse import Fused
from comis_core.recall.parts import Pipeline

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from comis_core.model import Ids, Scores


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Search:
    """What was found. rankings: lane or expander -> (ids, scores), best first."""

    rankings: Mapping[str, tuple[Ids, Scores]]
    weights: Mapping[str, float]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Admission:
    """The fused candidates, the 16-byte id of each memory, and which of them reached minScore."""

    fused: Fused
    known_as: NDArray[Any]
    kept: NDArray[np.bool_]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Choice:
    """What became of the pool after trust. All sequences are places in `pool`, best first.

    removed: ids that the trust stage took out. pool: has of its columns only the lengths.
    """

    removed: Ids
    pool: Candidates
    by_score: Sequence[int]
    after_conflict: Sequence[int]
    conflicts: Conflicts
    folding: Folding
    after_diversity: Sequence[int]
    spent: Spent


@attrs.define(eq=False, repr=False)
class Journal:
    """One recall, written down as it goes: what it was asked (without the question), and what each stage did."""

    asked: Asked
    scope: Scope
    fusion: str
    expanders: tuple[str, ...]
    filters: Filters
    intent: str = ""
    time_window: TimeWindow | None = None
    laps: list[tuple[str, float, Mapping[str, Any]]] = attrs.field(factory=list)
    """Stage by stage: its name, the value of `time.perf_counter()` at its end, and what it did."""
    search: Search | None = None
    admission: Admission | None = None
    choice: Choice | None = None
    began: float = attrs.field(factory=time.perf_counter)

    @classmethod
    def open(cls, asked: Asked, pipeline: Pipeline) -> Journal:
        """The journal of a recall that begins now."""
        expanders = tuple(expander.name for expander in pipeline.expanders)
        return cls(asked, pipeline.scope, pipeline.fusion.name, expanders, asked.filters)

    def lap(self, name: str, **did: Any) -> None:
        """A stage is over. did: counts, for the record."""
        self.laps.append((name, time.perf_counter(), did))

    def understood(self, query: Query, filters: Filters) -> None:
        """What analyzers made of the query."""
        self.intent, self.time_window, self.filters = query.intent, query.time_window, filters

    def searched(self, rankings: Mapping[str, Ranking], weights: Mapping[str, float]) -> None:
        """What lanes and expanders found; their claims for the whole scope are not kept."""
        kept = {name: (ranking.ids, ranking.scores) for name, ranking in rankings.items()}
        self.search = Search(rankings=kept, weights=weights)

    def sources(self, pks: Sequence[int]) -> list[dict[str, int]]:
        """For each pk: lane or expander -> the rank at which it found it (1 = first); only those whose word counts."""
        if self.search is None:
            return [{} for _ in pks]
        rankings = self.search.rankings.items()
        heard = {name: ids.tolist() for name, (ids, _) in rankings if self.search.weights[name] > 0.0}
        return [{name: ids.index(pk) + 1 for name, ids in heard.items() if pk in ids} for pk in pks]


class RecordedTrace(Trace):
    """A trace that is built from the journal when it is looked at."""

    def __init__(self, journal: Journal) -> None:
        object.__setattr__(self, "_journal", journal)

    _journal: Journal

    @cached_property
    def inputs(self) -> Mapping[str, Any]:
        """What a replay needs."""
        from comis_core.recall.records import inputs_of

        return inputs_of(self._journal)

    @cached_property
    def stages(self) -> tuple[Mapping[str, Any], ...]:
        """What each stage did and how long it took."""
        laps = self._journal.laps
        moments = (self._journal.began, *(ended for _, ended, _ in laps))
        return tuple(
            {"name": name, "milliseconds": (ended - began) * 1000, **did}
            for (name, _, did), (began, ended) in zip(laps, pairwise(moments), strict=True)
        )

    @cached_property
    def candidates(self) -> Mapping[str, Mapping[str, Any]]:
        """Memory id -> its way through the stages."""
        from comis_core.recall.records import candidates_of

        return candidates_of(self._journal)
