"""Expand: candidates from the candidates, one expander after the other.

While expanders run, `Pool.fused` holds the scores of the first fusion, and 0.0 for what expanders added: seeds are
what the lanes found, whichever expanders run before. What earlier expanders think is in `Pool.rankings` and `claims`.
All rankings are fused once more at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.model import Ranking
from comis_core.protocols import Expander, ExpandRequest, SearchRequest
from comis_core.recall.checks import check_ranking, positions
from comis_core.recall.columns import Hydration, pool_of
from comis_core.recall.fuse import Fused
from comis_core.recall.guard import Guard
from comis_core.recall.lanes import foreign
from comis_core.recall.parts import Bound, Pipeline

if TYPE_CHECKING:
    from comis_core.model import Ids


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Expansion:
    """What expanders work with besides the pool."""

    asked: SearchRequest
    weights: Mapping[str, float]
    hydration: Hydration
    guard: Guard

    def request(self, pool: Fused, rankings: Mapping[str, Ranking]) -> ExpandRequest:
        """What one expander receives."""
        return ExpandRequest(
            query=self.asked.query,
            now=self.asked.now,
            snapshot=self.asked.snapshot,
            scope_view=self.asked.scope_view,
            limit=self.asked.limit,
            cancelled=self.asked.cancelled,
            pool=pool_of(self.hydration, pool.ids, pool.scores, rankings),
            claims={name: ranking.claims for name, ranking in rankings.items() if ranking.claims is not None},
            weights=self.weights,
        )


def expand(
    pipeline: Pipeline, first: Fused, rankings: Mapping[str, Ranking], expansion: Expansion
) -> dict[str, Ranking]:
    """Every ranking after expansion, by lane and expander name; an expander that failed is missing.

    Args:
        first: the fusion of the lanes.
        rankings: what the lanes returned.
        expansion: what the expanders work with.
    """
    pool, so_far = first, dict(rankings)
    for expander in pipeline.expanders:
        expanded = _expanded(expander, pool, so_far, expansion)
        if expanded is None:
            continue
        so_far[expander.name], newcomers = expanded
        if len(newcomers) and expansion.weights[expander.name] > 0.0:
            pool = _grown(pool, newcomers)
    return so_far


def _expanded(
    expander: Bound[Expander], pool: Fused, so_far: Mapping[str, Ranking], expansion: Expansion
) -> tuple[Ranking, Ids] | None:
    """The expander's ranking, and those in it that are not in the pool, ascending; None when it failed."""

    def work(part: Expander) -> tuple[Ranking, Ids]:
        ranking = check_ranking(part.expand(expansion.request(pool, so_far)), expansion.asked.limit, expanded=True)
        newcomers = np.sort(ranking.ids[~positions(ranking.ids, pool.ids)[1]])
        if len(newcomers) and len(expansion.hydration.hidden(newcomers)):
            raise foreign()
        return ranking, newcomers

    return expansion.guard.attempt(expander, "expander", work)


def _grown(pool: Fused, newcomers: Ids) -> Fused:
    """The pool with newcomers, which have no fused score yet."""
    everyone = np.concatenate([pool.ids, newcomers])
    order = np.argsort(everyone)
    return Fused(everyone[order], np.concatenate([pool.scores, np.zeros(len(newcomers))])[order])
