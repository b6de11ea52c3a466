"""Options of the trust factor."""

from __future__ import annotations

import attrs

SHARE = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True)
class TrustOptions:
    """`rag.scoring`: the strength of the trust factor."""

    trust_alpha: float = attrs.field(
        default=0.1,
        validator=SHARE,
        metadata={"help": "strength of the trust boost (frozen: leave it as it is); 0 = none"},
    )
