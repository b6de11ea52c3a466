"""Plugin `mmr`: a head that repeats itself less."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import DiversifierSpec, Section, on_demand


@hookimpl
def comis_diversifiers() -> Iterable[DiversifierSpec]:
    """The diversifier `mmr`."""
    from comis_plugins.mmr.options import MmrOptions

    yield DiversifierSpec(
        name="mmr",
        build=on_demand("comis_plugins.mmr.diversifier:build"),
        sections=(Section("rag.mmr", MmrOptions),),
        help="maximal marginal relevance: lambda x score - (1 - lambda) x likeness to what stands above",
    )
