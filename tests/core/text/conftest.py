"""One English analyser for the tests that only read."""

from __future__ import annotations

import pytest

from comis_core.text import Analyser


@pytest.fixture(scope="session")
def analyser() -> Analyser:
    return Analyser()
