"""Recall: one straight walk from a question to the few memories that matter, one module a stage.

The names below load on first use, because the stages need numpy and start-up must not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comis_core.recall.explain import why_not as why_not
    from comis_core.recall.guard import Supervisor as Supervisor
    from comis_core.recall.pipeline import recall as recall
    from comis_core.recall.pipeline import search as search
    from comis_core.recall.replays import replay as replay

__all__ = ["Supervisor", "recall", "replay", "search", "why_not"]


def __getattr__(name: str) -> Any:
    homes = {
        "Supervisor": "guard",
        "recall": "pipeline",
        "replay": "replays",
        "search": "pipeline",
        "why_not": "explain",
    }
    if name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{homes[name]}"), name)
