"""Plugin `speaker`: what the person said whom the question is about."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ExpanderSpec, Section, on_demand


@hookimpl
def comis_expanders() -> Iterable[ExpanderSpec]:
    """The expander over senders."""
    from comis_plugins.speaker.options import SpeakerOptions

    yield ExpanderSpec(
        name="speaker",
        build=on_demand("comis_plugins.speaker.expander:build"),
        sections=(Section("rag.lanes.speaker", SpeakerOptions),),
        order=30,
        weight=0.6,
        help="memories whose sender is the one that the question names",
    )
