"""The trust factor: 1 + a (w - 1/2), w = 1 for system, 1/2 for learned, 0 for external."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from comis_core.model import TRUST_CODES, Trust
from comis_core.model.shown import Compared
from comis_core.protocols import BuildContext, ScoreRequest
from comis_plugins.trust.options import TrustOptions

if TYPE_CHECKING:
    from comis_core.model import Scores


@attrs.frozen(eq=False, repr=False)
class TrustFactor(Compared):
    """alpha: 0..1. The factor is 1 - alpha/2 for external, exactly 1 for learned, 1 + alpha/2 for system."""

    alpha: float

    def factors(self, request: ScoreRequest) -> Scores:
        """float64[n]. The stored codes rise with trust, so that a code's share of the highest is its weight."""
        factors: Scores = 1.0 + self.alpha * (request.pool.columns["trust"] / TRUST_CODES[Trust.SYSTEM] - 0.5)
        return factors


def build(context: BuildContext, options: TrustOptions) -> TrustFactor:
    """The factor as configured."""
    return TrustFactor(options.trust_alpha)
