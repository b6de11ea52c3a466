"""The proof factor: 1 + a (clamp01(1/2 + ln n / 10) - 1/2) x confidence x 0.5 ^ (days since the event / 30)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.model import DAY
from comis_core.model.shown import Compared
from comis_core.protocols import BuildContext, ScoreRequest
from comis_plugins.proof.options import ProofOptions

if TYPE_CHECKING:
    from comis_core.model import Scores

HALF_LIFE = 30.0
"""Days after which corroboration counts half."""


@attrs.frozen(eq=False, repr=False)
class Proof(Compared):
    """alpha: 0..1. The factor lies between 1 (said once) and 1 + alpha/2 (said often, with full confidence, now)."""

    alpha: float

    def factors(self, request: ScoreRequest) -> Scores:
        """float64[n]. n is the proof count; age is that of the event, or of the record where there is no event time.

        A memory that was said once, or whose confidence is not known, has exactly 1.
        """
        columns = request.pool.columns
        occurred, created = columns["occurred_at"], columns["created_at"]
        days = np.maximum(request.now - np.where(np.isnan(occurred), created, occurred), 0.0) / DAY
        corroboration = np.clip(0.5 + np.log(np.maximum(columns["proof_count"], 1.0)) / 10.0, 0.0, 1.0) - 0.5
        factors = 1.0 + self.alpha * corroboration * columns["confidence"] * 0.5 ** (days / HALF_LIFE)
        return np.where(np.isnan(factors), 1.0, factors)


def build(context: BuildContext, options: ProofOptions) -> Proof:
    """The factor as configured."""
    return Proof(options.proof_alpha)
