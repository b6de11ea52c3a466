"""The temporal expander: a memory claims what the best hits near it in event time have, less the further away it is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from comis_core.model import DAY, Pool, Ranking
from comis_core.protocols import BuildContext, ExpandRequest, Snapshot
from comis_plugins.temporal.options import TemporalOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids, Scores

SEEDS = 5
"""Best hits whose neighbours are looked for."""

NEIGHBOURS = 25
"""Of a hit's neighbours outside the pool so many on either side are read, the nearest."""

_EARLIEST, _LATEST = -(2**63), 2**63 - 1

_AFTER = """
SELECT pk, occurred_at FROM visible_scan WHERE occurred_at >= ?1 AND occurred_at <= ?2 ORDER BY occurred_at LIMIT ?3"""
_BEFORE = """
SELECT pk, occurred_at FROM visible_scan WHERE occurred_at < ?1 AND occurred_at >= ?2
ORDER BY occurred_at DESC LIMIT ?3"""


def build(context: BuildContext, options: TemporalOptions) -> Temporal:
    """The expander; it keeps nothing."""
    return Temporal(options.window_days)


class Temporal:
    def __init__(self, window_days: float) -> None:
        self._window = window_days * DAY

    def expand(self, request: ExpandRequest) -> Ranking:
        mode = os.environ.get("T_MODE", "relative")
        seeds, strengths = request.seeds(SEEDS)
        if not len(seeds):
            return Ranking.empty()
        when = request.pool.columns["occurred_at"]
        places = np.searchsorted(request.pool.ids, seeds)
        dated = ~np.isnan(when[places])
        seeds, strengths, moments = seeds[dated], strengths[dated], when[places][dated]
        if not len(seeds):
            return Ranking.empty()
        found = dict(zip(request.pool.ids.tolist(), when.tolist()))
        counts = []
        for m in moments.tolist():
            start, end = max(_EARLIEST, int(m - self._window)), min(_LATEST, int(m + self._window))
            a = list(request.snapshot.execute(_AFTER, (int(m), end, NEIGHBOURS)))
            b = list(request.snapshot.execute(_BEFORE, (int(m), start, NEIGHBOURS)))
            found.update(a); found.update(b)
            counts.append(len(a)+len(b)-1)
        ids = np.array(sorted(found)); times = np.array([found[i] for i in ids.tolist()], float)
        dist = np.abs(times[:, None] - moments[None, :])
        near = np.exp(-dist / max(self._window, 1.0)) * (dist <= self._window) * (ids[:, None] != seeds[None, :])
        near = np.nan_to_num(near)
        best = request.pool.fused.max()
        if mode.startswith("relative"): s = strengths / best if best > 0 else np.ones(len(strengths))
        elif mode.startswith("absolute"): s = strengths
        elif mode.startswith("rank"): s = (1/np.arange(1, 6))[:len(dated)][dated]
        elif mode.startswith("rr"): s = strengths / best / np.arange(1, 6)[:len(dated)][dated]
        elif mode.startswith("rs"): s = strengths / best / np.sqrt(np.arange(1, 6)[:len(dated)][dated])
        elif mode.startswith("half"): s = (.5**np.arange(0, 5))[:len(dated)][dated]
        else: s = np.ones(len(strengths))
        if mode.endswith("2"): s = s**2
        if mode.endswith("4"): s = s**4
        if os.environ.get("T_CROWD"):
            s = s * np.minimum(1.0, float(os.environ["T_CROWD"]) / np.maximum(1, np.array(counts)))
        if os.environ.get("T_CROWDSUM"):
            s = s * np.minimum(1.0, float(os.environ["T_CROWDSUM"]) / np.maximum(near.sum(0), 1e-9))
        scores = (near * s[None, :]).max(1)
        scores = np.where(scores >= float(os.environ.get("T_FLOOR", 0)), scores, 0.0)
        fused = np.zeros(len(ids)); fused[np.isin(ids, request.pool.ids)] = request.pool.fused
        positive = scores > 0
        ids, scores, fused = ids[positive], scores[positive], fused[positive]
        order = np.lexsort((-ids, -fused, -scores))[: request.limit]
        return Ranking(ids[order], scores[order])
