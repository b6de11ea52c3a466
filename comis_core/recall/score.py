"""Score: base x the product of the factors, and the total order that follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.model import Query
from comis_core.protocols import Scorer, ScoreRequest
from comis_core.recall.checks import check_factors
from comis_core.recall.guard import Guard
from comis_core.recall.parts import Bound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids, Pool, Scores
    from comis_core.recall.columns import Columns


@attrs.frozen(eq=False, repr=False)
class Scored:
    """factors: scorer name -> float64[n]. final: float64[n], base x their product."""

    factors: Mapping[str, Scores]
    final: Scores


def score(scorers: Sequence[Bound[Scorer]], query: Query, now: int, pool: Pool, base: Scores, guard: Guard) -> Scored:
    """Ask every scorer; one that fails has no factor.

    Args:
        base: float64[n], the fused score, or the reranker's where it judged.
    """
    request = ScoreRequest(query=query, now=now, pool=pool)
    factors: dict[str, Scores] = {}
    product = np.ones(len(base))
    for scorer in scorers:
        values = guard.attempt(
            scorer, "scorer", lambda part: check_factors(part.factors(request), len(base)), timed=False
        )
        if values is not None:
            factors[scorer.name] = values
            product *= values
    return Scored(factors, base * product)


def ranked(ids: Ids, columns: Columns, scores: Scores, head: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Places of the candidates, best first: head before tail, then score; ties by trust, newer record, higher id."""
    keys = [-ids, -columns["created_at"], -columns["trust"].astype(np.int64), -scores]
    return np.lexsort(keys if head is None else [*keys, ~head])
