"""Options of the vector lane."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared


@attrs.frozen(kw_only=True, eq=False, repr=False)
class VectorOptions(Compared):
    """`rag.lanes.vector`."""

    enabled: bool = attrs.field(default=True, metadata={"help": "whether the lane is part of the pipeline"})
    weight: float = attrs.field(default=1.5, metadata={"help": "weight in the fusion: what a full claim is worth"})
    full_stems: int = attrs.field(
        default=0,
        validator=attrs.validators.ge(0),
        metadata={"help": "content words from which on a memory's cosine counts in full; 0: every memory's does"},
    )
