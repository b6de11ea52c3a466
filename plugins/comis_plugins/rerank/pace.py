"""How fast a model reads, measured while it works."""

from __future__ import annotations

import attrs

RECOVERY = 0.2
"""Share of a faster measurement that is believed; a slower one is believed at once."""
RELAXATION = 0.9
"""What remains of an estimate that was not even tried."""

UNFINISHED = 2.0
"""How much slower than measured a model is taken to be that was stopped before it was done."""


@attrs.define(eq=False, repr=False)
class Pace:
    """Seconds a token. It errs on the slow side: a candidate too few costs less than one that is not finished."""

    seconds_per_token: float

    def expect(self, tokens: int) -> float:
        """Seconds that an input of so many tokens will take."""
        return self.seconds_per_token * tokens

    def learn(self, tokens: int, seconds: float, *, finished: bool) -> None:
        """Take a measurement."""
        measured = seconds / tokens * (1.0 if finished else UNFINISHED)
        known = self.seconds_per_token
        self.seconds_per_token = measured if measured > known else known + RECOVERY * (measured - known)

    def doubt(self) -> None:
        """Lower an estimate that nothing was measured against, or one busy moment would end all reranking."""
        self.seconds_per_token *= RELAXATION
