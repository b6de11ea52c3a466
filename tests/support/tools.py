"""Scripts under tests/tools as modules."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

TOOLS = Path(__file__).parents[1] / "tools"


def load_tool(name: str) -> Any:
    """The script tests/tools/NAME.py, imported."""
    spec = importlib.util.spec_from_file_location(f"comis_tools_{name}", TOOLS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
