"""Plugin `rrf`: reciprocal rank fusion, the documented way to merge lanes."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import FusionSpec


@hookimpl
def comis_fusions() -> Iterable[FusionSpec]:
    """The fusion that is used unless `rag.fusion.method` names another."""
    from comis_plugins.rrf.fusion import build

    yield FusionSpec(name="rrf", build=build, default=True, help="weighted reciprocal ranks, k = 60, as a share of 1")
