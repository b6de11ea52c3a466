"""Ranking metrics: recall@k, hit@k, all@k, MRR and nDCG@10, averaged over questions."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

import attrs


@attrs.frozen(kw_only=True)
class Scores:
    """Metrics of one question, or their mean over `questions` questions; each in 0..1."""

    recall_at_1: float = 0.0
    recall_at_5: float = 0.0
    recall_at_10: float = 0.0
    hit_at_10: float = 0.0
    all_at_10: float = 0.0
    reciprocal_rank: float = 0.0
    """1 / rank of the first gold memory; its mean is the MRR."""
    ndcg_at_10: float = 0.0
    """Binary gains, log2 discount (Järvelin & Kekäläinen 2002)."""
    questions: int = 1


METRICS = tuple(field.name for field in attrs.fields(Scores) if field.name != "questions")


def score_ranking(ranked: Sequence[str], relevant: Collection[str]) -> Scores:
    """Metrics of one ranked list (best first, unique ids) against its non-empty gold."""
    places = [rank for rank, name in enumerate(ranked, 1) if name in relevant]
    total = len(relevant)
    found = {k: sum(rank <= k for rank in places) for k in (1, 5, 10)}
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(total, 10) + 1))
    gained = sum(1 / math.log2(rank + 1) for rank in places if rank <= 10)
    return Scores(
        recall_at_1=found[1] / total,
        recall_at_5=found[5] / total,
        recall_at_10=found[10] / total,
        hit_at_10=float(found[10] > 0),
        all_at_10=float(found[10] == total),
        reciprocal_rank=1 / places[0] if places else 0.0,
        ndcg_at_10=gained / ideal,
    )


def mean(scores: Iterable[Scores]) -> Scores:
    """The mean over questions; all zero for none."""
    rows = list(scores)
    if not rows:
        return Scores(questions=0)
    values = {name: math.fsum(getattr(row, name) for row in rows) / len(rows) for name in METRICS}
    return Scores(**values, questions=len(rows))
