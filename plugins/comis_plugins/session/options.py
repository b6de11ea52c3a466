"""Options of the session expander."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SessionOptions(Compared):
    """`rag.lanes.session`."""

    enabled: bool = attrs.field(default=False, metadata={"help": "whether sessions are weighed"})
    weight: float = attrs.field(default=1.76, metadata={"help": "weight in the fusion: what a full claim is worth"})
    best_turns: int = attrs.field(
        default=3,
        validator=attrs.validators.ge(1),
        metadata={"help": "a session is as good as the mean of so many of its best turns"},
    )
    full_score: float = attrs.field(
        default=4.0,
        validator=attrs.validators.gt(0.0),
        metadata={"help": "sum of weight x claim at which a session claims 1.0"},
    )
