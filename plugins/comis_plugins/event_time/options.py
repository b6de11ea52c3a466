"""Options of the event time factor."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared

SHARE = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class EventTimeOptions(Compared):
    """`rag.scoring`: the strength of the event time factor."""

    temporal_alpha: float = attrs.field(
        default=0.2,
        validator=SHARE,
        metadata={"help": "strength of the event-time boost; neutral without an event time; 0 = none"},
    )
