"""Options of the temporal expander."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TemporalOptions(Compared):
    """`rag.lanes.temporal`."""

    enabled: bool = attrs.field(default=True, metadata={"help": "whether neighbours in time are looked for"})
    weight: float = attrs.field(default=1.0, metadata={"help": "weight in the fusion: what a full claim is worth"})
    window_days: float = attrs.field(
        default=7.0,
        validator=attrs.validators.ge(0.0),
        metadata={"help": "days before and after a hit's event time within which others are its neighbours"},
    )
