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

BROUGHT = 500
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
        pool = request.pool.ids[_inside(request.pool, window)]
        fresh = np.setdiff1d(_dated(request, window), request.pool.ids)
        fresh = fresh[_best(_claimed(request, fresh), request.limit - len(pool))]
        ids = np.union1d(pool, fresh)
        order = np.lexsort((-ids, -_claimed(request, ids)))[: request.limit]
        return Ranking(ids[order], np.ones(len(order)), Claims(ids, np.ones(len(ids))))


def _inside(pool: Pool, window: TimeWindow) -> NDArray[np.bool_]:
    """bool[n]: which candidates lie in the window; one without any date does not."""
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


def _best(scores: Scores, count: int) -> NDArray[np.int64]:
    """Places of the `count` highest scores, later ones first among equals."""
    return np.lexsort((-np.arange(len(scores)), -scores))[: max(0, count)]
