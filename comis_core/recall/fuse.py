"""Fuse: the rankings of all lanes into one score in 0..1, and the floor under it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from comis_core.errors import ContractError
from comis_core.model import Query, Ranking
from comis_core.protocols import Fusion
from comis_core.recall.checks import check_fused, positions
from comis_core.recall.guard import Guard
from comis_core.recall.parts import Bound, Pipeline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids, Scores


@attrs.frozen(eq=False, repr=False)
class Fused:
    """The candidates after a fusion. ids: int64[n], ascending. scores: float64[n] in 0..1."""

    ids: Ids
    scores: Scores


def effective_weights(pipeline: Pipeline, query: Query, answered: Container[str]) -> Mapping[str, float]:
    """The weight of every lane and expander in this recall: configured weight x the query's multiplier.

    A lane that stands in for one of those that have answered weighs nothing.
    """
    parts: tuple[Bound[Any], ...] = (*pipeline.lanes, *pipeline.expanders)
    weights = {
        part.name: 0.0 if part.stands_in_for in answered else part.weight * query.lane_multipliers.get(part.name, 1.0)
        for part in parts
    }
    return MappingProxyType(weights)


def fuse(fusion: Bound[Fusion], rankings: Mapping[str, Ranking], weights: Mapping[str, float], guard: Guard) -> Fused:
    """All rankings as one.

    Empty rankings and those of weight 0 are silent: the fusion does not see them, so `[1, 0]` equals the first lane.
    Candidates are what the rankings of positive weight found; a negative weight speaks against them and adds none.
    A fusion that fails is replaced by the best claim of each candidate, and the recall is degraded.
    """
    speaking = {name: ranking for name, ranking in rankings.items() if len(ranking) and weights[name] != 0.0}
    against = [name for name in speaking if weights[name] < 0.0]
    candidates = Ranking.union(ranking for name, ranking in speaking.items() if name not in against)
    if not len(candidates):
        return Fused(candidates, np.zeros(0))
    everyone = Ranking.union(speaking.values()) if against else candidates
    scores = guard.attempt(
        fusion, "fusion", lambda part: _scores(part, speaking, weights, candidates, everyone), timed=False
    )
    return Fused(candidates, _best_claims(speaking, weights, candidates) if scores is None else scores)


def above_floor(fused: Fused, min_score: float, guard: Guard) -> NDArray[np.bool_]:
    """bool[n]: which candidates reach `min_score`; a note when none of them does."""
    kept = fused.scores >= min_score
    if len(kept) and not np.count_nonzero(kept):
        best = fused.scores.max()
        guard.notes.append(f"all {len(kept)} candidates are below minScore {min_score:g}: the best has {best:.3g}")
    return kept


def _scores(
    fusion: Fusion, speaking: Mapping[str, Ranking], weights: Mapping[str, float], candidates: Ids, everyone: Ids
) -> Scores:
    ids, scores = check_fused(fusion.fuse(speaking, weights), everyone)
    if len(ids) == len(everyone) == len(candidates):  # Out of `everyone` and as many, so they are the candidates.
        return scores
    kept = positions(ids, candidates)[1]
    if np.count_nonzero(kept) != len(candidates):
        raise ContractError("left out candidates that lanes of positive weight found")
    return scores[kept]


def _best_claims(speaking: Mapping[str, Ranking], weights: Mapping[str, float], candidates: Ids) -> Scores:
    best = np.zeros(len(candidates))
    for name, ranking in speaking.items():
        if weights[name] > 0.0:
            places = np.searchsorted(candidates, ranking.ids)
            best[places] = np.maximum(best[places], ranking.scores)
    return best
