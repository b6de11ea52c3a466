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

LOUDEST, NEARNESS = 0.5, 1.5
"""A neighbour that claims everything has half the voice of a hit, and less with this power of its claim. Ranks hardly
differ, so only the claim can say how near a neighbour is (docs/adr/0015)."""


@attrs.frozen
class ReciprocalRankFusion:
    """score = sum of weight x voice / (60 + rank) over the rankings, divided by what a first place in all would get.

    Rank 1 is the first. A lane's voice is 1: only ranks count, not claims. What an expander found beside the hits of
    others has a voice of claim ** 1.5 / 2, or the farthest neighbour would be as loud as a hit. Rankings that are empty
    or have weight 0 count neither above nor below the line. A ranking of negative weight lowers the score of what it
    ranks, adds no candidate and is no part of the maximum; a score below 0 is 0.
    """

    def fuse(self, rankings: Mapping[str, Ranking], weights: Mapping[str, float]) -> tuple[Ids, Scores]:
        """ids int64[n], ascending, over the rankings of positive weight; scores float64[n] in 0..1."""
        speaking = [(ranking, weights[name]) for name, ranking in rankings.items() if len(ranking)]
        everyone = Ranking.union(ranking for ranking, weight in speaking if weight > 0.0)
        sums = np.zeros(len(everyone))
        if not len(everyone):
            return everyone, sums
        maximum = 0.0
        for ranking, weight in speaking:
            shares = weight * _shares(ranking)
            maximum += max(float(shares[0]), 0.0)
            places = np.minimum(np.searchsorted(everyone, ranking.ids), len(everyone) - 1)
            known = everyone[places] == ranking.ids
            sums[places[known]] += shares[known]
        return everyone, np.clip(sums / (maximum or 1.0), 0.0, 1.0)


def _shares(ranking: Ranking) -> Scores:
    """float64[n]: voice / (60 + rank); none is higher than the first."""
    shares: Scores = 1.0 / (K + np.arange(1, len(ranking) + 1))
    return shares * LOUDEST * ranking.scores**NEARNESS if ranking.expanded else shares


def build(context: BuildContext) -> ReciprocalRankFusion:
    """The fusion; it has no options, its weights are the lanes'."""
    return ReciprocalRankFusion()
