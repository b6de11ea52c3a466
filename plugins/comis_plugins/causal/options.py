"""Options of the causal expander."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class CausalOptions:
    """`rag.lanes.causal`."""

    enabled: bool = attrs.field(default=True, metadata={"help": "whether causes and effects are followed"})
    weight: float = attrs.field(default=1.0, metadata={"help": "weight in the fusion: what a full claim is worth"})
