"""A store on a real file, with a clock that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import comis_core
from comis_core.clock import ManualClock
from comis_langgraph import ComisStore


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 1, 12, tzinfo=UTC))


@pytest.fixture
def engine(tmp_path: Path, clock: ManualClock) -> Iterator[comis_core.Engine]:
    with comis_core.open(
        tmp_path / "memory.db", clock=clock, preset="tuned", overrides={"embedding": "none"}
    ) as opened:
        yield opened


@pytest.fixture
def store(engine: comis_core.Engine) -> ComisStore:
    return ComisStore(engine.agent("helper", tenant="acme"))
