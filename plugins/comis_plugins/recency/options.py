"""Options of the recency factor."""

from __future__ import annotations

import attrs

SHARE = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True)
class RecencyOptions:
    """`rag.scoring`: the strength of the recency factor."""

    recency_alpha: float = attrs.field(
        default=0.2, validator=SHARE, metadata={"help": "strength of the recency boost (record time); 0 = none"}
    )
