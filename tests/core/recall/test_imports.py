"""Start-up stays light: what the host needs of this package comes without numpy."""

from __future__ import annotations

import subprocess
import sys

import pytest

import comis_core.recall


def test_the_parts_come_without_numpy() -> None:
    code = "import sys, comis_core.recall.parts, comis_core.recall.reader; print('numpy' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"


@pytest.mark.parametrize("name", comis_core.recall.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert callable(getattr(comis_core.recall, name))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'guess'"):
        _ = comis_core.recall.guess
