"""Plugin `trust`: the more trusted source counts a little more."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ScorerSpec, Section


@hookimpl
def comis_scorers() -> Iterable[ScorerSpec]:
    """The factor `trust`."""
    from comis_plugins.trust.options import TrustOptions
    from comis_plugins.trust.scorer import build

    yield ScorerSpec(
        name="trust",
        build=build,
        sections=(Section("rag.scoring", TrustOptions),),
        order=40,
        help="1 + trustAlpha (trust weight - 1/2)",
    )
