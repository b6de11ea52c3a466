"""Options of maximal marginal relevance."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared

SHARE = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MmrOptions(Compared):
    """`rag.mmr`: whether and how much the head avoids repeating itself."""

    enabled: bool = attrs.field(default=True, metadata={"help": "whether the answer is diversified (recall only)"})
    lambda_: float = attrs.field(
        default=0.7, validator=SHARE, metadata={"help": "1 = by score alone, 0 = by unlikeness alone"}
    )
