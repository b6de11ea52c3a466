"""Options of the recency factor."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared

SHARE = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RecencyOptions(Compared):
    """`rag.scoring`: the strength of the recency factor."""

    recency_alpha: float = attrs.field(
        default=0.2, validator=SHARE, metadata={"help": "strength of the recency boost (record time); 0 = none"}
    )
