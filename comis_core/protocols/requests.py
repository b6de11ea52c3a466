"""The request and answer records of parts that a recall asks. All fields are keyword-only, so that one can be added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from comis_core.model import Claims, Pool, Query
from comis_core.model.shown import Compared, Shown
from comis_core.protocols.reading import Cancelled, ScopeView, Snapshot

if TYPE_CHECKING:
    from comis_core.model import Ids, Scores


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SearchRequest(Shown):
    """What a lane receives."""

    query: Query
    now: int
    snapshot: Snapshot
    scope_view: ScopeView
    limit: int
    """How many candidates are wanted."""
    cancelled: Cancelled = lambda: False


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ExpandRequest(SearchRequest):
    """What an expander receives: also the pool so far and the claims that lanes attached."""

    pool: Pool
    claims: Mapping[str, Claims]
    """By lane or expander name; only those that attached claims for their whole scope."""
    weights: Mapping[str, float]
    """Effective weight of every lane and expander in this recall."""

    def seeds(self, count: int) -> tuple[Ids, Scores]:
        """The `count` best ids of the pool by positive fused score and those scores, best first; ties by higher id."""
        import numpy as np

        order = np.lexsort((-self.pool.ids, -self.pool.fused))[:count]
        order = order[self.pool.fused[order] > 0]
        return self.pool.ids[order], self.pool.fused[order]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ScoreRequest(Shown):
    """What a scorer receives. `pool.columns` has the core columns and those the spec requires."""

    query: Query
    now: int
    pool: Pool


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RerankRequest(Shown):
    """What a reranker receives: the head of the pool, best first."""

    query: Query
    ids: Ids
    texts: Sequence[str]
    deadline: float
    """Value of `time.monotonic()` at which the answer is no longer wanted."""
    cancelled: Cancelled = lambda: False


@attrs.frozen(kw_only=True, eq=False, repr=False)
class DiversityRequest(Shown):
    """What a diversifier receives: the candidates best first.

    ids int64[n], scores float64[n] (final), token_sets: one set of stems a candidate, each stem as a number that stands
    for it in this process.
    """

    ids: Ids
    scores: Scores
    token_sets: Sequence[frozenset[int]]
    snapshot: Snapshot


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Check(Compared):
    """What an index found when comparing its table with the truth: empty `problems` is sound."""

    problems: tuple[str, ...] = ()
