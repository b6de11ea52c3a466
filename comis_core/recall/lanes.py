"""Search: every lane on its own, and the check that nothing foreign came back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from comis_core.errors import ContractError
from comis_core.model import Ranking
from comis_core.protocols import Lane, SearchRequest
from comis_core.recall.checks import check_ranking
from comis_core.recall.columns import Hydration
from comis_core.recall.guard import Guard
from comis_core.recall.parts import Bound, Pipeline

if TYPE_CHECKING:
    from comis_core.model import Ids

LEAST_CANDIDATES = 50
"""Every lane is asked for at least so many candidates."""


def over_fetch(pipeline: Pipeline, max_results: int) -> int:
    """How many candidates each lane is asked for: the pool is cut to `max_results` only at the very end."""
    reranked = getattr(pipeline.reranker.part, "max_candidates", 0) if pipeline.reranker else 0
    # What is no number is the reranker's fault, and named when its turn comes.
    return max(2 * max_results, reranked if isinstance(reranked, int) else 0, LEAST_CANDIDATES)


def search_lanes(
    lanes: Sequence[Bound[Lane]], request: SearchRequest, hydration: Hydration, guard: Guard
) -> dict[str, Ranking]:
    """Lane name -> its ranking; a lane that failed or brought something that is not visible is missing.

    So is one that stands in for another which has answered: two that look for the same would count it twice.
    """
    standing_in = [lane for lane in lanes if lane.stands_in_for]
    rankings = _asked([lane for lane in lanes if not lane.stands_in_for], request, hydration, guard)
    for lane in standing_in:
        if lane.stands_in_for not in rankings:
            rankings |= _asked([lane], request, hydration, guard)
    return rankings


def _asked(
    lanes: Sequence[Bound[Lane]], request: SearchRequest, hydration: Hydration, guard: Guard
) -> dict[str, Ranking]:
    rankings: dict[str, Ranking] = {}
    known = guard.supervisor.ascending
    for lane in lanes:
        ranking = guard.attempt(
            lane, "lane", lambda part: check_ranking(part.search(request), request.limit, ascending=known)
        )
        if ranking is not None:
            rankings[lane.name] = ranking
    hidden = hydration.hidden(Ranking.union(rankings.values()))
    return rankings if not len(hidden) else _without(rankings, hidden, lanes, guard)


def foreign() -> ContractError:
    """The breach of bringing something that is not visible."""
    return ContractError("returned ids that this recall may not see (another scope, filtered out, or unknown)")


def _without(
    rankings: Mapping[str, Ranking], hidden: Ids, lanes: Sequence[Bound[Any]], guard: Guard
) -> dict[str, Ranking]:
    sound: dict[str, Ranking] = {}
    for lane in lanes:
        ranking = rankings.get(lane.name)
        if ranking is None:
            continue
        if np.isin(ranking.ids, hidden).any():
            guard.fault(lane, "lane", foreign())
        else:
            sound[lane.name] = ranking
    return sound
