"""Plugin `turn_kind`: in a talk between two, turns that tell something before turns that only ask."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ExpanderSpec, Section, on_demand


@hookimpl
def comis_expanders() -> Iterable[ExpanderSpec]:
    """The expander over kinds of turns."""
    from comis_plugins.turn_kind.options import TurnKindOptions

    yield ExpanderSpec(
        name="turn_kind",
        build=on_demand("comis_plugins.turn_kind.expander:build"),
        sections=(Section("rag.lanes.turnKind", TurnKindOptions),),
        order=50,
        weight=0.93,
        help="turns that tell rather than ask, and turns that say when if the question asks when",
    )
