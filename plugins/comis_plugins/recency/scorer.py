"""The recency factor: 1 + a (1 / (1 + days since recorded) - 1/2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.model import DAY
from comis_core.model.shown import Compared
from comis_core.protocols import BuildContext, ScoreRequest
from comis_plugins.recency.options import RecencyOptions

if TYPE_CHECKING:
    from comis_core.model import Scores


@attrs.frozen(eq=False, repr=False)
class Recency(Compared):
    """alpha: 0..1. The factor lies between 1 - alpha/2 (old) and 1 + alpha/2 (now)."""

    alpha: float

    def factors(self, request: ScoreRequest) -> Scores:
        """float64[n]. A record from the future counts as new; without a record time the factor is exactly 1."""
        created = request.pool.columns["created_at"]
        days = np.maximum(request.now - created, 0.0) / DAY
        return np.where(np.isnan(created), 1.0, 1.0 + self.alpha * (1.0 / (1.0 + days) - 0.5))


def build(context: BuildContext, options: RecencyOptions) -> Recency:
    """The factor as configured."""
    return Recency(options.recency_alpha)
