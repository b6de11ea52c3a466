"""Options of the trust factor."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared

SHARE = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TrustOptions(Compared):
    """`rag.scoring`: the strength of the trust factor."""

    trust_alpha: float = attrs.field(
        default=0.1,
        validator=SHARE,
        metadata={"help": "strength of the trust boost (frozen: leave it as it is); 0 = none"},
    )
