"""The engine: one file, one config, the pipelines compiled from it. `open_engine` makes one."""

from comis_core.engine.diagnosis import Diagnosis, Problem
from comis_core.engine.engine import Engine
from comis_core.engine.opening import Loaded, load_settings, open_engine
from comis_core.engine.traces import Replayed, StoredTrace

__all__ = ["Diagnosis", "Engine", "Loaded", "Problem", "Replayed", "StoredTrace", "load_settings", "open_engine"]
