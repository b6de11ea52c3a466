"""Plugin `adjacent`: turns beside a hit inherit part of its claim, for the answer stands beside the question."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ExpanderSpec, Section, on_demand


@hookimpl
def comis_expanders() -> Iterable[ExpanderSpec]:
    """The expander over neighbouring turns."""
    from comis_plugins.adjacent.options import AdjacentOptions

    yield ExpanderSpec(
        name="adjacent",
        build=on_demand("comis_plugins.adjacent.expander:build"),
        sections=(Section("rag.lanes.adjacent", AdjacentOptions),),
        order=10,
        weight=2.0,
        help="turns beside a hit, and turns that answer the question together with the one before them",
    )
