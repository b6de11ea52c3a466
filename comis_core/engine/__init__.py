"""The engine: one file, one config, the pipelines compiled from it. `open_engine` makes one."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from comis_core.engine.engine import Engine
from comis_core.engine.opening import Loaded, load_settings, open_engine

if TYPE_CHECKING:
    from comis_core.engine.diagnosis import Diagnosis as Diagnosis
    from comis_core.engine.diagnosis import Problem as Problem
    from comis_core.engine.traces import Replayed as Replayed
    from comis_core.engine.traces import StoredTrace as StoredTrace

__all__ = ["Diagnosis", "Engine", "Loaded", "Problem", "Replayed", "StoredTrace", "load_settings", "open_engine"]

_LATER = {"Diagnosis": "diagnosis", "Problem": "diagnosis", "Replayed": "traces", "StoredTrace": "traces"}
"""What opening and recalling can do without -> the module that is imported for it on first use."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
