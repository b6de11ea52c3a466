"""Plugin `causal`: causes and effects of the best hits."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ExpanderSpec, Section, on_demand


@hookimpl
def comis_expanders() -> Iterable[ExpanderSpec]:
    """The expander over causes."""
    from comis_plugins.causal.options import CausalOptions

    yield ExpanderSpec(
        name="causal",
        build=on_demand("comis_plugins.causal.expander:build"),
        sections=(Section("rag.lanes.causal", CausalOptions),),
        order=70,
        help="what caused the best hits, and what they caused",
    )
