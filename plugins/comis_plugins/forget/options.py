"""Options of the fading factor."""

from __future__ import annotations

import attrs

SHARE = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True)
class ForgetOptions:
    """`rag.forget`: whether old memories fade."""

    enabled: bool = attrs.field(default=True, metadata={"help": "whether old memories fade in the ranking"})


@attrs.frozen(kw_only=True)
class ForgetScoringOptions:
    """`rag.scoring`: the strength of the fading."""

    forget_alpha: float = attrs.field(
        default=0.1, validator=SHARE, metadata={"help": "strength of the fading; 0 = none"}
    )
