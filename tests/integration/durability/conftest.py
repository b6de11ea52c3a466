"""A clock that stands still, an hour from now: what a dead process had in hand has come back by then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from comis_core.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime.now(UTC) + timedelta(hours=1))
