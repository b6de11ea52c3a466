"""Plugin `entity`: memories that share a rare entity with the best hits or with the question."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ExpanderSpec, Section, on_demand


@hookimpl
def comis_expanders() -> Iterable[ExpanderSpec]:
    """The expander over shared entities."""
    from comis_plugins.entity.options import EntityOptions

    yield ExpanderSpec(
        name="entity",
        build=on_demand("comis_plugins.entity.expander:build"),
        sections=(Section("rag.entityLane", EntityOptions),),
        order=5,
        help="memories that share entities with the best hits and with the question",
    )
