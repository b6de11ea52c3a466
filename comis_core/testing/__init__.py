"""For authors of plugins: a conformance kit, a bench to try parts on, a toy embedder, and distributions for tests.

The names below load on first use, because pytest imports this package at every start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comis_core.testing.bench import Bench as Bench
    from comis_core.testing.distributions import make_distribution as make_distribution
    from comis_core.testing.embedder import ToyEmbedder as ToyEmbedder
    from comis_core.testing.kit import Case as Case
    from comis_core.testing.kit import cases as cases
    from comis_core.testing.kit import check_plugin as check_plugin
    from comis_core.testing.kit import check_spec as check_spec
    from comis_core.testing.kit import conformance as conformance

__all__ = ["Bench", "Case", "ToyEmbedder", "cases", "check_plugin", "check_spec", "conformance", "make_distribution"]


def __getattr__(name: str) -> Any:
    homes = {"Bench": "bench", "ToyEmbedder": "embedder", "make_distribution": "distributions"}
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{homes.get(name, 'kit')}"), name)
