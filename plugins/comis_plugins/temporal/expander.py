"""The temporal expander: what happened near a good hit claims a part of it, the less the further away it lies.

claim = strength x exp(-distance / window) x min(1, CROWD / n), the best over the seeds but a memory itself.

strength: the seed's fused score as a share of the best one's, divided by the root of its rank, so that a weak hit does
not pull. n: how many memories lie within the window of the seed: where everything has a date, as in a conversation,
nearness says little about any of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from comis_core.claims import ranking, strengths
from comis_core.model import DAY, Ranking
from comis_core.protocols import BuildContext, ExpandRequest, Snapshot
from comis_plugins.temporal.options import TemporalOptions

if TYPE_CHECKING:
    from comis_core.model import Ids

SEEDS = 5
"""Best hits whose neighbours are looked for."""

CROWD = 8
"""Up to so many neighbours a seed speaks for in full, and for no more of them: the nearest."""

QUIETEST = 0.25
"""A smaller claim is not made: a fusion that hears ranks alone would take it for a loud one."""

MOST = 8
"""All seeds together speak for so many memories, for the same reason: they have nothing but their time for them."""

_EARLIEST, _LATEST = -(2**63), 2**63 - 1

_MOMENTS = (
    "SELECT pk, occurred_at FROM visible WHERE pk IN (SELECT value FROM json_each(?)) AND occurred_at IS NOT NULL"
)

# `visible_scan` is driven by the index over event times: both scans stop at the window's edge or at their limit.
_AFTER = """
SELECT pk, occurred_at - ?1 FROM visible_scan WHERE occurred_at >= ?1 AND occurred_at <= ?2
ORDER BY occurred_at LIMIT ?3"""
_BEFORE = """
SELECT pk, ?1 - occurred_at FROM visible_scan WHERE occurred_at < ?1 AND occurred_at >= ?2
ORDER BY occurred_at DESC LIMIT ?3"""


def build(context: BuildContext, options: TemporalOptions) -> Temporal:
    """The expander; it keeps nothing."""
    return Temporal(options.window_days)


class Temporal:
    """Neighbours in event time. window_days: 0 is the same moment alone."""

    def __init__(self, window_days: float) -> None:
        self._window = round(min(window_days * DAY, float(_LATEST // 2)))

    def expand(self, request: ExpandRequest) -> Ranking:
        """The neighbours of the best hits, known candidates or not; nothing where no hit has an event time."""
        seeds, scores = request.seeds(SEEDS)
        moments = _moments(request.snapshot, seeds)
        claims: dict[int, float] = {}
        for seed, strength in zip(seeds.tolist(), strengths(scores), strict=True):
            if seed in moments:
                for neighbour, claim in self._neighbours(request.snapshot, seed, moments[seed], strength):
                    claims[neighbour] = max(claim, claims.get(neighbour, 0.0))
        return ranking(claims, request.pool, min(request.limit, MOST))

    def _neighbours(self, snapshot: Snapshot, seed: int, moment: int, strength: float) -> Iterator[tuple[int, float]]:
        """(id, claim) of the seed's nearest neighbours; none in a crowd in which no claim would be loud enough."""
        most = int(CROWD * strength / QUIETEST)
        near = sorted((distance, -pk) for pk, distance in self._read(snapshot, moment, most + 2) if pk != seed)
        if not 0 < len(near) <= most:
            return
        full = strength * min(1.0, CROWD / len(near))
        furthest, _ = near[min(CROWD, len(near)) - 1]
        for distance, key in near:
            claim = full * math.exp(-distance / max(self._window, 1))
            if distance <= furthest and claim >= QUIETEST:
                yield -key, claim

    def _read(self, snapshot: Snapshot, moment: int, limit: int) -> list[tuple[int, int]]:
        """(id, distance in microseconds) within the window, the seed among them; stops when there are `limit`."""
        rows = list(snapshot.execute(_AFTER, (moment, min(moment + self._window, _LATEST), limit)))
        if len(rows) < limit:
            rows += snapshot.execute(_BEFORE, (moment, max(moment - self._window, _EARLIEST), limit))
        return [(pk, distance) for pk, distance in rows]


def _moments(snapshot: Snapshot, ids: Ids) -> Mapping[int, int]:
    """Event times of those that have one, in epoch microseconds."""
    return dict(snapshot.execute(_MOMENTS, (str(ids.tolist()),)))
