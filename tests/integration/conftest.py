"""Engines on real files, as a user opens them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import comis_core
from comis_core.clock import ManualClock

WORDS_ONLY = {"embedding": "none"}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 1, 12, tzinfo=UTC))


@pytest.fixture(params=["comis", "tuned"])
def agent(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[comis_core.Agent]:
    """An agent without embedder under each built-in preset."""
    path = tmp_path / "memory.db"
    with comis_core.open(path, preset=request.param, clock=clock, overrides=WORDS_ONLY) as engine:
        yield engine.agent("helper", tenant="acme")
