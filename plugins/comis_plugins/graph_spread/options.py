"""Options of the graph spread."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared


@attrs.frozen(kw_only=True, eq=False, repr=False)
class GraphSpreadOptions(Compared):
    """`rag.lanes.graphSpread`."""

    enabled: bool = attrs.field(default=True, metadata={"help": "whether the graph of entities is walked"})
    weight: float = attrs.field(default=1.0, metadata={"help": "weight in the fusion: what a full claim is worth"})
    max_depth: int = attrs.field(
        default=2,
        validator=[attrs.validators.ge(1), attrs.validators.le(8)],
        metadata={"help": "steps from memory to memory; each after the first counts .6"},
    )
    fan_out: int = attrs.field(
        default=8,
        validator=[attrs.validators.ge(1), attrs.validators.le(1000)],
        metadata={"help": "entities of a memory that are followed, and memories from which a further step is taken"},
    )
