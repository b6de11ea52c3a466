"""Plugin `event_time`: recent events count a little more."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ScorerSpec, Section


@hookimpl
def comis_scorers() -> Iterable[ScorerSpec]:
    """The factor `event_time`."""
    from comis_plugins.event_time.options import EventTimeOptions
    from comis_plugins.event_time.scorer import build

    yield ScorerSpec(
        name="event_time",
        build=build,
        sections=(Section("rag.scoring", EventTimeOptions),),
        order=20,
        help="1 + temporalAlpha (1 / (1 + days since the event) - 1/2)",
    )
