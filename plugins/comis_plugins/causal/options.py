"""Options of the causal expander."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared


@attrs.frozen(kw_only=True, eq=False, repr=False)
class CausalOptions(Compared):
    """`rag.lanes.causal`."""

    enabled: bool = attrs.field(default=True, metadata={"help": "whether causes and effects are followed"})
    weight: float = attrs.field(default=1.0, metadata={"help": "weight in the fusion: what a full claim is worth"})
