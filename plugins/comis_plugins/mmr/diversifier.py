"""Maximal marginal relevance (Carbonell & Goldstein 1998), greedy, with scores and likenesses on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.protocols import BuildContext, DiversityRequest, Vectors
from comis_plugins.mmr.options import MmrOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids, Scores


HEAD = 50
"""Only so many of the best are put in a new order: few answers have room for more, and every two are compared."""


@attrs.frozen
class Mmr:
    """Takes, again and again, the candidate with the highest balance x score - (1 - balance) x likeness.

    score: as a share of the best one's, of both of which the lowest of a full head is taken off: where all lie near
    each other, as fused ranks do, likeness alone would decide. likeness: to the likest candidate taken before, 0..1:
    the cosine of their vectors, or the overlap of their words (Jaccard) where one has no vector. space: None without
    an embedder. Behind the first `HEAD` candidates the others follow as they stood.
    """

    balance: float
    vectors: Vectors
    space: str | None

    def order(self, request: DiversityRequest) -> NDArray[np.int64]:
        """int64[n]: a permutation of 0..n-1; the first stays first."""
        order = np.arange(len(request.ids))
        head = min(len(order), HEAD)
        if head < 3 or float(request.scores.max()) <= 0.0 or self.balance == 1:
            return order
        cost = self._likeness(request, head)
        cost *= 1 - self.balance
        order[:head] = _greedy(self.balance * _spread(request.scores[:head]), cost)
        return order

    def _likeness(self, request: DiversityRequest, head: int) -> NDArray[np.float64]:
        """float64[head, head]: of every two of the best."""
        if self.space is None:
            likeness, blind = np.zeros((head, head)), np.arange(head)
        else:
            likeness, blind = _cosines(self.vectors.fetch(request.snapshot, self.space, request.ids[:head]))
        # Token sets are made of texts that are read for the purpose: only where they are needed.
        if len(blind):
            _put_overlaps(likeness, request.token_sets[:head], blind)
        return likeness


def build(context: BuildContext, options: MmrOptions) -> Mmr:
    """The diversifier as configured."""
    space = context.embedder.fingerprint if context.embedder is not None else None
    return Mmr(options.lambda_, context.vectors, space)


def _spread(scores: Scores) -> Scores:
    """float64[n] in 0..1, the highest 1. The lowest of a full head is 0, that of a smaller one the less so."""
    zero = float(scores.min()) * len(scores) / HEAD
    top = float(scores.max()) - zero
    return (scores - zero) / top if top > 0.0 else np.ones(len(scores))


def _put_overlaps(likeness: NDArray[np.float64], token_sets: Sequence[frozenset[int]], blind: Ids) -> None:
    """Put in the Jaccard index of every two token sets of which one is that of a candidate without a vector.

    Jaccard = shared / (one + other - shared); what is shared is a product of 0/1 matrices. Two empty sets: 0.
    """
    tokens = {token: column for column, token in enumerate(set().union(*token_sets))}
    sizes = np.fromiter(map(len, token_sets), np.int64, len(token_sets))
    has = np.zeros((len(token_sets), len(tokens)), np.float32)
    has[np.repeat(np.arange(len(sizes)), sizes), [tokens[token] for each in token_sets for token in each]] = 1.0
    shared = has[blind] @ has.T
    overlap = shared / np.maximum(sizes[blind, None] + sizes - shared, 1.0)
    likeness[blind] = overlap
    likeness[:, blind] = overlap.T


def _cosines(matrix: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The cosine of every two candidates that have vectors, 0 where it is negative, and the places of the others."""
    has = np.isfinite(matrix).all(axis=1) if matrix.size else np.zeros(len(matrix), np.bool_)
    seen = np.flatnonzero(has)
    known = matrix[seen].astype(np.float64)
    among = known @ known.T
    np.clip(among, 0.0, 1.0, out=among)
    if len(seen) == len(matrix):
        return among, seen[:0]
    likeness = np.zeros((len(matrix), len(matrix)))
    likeness[np.ix_(seen, seen)] = among
    return likeness, np.flatnonzero(~has)


def _greedy(worth: Scores, cost: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ties go to the candidate that stood higher before."""
    order = np.zeros(len(worth), np.int64)
    left, nearest = worth.copy(), cost[0].copy()
    left[0] = -np.inf
    for place in range(1, len(worth)):
        chosen = (left - nearest).argmax()
        order[place] = chosen
        left[chosen] = -np.inf
        np.maximum(nearest, cost[chosen], out=nearest)
    return order
