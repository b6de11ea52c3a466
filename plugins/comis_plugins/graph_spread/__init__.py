"""Plugin `graph_spread`: memories connected to the best hits by rare entities and by triples."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ExpanderSpec, Section, on_demand


@hookimpl
def comis_expanders() -> Iterable[ExpanderSpec]:
    """The expander over the graph of entities; it runs last and sees every other claim."""
    from comis_plugins.graph_spread.options import GraphSpreadOptions

    yield ExpanderSpec(
        name="graph_spread",
        build=on_demand("comis_plugins.graph_spread.expander:build"),
        sections=(Section("rag.lanes.graphSpread", GraphSpreadOptions),),
        order=90,
        help="memories that rare entities and triples connect with the best hits, pulled up towards them",
    )
