"""Options of the full-text lane."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared

NOT_NEGATIVE = attrs.validators.ge(0.0)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class FtsOptions(Compared):
    """`rag.lanes.fts`. The weights of the fields are BM25's: a word found there counts so many times."""

    enabled: bool = attrs.field(default=True, metadata={"help": "whether the lane is part of the pipeline"})
    weight: float = attrs.field(default=1.0, metadata={"help": "weight in the fusion: what a full claim is worth"})
    stands_in_for: str = attrs.field(
        default="",
        metadata={"help": "a lane that looks for the same; this one is asked only where that one cannot answer"},
    )
    title_weight: float = attrs.field(
        default=1.0, validator=NOT_NEGATIVE, metadata={"help": "how often a word in the title counts"}
    )
    speaker_weight: float = attrs.field(
        default=1.0, validator=NOT_NEGATIVE, metadata={"help": "how often a word in the sender's name counts"}
    )
    date_weight: float = attrs.field(
        default=1.0, validator=NOT_NEGATIVE, metadata={"help": "how often a word in the date counts"}
    )
    content_weight: float = attrs.field(
        default=1.0, validator=NOT_NEGATIVE, metadata={"help": "how often a word in the content counts"}
    )
    tags_weight: float = attrs.field(
        default=1.0, validator=NOT_NEGATIVE, metadata={"help": "how often a word in the tags counts"}
    )
    common_share: float = attrs.field(
        default=0.1,
        validator=[attrs.validators.gt(0.0), attrs.validators.le(1.0)],
        metadata={
            "help": "a word in a larger share of the scope's memories is asked only if rarer ones find too little"
        },
    )
