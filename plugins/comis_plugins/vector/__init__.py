"""Plugin `vector`: the lane that compares meanings, by cosine over the agent's embedding space."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import LaneSpec, Section, on_demand


@hookimpl
def comis_lanes() -> Iterable[LaneSpec]:
    """The vector lane."""
    from comis_plugins.vector.options import VectorOptions

    yield LaneSpec(
        name="vector",
        build=on_demand("comis_plugins.vector.lane:build"),
        sections=(Section("rag.lanes.vector", VectorOptions),),
        order=20,
        weight=1.5,
        help="cosine between the question and every memory in sight",
    )
