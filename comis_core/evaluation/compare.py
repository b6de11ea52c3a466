"""Whether one pipeline is better than another: paired bootstrap over questions (Efron & Tibshirani 1993)."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

RESAMPLES = 2000
SEED = 20240501


@attrs.frozen(kw_only=True)
class Comparison:
    """Difference b - a of one metric with its 95 % interval, and in how many cases (stores) b is ahead or behind."""

    metric: str
    difference: float
    low: float
    high: float
    cases_won: int
    cases_lost: int

    @property
    def clear(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


def compare(metric: str, cases: Sequence[str], a: Sequence[float], b: Sequence[float]) -> Comparison:
    """Compare two runs over the same questions in the same order.

    Args:
        cases: the case of each question. a, b: the metric's value a question, in the same order.
    """
    import numpy as np

    difference = np.asarray(b, float) - np.asarray(a, float)
    generator = np.random.default_rng(SEED)
    means = [difference[generator.integers(0, len(difference), len(difference))].mean() for _ in range(RESAMPLES)]
    low, high = np.quantile(means, [0.025, 0.975])
    names = np.asarray(cases)
    by_case = [float(difference[names == name].sum()) for name in sorted(set(cases))]
    return Comparison(
        metric=metric,
        difference=float(difference.mean()),
        low=float(low),
        high=float(high),
        cases_won=sum(value > 1e-12 for value in by_case),
        cases_lost=sum(value < -1e-12 for value in by_case),
    )
