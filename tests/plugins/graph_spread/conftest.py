from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.graphs import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """An empty file."""
    with World.open(tmp_path) as opened:
        yield opened
