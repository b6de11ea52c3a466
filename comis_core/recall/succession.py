"""Succession: what replaces a candidate is a candidate too, even if no lane found it.

A correction need not have a word in common with the question ("She has moved on to Globex"): without this, the answer
would be the statement that it corrects, and nothing would say that it no longer holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from comis_core.recall.fuse import Fused
from comis_core.recall.reader import Reader

SOURCE: Mapping[str, int] = MappingProxyType({"supersedes": 1})
"""Stands for the lanes and ranks of a memory that is an answer only by what it replaces."""

LONGEST_CHAIN = 16
"""So many corrections of corrections are followed."""


def with_successors(fused: Fused, min_score: float, reader: Reader) -> Fused:
    """The candidates, and what explicitly supersedes one of them, with the score of the best that it replaces.

    A memory that reaches the floor by itself keeps its own score, and what replaces one below the floor stays away.

    Args:
        fused: the candidates after the last fusion.
        min_score: the floor under the fused score.
    """
    superseded = reader.supersedes(fused.ids)
    if not superseded:
        return fused
    scores = dict(zip(fused.ids.tolist(), fused.scores.tolist(), strict=True))
    changed = False
    for _ in range(LONGEST_CHAIN):
        raised: dict[int, float] = {}
        for winner, loser in superseded:
            own = scores.get(winner)
            if scores[loser] >= min_score and (own is None or own < min_score):
                raised[winner] = max(scores[loser], raised.get(winner, 0.0))
        if not raised:
            break
        scores |= raised
        superseded, changed = reader.supersedes(np.array(sorted(raised), np.int64)), True
    if not changed:
        return fused
    ids = np.array(sorted(scores), np.int64)
    return Fused(ids, np.array([scores[pk] for pk in ids.tolist()]))
