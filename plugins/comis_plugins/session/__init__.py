"""Plugin `session`: turns of the session that answers best."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ExpanderSpec, Section, on_demand


@hookimpl
def comis_expanders() -> Iterable[ExpanderSpec]:
    """The expander over sessions; after `adjacent`, whose claims it counts, and before what only looks at a turn."""
    from comis_plugins.session.options import SessionOptions

    yield ExpanderSpec(
        name="session",
        build=on_demand("comis_plugins.session.expander:build"),
        sections=(Section("rag.lanes.session", SessionOptions),),
        order=20,
        weight=1.76,
        help="turns of a session whose best turns answer well",
    )
