"""Where time comes from: the system, or the caller."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import attrs


@attrs.frozen
class SystemClock:
    """The machine's own time, in UTC."""

    def now(self) -> datetime:
        """The present moment."""
        return datetime.now(UTC)


@attrs.define
class ManualClock:
    """A clock that stands still until it is moved; for tests, replays and simulations."""

    moment: datetime

    def now(self) -> datetime:
        """The moment it was set to."""
        return self.moment

    def advance(self, step: timedelta) -> None:
        """Move forward by `step`."""
        self.moment += step
