"""Recall for agents: a pluggable memory library on one SQLite file, offline and without a model call.

with comis_core.open("memory.db", preset="tuned") as engine:
    agent = engine.agent("helper", tenant="acme")
    agent.store("Ana moved to Lisbon in March.", sender="ana")
    print(agent.recall("Where does Ana live?").text)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comis_core.agent import Agent as Agent
    from comis_core.engine import Engine as Engine
    from comis_core.engine import open_engine as open  # noqa: A004  the word people expect
    from comis_core.hookspecs import hookimpl as hookimpl
    from comis_core.model import Annotation as Annotation
    from comis_core.model import Filters as Filters
    from comis_core.model import Memory as Memory
    from comis_core.model import NewMemory as NewMemory
    from comis_core.model import Recall as Recall
    from comis_core.model import Scope as Scope

_HOMES = {
    "Agent": ("comis_core.agent", "Agent"),
    "Annotation": ("comis_core.model", "Annotation"),
    "Engine": ("comis_core.engine", "Engine"),
    "Filters": ("comis_core.model", "Filters"),
    "Memory": ("comis_core.model", "Memory"),
    "NewMemory": ("comis_core.model", "NewMemory"),
    "Recall": ("comis_core.model", "Recall"),
    "Scope": ("comis_core.model", "Scope"),
    "hookimpl": ("comis_core.hookspecs", "hookimpl"),
    "open": ("comis_core.engine", "open_engine"),
}
"""Public name -> where it lives. Names load on first use, so that `import comis_core` costs next to nothing."""

__all__ = ["Agent", "Annotation", "Engine", "Filters", "Memory", "NewMemory", "Recall", "Scope", "hookimpl", "open"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'comis_core' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value
