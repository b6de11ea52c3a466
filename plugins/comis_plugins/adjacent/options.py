"""Options of the adjacent expander."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AdjacentOptions(Compared):
    """`rag.lanes.adjacent`."""

    enabled: bool = attrs.field(default=False, metadata={"help": "whether neighbouring turns are looked at"})
    weight: float = attrs.field(default=2.0, metadata={"help": "weight in the fusion: what a full claim is worth"})
    words: str = attrs.field(
        default="lexical",
        metadata={"help": "lane whose hits are handed to their neighbours; fts stands in for it", "parts": ("lane",)},
    )
    vectors: str = attrs.field(
        default="vector",
        metadata={"help": "lane whose claims are cosines in the agent's embedding space", "parts": ("lane",)},
    )
    full_stems: int = attrs.field(
        default=0,
        validator=attrs.validators.ge(0),
        metadata={"help": "fullStems of that vector lane, whose discount is taken back before vectors are mixed"},
    )
