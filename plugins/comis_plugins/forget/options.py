"""Options of the fading factor."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared

SHARE = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ForgetOptions(Compared):
    """`rag.forget`: whether old memories fade."""

    enabled: bool = attrs.field(default=True, metadata={"help": "whether old memories fade in the ranking"})


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ForgetScoringOptions(Compared):
    """`rag.scoring`: the strength of the fading."""

    forget_alpha: float = attrs.field(
        default=0.1, validator=SHARE, metadata={"help": "strength of the fading; 0 = none"}
    )
