"""The event-time factor: 1 + a (1 / (1 + days since the event) - 1/2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.model import DAY
from comis_core.model.shown import Compared
from comis_core.protocols import BuildContext, ScoreRequest
from comis_plugins.event_time.options import EventTimeOptions

if TYPE_CHECKING:
    from comis_core.model import Scores


@attrs.frozen(eq=False, repr=False)
class EventTime(Compared):
    """alpha: 0..1. The factor lies between 1 - alpha/2 (long ago) and 1 + alpha/2 (now)."""

    alpha: float

    def factors(self, request: ScoreRequest) -> Scores:
        """float64[n]. An event of the future counts as one of now; without an event time the factor is exactly 1."""
        occurred = request.pool.columns["occurred_at"]
        days = np.maximum(request.now - occurred, 0.0) / DAY
        return np.where(np.isnan(occurred), 1.0, 1.0 + self.alpha * (1.0 / (1.0 + days) - 0.5))


def build(context: BuildContext, options: EventTimeOptions) -> EventTime:
    """The factor as configured."""
    return EventTime(options.temporal_alpha)
