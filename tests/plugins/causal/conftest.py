"""An empty file, and the expander of an agent of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.graphs import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World.open(tmp_path) as world:
        yield world
