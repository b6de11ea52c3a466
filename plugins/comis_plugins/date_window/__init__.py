"""Plugin `date_window`: memories from the time that the question names."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ExpanderSpec, Section, on_demand


@hookimpl
def comis_expanders() -> Iterable[ExpanderSpec]:
    """The expander over dates."""
    from comis_plugins.date_window.options import DateWindowOptions

    yield ExpanderSpec(
        name="date_window",
        build=on_demand("comis_plugins.date_window.expander:build"),
        sections=(Section("rag.lanes.dateWindow", DateWindowOptions),),
        order=40,
        weight=0.5,
        help="memories whose date lies in the time window that the question names",
    )
