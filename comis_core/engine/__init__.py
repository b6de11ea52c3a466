"""The engine: one file, one config, the pipelines compiled from it. `open_engine` makes one."""

from comis_core.engine.engine import Engine
from comis_core.engine.opening import Loaded, load_settings, open_engine

__all__ = ["Engine", "Loaded", "load_settings", "open_engine"]
