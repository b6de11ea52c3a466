"""The fading factor: 1 + a (fade - 1), fade = 1/2 + 1/2 exp(-lambda age^beta), after Ebbinghaus' forgetting curve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from comis_core.model import DAY, TRUST_CODES, TYPE_CODES, MemoryType, Trust
from comis_core.model.shown import Compared
from comis_core.protocols import BuildContext, ScoreRequest
from comis_plugins.forget.options import ForgetOptions, ForgetScoringOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Scores

HALF_LIFE_DAYS = 30.0
LASTING_EXPONENT = 0.8
"""beta of semantic and procedural memories: they fade ever more slowly."""
PASSING_EXPONENT = 1.2
"""beta of episodic and working memories: they fade ever faster."""
UNKNOWN = 0.5
"""Importance and use rate of a memory of which nothing is known."""
TRUST_WEIGHTS: Mapping[Trust, float] = {Trust.EXTERNAL: 0.0, Trust.LEARNED: 0.5, Trust.SYSTEM: 1.0}


@attrs.frozen(eq=False, repr=False)
class Forget(Compared):
    """alpha: 0..1. The factor lies between 1 - alpha/2 (faded) and 1 (fresh)."""

    alpha: float

    def factors(self, request: ScoreRequest) -> Scores:
        """float64[n]. Age is that of the record, never negative; without a record time the factor is exactly 1."""
        columns = request.pool.columns
        days = np.maximum(request.now - columns["created_at"], 0.0) / DAY
        rate = math.log(2) / HALF_LIFE_DAYS * np.exp(-1.5 * importance(columns, days))
        lasting = np.isin(columns["type"], [TYPE_CODES[MemoryType.SEMANTIC], TYPE_CODES[MemoryType.PROCEDURAL]])
        fade = 0.5 + 0.5 * np.exp(-rate * days ** np.where(lasting, LASTING_EXPONENT, PASSING_EXPONENT))
        return np.where(np.isnan(days), 1.0, 1.0 + self.alpha * (fade - 1.0))


def importance(columns: Mapping[str, NDArray[Any]], days: Scores) -> Scores:
    """float64[n] in 0..1: .25 base + .25 use rate + .15 / (1 + age) + .20 trust + .15 proof.

    base: the memory's own importance. use rate: the column `usefulness`. proof: clamp(1/2 + ln n / 10).
    """
    trusted = np.array([TRUST_WEIGHTS[trust] for trust in sorted(TRUST_CODES, key=TRUST_CODES.__getitem__)])
    weighed: Scores = (
        0.25 * _known(columns["importance"])
        + 0.25 * _known(columns["usefulness"])
        + 0.15 / (1.0 + days)
        + 0.20 * trusted[columns["trust"].astype(np.int64)]
        + 0.15 * np.clip(0.5 + np.log(np.maximum(columns["proof_count"], 1.0)) / 10, 0.0, 1.0)
    )
    return weighed


def _known(values: NDArray[Any]) -> Scores:
    return np.where(np.isnan(values), UNKNOWN, values)


def build(context: BuildContext, options: ForgetOptions, scoring: ForgetScoringOptions) -> Forget:
    """The factor as configured."""
    return Forget(scoring.forget_alpha)
