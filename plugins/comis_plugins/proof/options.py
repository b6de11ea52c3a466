"""Options of the proof factor."""

from __future__ import annotations

import attrs

SHARE = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True)
class ProofOptions:
    """`rag.scoring`: the strength of the proof factor."""

    proof_alpha: float = attrs.field(
        default=0.1, validator=SHARE, metadata={"help": "strength of the corroboration boost; 0 = none"}
    )
