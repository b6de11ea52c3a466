"""The made-up sets on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.made_up import drafts


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All sets on disk."""
    place = tmp_path_factory.mktemp("sets")
    for draft in drafts():
        draft.write(place)
    return place
