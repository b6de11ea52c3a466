"""Plugin `temporal`: what happened about the same time as the best hits."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ExpanderSpec, Section, on_demand


@hookimpl
def comis_expanders() -> Iterable[ExpanderSpec]:
    """The expander over event times."""
    from comis_plugins.temporal.options import TemporalOptions

    yield ExpanderSpec(
        name="temporal",
        build=on_demand("comis_plugins.temporal.expander:build"),
        sections=(Section("rag.lanes.temporal", TemporalOptions),),
        order=60,
        help="memories whose event time is near that of the best hits",
    )
