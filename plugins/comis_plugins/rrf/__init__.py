"""Plugin `rrf`: reciprocal rank fusion, the documented way to merge lanes."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import FusionSpec, on_demand


@hookimpl
def comis_fusions() -> Iterable[FusionSpec]:
    """The fusion that is used unless `rag.fusion.method` names another."""
    yield FusionSpec(
        name="rrf",
        build=on_demand("comis_plugins.rrf.fusion:build"),
        default=True,
        help="weighted reciprocal ranks, k = 60, as a share of 1",
    )
