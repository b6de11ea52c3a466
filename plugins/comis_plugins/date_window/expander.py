"""The date window expander: a memory whose date lies in the window claims 1.0, every other one nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comis_core.model import Claims, Pool, Ranking, TimeWindow
from comis_core.protocols import BuildContext, ExpandRequest
from comis_plugins.date_window.options import DateWindowOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids, Scores

BROUGHT = 200
"""Of the window's memories outside the pool so many are weighed, the newest; the best of them are brought in."""

_EARLIEST, _LATEST = -(2**63), 2**63 - 1

_INSIDE = """
SELECT * FROM (SELECT pk FROM visible_scan
  WHERE occurred_at >= ?1 AND occurred_at < ?2 ORDER BY occurred_at DESC LIMIT ?3)
UNION ALL SELECT * FROM (SELECT pk FROM visible_scan
  WHERE occurred_at IS NULL AND created_at >= ?1 AND created_at < ?2 ORDER BY created_at DESC LIMIT ?3)"""


def build(context: BuildContext, options: DateWindowOptions) -> DateWindow:
    """The expander; it keeps nothing."""
    return DateWindow()


class DateWindow:
    """Memories from the window that the query names. A memory's date is its event time, else its record time."""

    def expand(self, request: ExpandRequest) -> Ranking:
        """Candidates of the pool inside the window, and the best of the window's other memories.

        Claims are attached for the pool and what came in. Without a window there is nothing to say; a hard window is
        a filter already and says nothing more.
        """
        window = request.query.time_window
        if window is None or window.hard:
            return Ranking.empty()
        known = request.pool.ids[_inside(request.pool, window)]
        fresh = _fresh(_dated(request, window), request.pool.ids)
        fresh = fresh[_best(fresh, _claimed(request, fresh))[: max(0, request.limit - len(known))]]
        ids = np.sort(np.concatenate((known, fresh)))
        best = ids[_best(ids, _claimed(request, ids))[: request.limit]]
        return Ranking(best, np.ones(len(best)), Claims(ids, np.ones(len(ids))))


def _inside(pool: Pool, window: TimeWindow) -> NDArray[np.bool_]:
    """bool[n]: which candidates lie in the window; one without any date does not."""
    if not len(pool):
        return np.zeros(0, np.bool_)
    occurred = pool.columns["occurred_at"]
    dates = np.where(np.isnan(occurred), pool.columns["created_at"], occurred)
    inside = ~np.isnan(dates)
    if window.start is not None:
        inside &= dates >= window.start
    if window.end is not None:
        inside &= dates < window.end
    return inside


def _dated(request: ExpandRequest, window: TimeWindow) -> Ids:
    """int64[m]: the newest memories of the window."""
    start = _EARLIEST if window.start is None else window.start
    end = _LATEST if window.end is None else window.end
    rows = request.snapshot.execute(_INSIDE, (start, end, BROUGHT))
    return np.fromiter((pk for (pk,) in rows), np.int64)


def _claimed(request: ExpandRequest, ids: Ids) -> Scores:
    """float64[n]: the sum of weight x claim over what attached claims for the whole scope."""
    total = np.zeros(len(ids))
    for name, claims in request.claims.items():
        total += request.weights.get(name, 0.0) * claims.at(ids)
    return total


def _fresh(ids: Ids, pool: Ids) -> Ids:
    """Those of the ids that are not in the pool, which is ascending."""
    if not len(pool):
        return ids
    places = np.minimum(np.searchsorted(pool, ids), len(pool) - 1)
    fresh: Ids = ids[pool[places] != ids]
    return fresh


def _best(ids: Ids, scores: Scores) -> NDArray[np.int64]:
    """Places by score, best first; the newer (higher) id first among equals."""
    order: NDArray[np.int64] = np.lexsort((-ids, -scores))
    return order
