"""The weighted sum of absolute claims: a lane that is sure of little adds little."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.model import Ranking
from comis_core.protocols import BuildContext

if TYPE_CHECKING:
    from comis_core.model import Ids, Scores


@attrs.frozen(eq=False, repr=False)
class WeightedClaims:
    """score = sum of weight x claim over the rankings, divided by the sum of all positive weights, held to 0..1.

    Claims are not rescaled for a query, and the divisor is the same whether or not a lane found anything: a score
    means the same for every question. A lane that claims for its whole scope is heard on every candidate, also on
    those that it did not rank among its best. A negative weight speaks against a candidate and adds none.
    """

    def fuse(self, rankings: Mapping[str, Ranking], weights: Mapping[str, float]) -> tuple[Ids, Scores]:
        """ids int64[n], ascending, over the rankings of positive weight; scores float64[n] in 0..1."""
        everyone = Ranking.union(ranking for name, ranking in rankings.items() if weights[name] > 0.0)
        sums = np.zeros(len(everyone))
        if not len(everyone):
            return everyone, sums
        for name, ranking in rankings.items():
            if len(ranking) and weights[name] != 0.0:
                sums += weights[name] * _claims(ranking, everyone)
        total = sum(weight for weight in weights.values() if weight > 0.0)
        return everyone, np.clip(sums / total, 0.0, 1.0)


def _claims(ranking: Ranking, everyone: Ids) -> Scores:
    claims = np.zeros(len(everyone)) if ranking.claims is None else ranking.claims.at(everyone)
    places = everyone.searchsorted(ranking.ids)
    known = everyone.take(places, mode="clip") == ranking.ids
    if known.all():
        claims[places] = ranking.scores
    else:
        claims[places[known]] = ranking.scores[known]
    return claims


def build(context: BuildContext) -> WeightedClaims:
    """The fusion; it has no options, its weights are the lanes'."""
    return WeightedClaims()
