"""Claims that an expander works out one by one: how much its seeds may pull, and the ranking in the end.

Public: expanders that follow edges from the best hits weigh alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from comis_core.model import Claims, Pool, Ranking

if TYPE_CHECKING:
    from comis_core.model import Scores


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
