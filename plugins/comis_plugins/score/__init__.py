"""Plugin `score`: the weighted sum of what the lanes claim."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import FusionSpec, on_demand


@hookimpl
def comis_fusions() -> Iterable[FusionSpec]:
    """The fusion for lanes whose claims can be compared."""
    yield FusionSpec(
        name="score",
        build=on_demand("comis_plugins.score.fusion:build"),
        help="weighted sum of absolute claims, as a share of all weights",
    )
