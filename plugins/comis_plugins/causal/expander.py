"""The causal expander: one hop from the best hits along what was said to cause what, in both directions.

claim = confidence x strength, the best over the seeds but a memory itself. strength: the seed's fused score as a share
of the best one's, divided by the root of its rank, so that a weak hit does not pull.
"""

from __future__ import annotations

from comis_core.claims import ranking, strengths
from comis_core.model import Ranking
from comis_core.protocols import BuildContext, ExpandRequest
from comis_plugins.causal.options import CausalOptions

SEEDS = 5
"""Best hits whose causes and effects are looked for."""

EDGES = 50
"""Of a hit's causes and of its effects so many are followed, the surest."""

# A cause annotation stands on the version in sight of the cause; its target is an id, and `visible` has at most one
# version of it: none if it was deleted, evicted or is nobody's business here.
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
        """What the best hits caused and were caused by, known candidates or not."""
        if not request.snapshot.has_annotations("cause"):
            return Ranking.empty()
        seeds, scores = request.seeds(SEEDS)
        claims: dict[int, float] = {}
        for seed, strength in zip(seeds.tolist(), strengths(scores), strict=True):
            for direction in (_EFFECTS, _CAUSES):
                for pk, confidence in request.snapshot.execute(direction, (seed, EDGES)):
                    claims[pk] = max(confidence * strength, claims.get(pk, 0.0))
        return ranking(claims, request.pool, request.limit)
