"""Maximal marginal relevance (Carbonell & Goldstein 1998), greedy, with scores and likenesses on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.protocols import BuildContext, DiversityRequest, Vectors
from comis_core.text import similarity
from comis_plugins.mmr.options import MmrOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids, Scores
    from comis_core.protocols import Snapshot


@attrs.frozen
class Mmr:
    """Takes, again and again, the candidate with the highest balance x score - (1 - balance) x likeness.

    score: divided by the best one's, so 0..1. likeness: to the likest candidate taken before, 0..1: the cosine of
    their vectors, or the overlap of their words (Jaccard) where one has no vector. space: None without an embedder.
    """

    balance: float
    vectors: Vectors
    space: str | None

    def order(self, request: DiversityRequest) -> NDArray[np.int64]:
        """int64[n]: a permutation of 0..n-1; the first stays first."""
        count = len(request.ids)
        top = float(request.scores.max(initial=0.0))
        if count < 3 or top <= 0 or self.balance == 1:
            return np.arange(count)
        return _greedy(self.balance * request.scores / top, (1 - self.balance) * self._likeness(request))

    def _likeness(self, request: DiversityRequest) -> NDArray[np.float64]:
        likeness = _overlap(request.token_sets)
        if self.space is not None:
            _put_cosines(likeness, self._matrix(request.snapshot, request.ids, self.space))
        return likeness

    def _matrix(self, snapshot: Snapshot, ids: Ids, space: str) -> NDArray[np.float32]:
        ascending = np.argsort(ids)
        matrix = self.vectors.fetch(snapshot, space, ids[ascending])
        placed = np.empty_like(matrix)
        placed[ascending] = matrix
        return placed


def build(context: BuildContext, options: MmrOptions) -> Mmr:
    """The diversifier as configured."""
    space = context.embedder.fingerprint if context.embedder is not None else None
    return Mmr(options.lambda_, context.vectors, space)


def _overlap(token_sets: Sequence[frozenset[str]]) -> NDArray[np.float64]:
    """float64[n, n]: the Jaccard index of every two token sets."""
    count = len(token_sets)
    overlap = np.zeros((count, count))
    for row in range(count):
        for column in range(row):
            overlap[row, column] = overlap[column, row] = similarity(token_sets[row], token_sets[column])
    return overlap


def _put_cosines(likeness: NDArray[np.float64], matrix: NDArray[np.float32]) -> None:
    """Replace the overlap of every two candidates that have vectors by their cosine, 0 where that is negative."""
    seen = np.flatnonzero(np.isfinite(matrix).all(axis=1)) if matrix.size else np.zeros(0, np.int64)
    if len(seen) > 1:
        known = matrix[seen].astype(np.float64)
        likeness[np.ix_(seen, seen)] = np.clip(known @ known.T, 0.0, 1.0)


def _greedy(worth: Scores, cost: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ties go to the candidate that stood higher before."""
    count = len(worth)
    order = np.zeros(count, np.int64)
    nearest = cost[:, 0].copy()
    left = np.ones(count, bool)
    left[0] = False
    for place in range(1, count):
        gain = np.where(left, worth - nearest, -np.inf)
        chosen = int(np.argmax(gain))
        order[place] = chosen
        left[chosen] = False
        nearest = np.maximum(nearest, cost[:, chosen])
    return order
