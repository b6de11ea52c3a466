"""The causal expander: one hop from the best hits along what was said to cause what, in both directions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from comis_core.model import Pool, Ranking
from comis_core.protocols import BuildContext, ExpandRequest, Snapshot
from comis_plugins.causal.options import CausalOptions

if TYPE_CHECKING:
    from comis_core.model import Ids, Scores

SEEDS = 5
"""Best hits whose causes and effects are looked for."""

EDGES = 200
"""Of a hit's causes and effects so many each are followed, the surest."""

_EFFECTS = """
SELECT v.pk, a.confidence FROM visible_annotations AS a CROSS JOIN memories AS m ON m.id = a.target
CROSS JOIN visible AS v ON v.pk = m.pk
WHERE a.pk = ?1 AND a.kind = 'cause' AND v.pk <> ?1 ORDER BY a.confidence DESC, v.pk DESC LIMIT ?2"""

_CAUSES = """
SELECT a.pk, a.confidence FROM visible AS v CROSS JOIN visible_annotations AS a ON a.target = v.id
WHERE v.pk = ?1 AND a.kind = 'cause' AND a.pk <> ?1 ORDER BY a.confidence DESC, a.pk DESC LIMIT ?2"""


def build(context: BuildContext, options: CausalOptions) -> Causal:
    """The expander; it keeps nothing."""
    return Causal()


class Causal:
    """Causes and effects of the best hits."""

    def expand(self, request: ExpandRequest) -> Ranking:
        seeds, strengths = request.seeds(SEEDS)
        mode = os.environ.get("C_MODE", "relative")
        if not len(seeds) or strengths[0] <= 0: return Ranking.empty()
        if mode.startswith("relative"): s = strengths / strengths[0]
        elif mode.startswith("absolute"): s = strengths
        elif mode.startswith("rank"): s = 1/np.arange(1, 6)[:len(seeds)]
        elif mode.startswith("rr"): s = strengths / strengths[0] / np.arange(1, 6)[:len(seeds)]
        elif mode.startswith("rs"): s = strengths / strengths[0] / np.sqrt(np.arange(1, 6)[:len(seeds)])
        elif mode.startswith("half"): s = .5**np.arange(0, 5)[:len(seeds)]
        else: s = np.ones(len(strengths))
        if mode.endswith("2"): s = s**2
        found = {}
        for seed, strength in zip(seeds.tolist(), s.tolist()):
            for sql in (_EFFECTS, _CAUSES):
                for pk, confidence in request.snapshot.execute(sql, (seed, EDGES)):
                    found[pk] = max(found.get(pk, 0.0), confidence * strength)
        ids = np.array(sorted(found), np.int64); scores = np.array([found[i] for i in ids.tolist()], float)
        fused = np.zeros(len(ids)); 
        if len(ids):
            pl = np.minimum(np.searchsorted(request.pool.ids, ids), len(request.pool.ids)-1)
            fused = np.where(request.pool.ids[pl] == ids, request.pool.fused[pl], 0.0)
        ids, scores, fused = ids[scores>0], scores[scores>0], fused[scores>0]
        order = np.lexsort((-ids, -fused, -scores))[: request.limit]
        return Ranking(ids[order], scores[order])
