"""What expanders do with claims: those of others taken together, how much seeds may pull, and a ranking in the end.

Public: expanders weigh alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from comis_core.model import Claims, Pool, Ranking

if TYPE_CHECKING:
    from comis_core.model import Ids, Scores
    from comis_core.protocols import ExpandRequest


def so_far(request: ExpandRequest, ids: Ids) -> Scores:
    """float64[n]: the sum of weight x claim over every lane and expander that has spoken. ids: int64[n], ascending.

    One that attached no claims for its whole scope counts with what it ranked.
    """
    total = np.zeros(len(ids))
    for name, ranking in request.pool.rankings.items():
        weight, claims = request.weights.get(name, 0.0), request.claims.get(name)
        if weight and claims is None:
            total += weight * spread(ranking.ids, ranking.scores, ids)
        elif weight and claims is not None:
            same = len(claims.ids) == len(ids) and np.array_equal(claims.ids, ids)
            total += weight * (claims.values if same else claims.at(ids))
    return total


def spread(known: Ids, values: Scores, ids: Ids) -> Scores:
    """float64[len(ids)]: each value at its id, 0.0 elsewhere. ids: ascending; known: in any order, unique."""
    if len(known) == len(ids) and np.array_equal(known, ids):
        return values
    spread_out = np.zeros(len(ids))
    if len(ids):
        places = np.minimum(np.searchsorted(ids, known), len(ids) - 1)
        there = ids[places] == known
        spread_out[places[there]] = values[there]
    return spread_out


def strengths(scores: Scores) -> list[float]:
    """How much each seed may pull, in 0..1: its share of the best score, divided by the root of its rank.

    A weak hit does not pull. scores: float64[n], fused, best first.
    """
    best = scores[0] if len(scores) and scores[0] > 0.0 else 1.0
    shares: list[float] = (scores / best / np.sqrt(np.arange(1, len(scores) + 1))).tolist()
    return shares


def ranking(claims: Mapping[int, float], pool: Pool, limit: int) -> Ranking:
    """The positive claims, best first; among equals what the lanes think more of, then what is newer.

    Args:
        claims: memory id -> claim in 0..1.
        pool: the candidates so far.
        limit: at most so many.
    """
    ids = np.array(sorted(pk for pk, claim in claims.items() if claim > 0.0), np.int64)
    if not len(ids):
        return Ranking.empty()
    scores = np.array([claims[pk] for pk in ids.tolist()])
    fused = Claims(pool.ids, pool.fused).at(ids)
    order = np.lexsort((-ids, -fused, -scores))[:limit]
    return Ranking(ids[order], scores[order])
