"""Reciprocal rank fusion (Cormack, Clarke, Büttcher, 2009), weighted and as a share of its maximum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.model import Ranking
from comis_core.protocols import BuildContext

if TYPE_CHECKING:
    from comis_core.model import Ids, Scores

K = 60
"""The constant of the documented formula: how little the first rank differs from the second."""


@attrs.frozen
class ReciprocalRankFusion:
    """score = sum of weight / (60 + rank) over the rankings, divided by (sum of weights) / 61, in 0..1.

    Only ranks count (1 = first), not claims. Rankings that are empty or have weight 0 count neither above nor below
    the line. A ranking of negative weight lowers the score of what it ranks, adds no candidate and is no part of the
    maximum; a score below 0 is 0.
    """

    def fuse(self, rankings: Mapping[str, Ranking], weights: Mapping[str, float]) -> tuple[Ids, Scores]:
        """ids int64[n], ascending, over the rankings of positive weight; scores float64[n] in 0..1."""
        speaking = [(ranking, weights[name]) for name, ranking in rankings.items() if len(ranking)]
        positive = [(ranking, weight) for ranking, weight in speaking if weight > 0.0]
        everyone = Ranking.union(ranking for ranking, _ in positive)
        sums = np.zeros(len(everyone))
        if not positive:
            return everyone, sums
        for ranking, weight in speaking:
            ids = ranking.ids
            places = np.minimum(np.searchsorted(everyone, ids), len(everyone) - 1)
            known = everyone[places] == ids
            sums[places[known]] += (weight / (K + np.arange(1, len(ids) + 1)))[known]
        maximum = sum(weight for _, weight in positive) / (K + 1)
        return everyone, np.clip(sums / maximum, 0.0, 1.0)


def build(context: BuildContext) -> ReciprocalRankFusion:
    """The fusion; it has no options, its weights are the lanes'."""
    return ReciprocalRankFusion()
