"""Plugin `recency`: newer records count a little more."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ScorerSpec, Section


@hookimpl
def comis_scorers() -> Iterable[ScorerSpec]:
    """The factor `recency`."""
    from comis_plugins.recency.options import RecencyOptions
    from comis_plugins.recency.scorer import build

    yield ScorerSpec(
        name="recency",
        build=build,
        sections=(Section("rag.scoring", RecencyOptions),),
        order=10,
        help="1 + recencyAlpha (1 / (1 + days since recorded) - 1/2)",
    )
