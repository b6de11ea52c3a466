"""Options of the date window expander."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared


@attrs.frozen(kw_only=True, eq=False, repr=False)
class DateWindowOptions(Compared):
    """`rag.lanes.dateWindow`."""

    enabled: bool = attrs.field(default=False, metadata={"help": "whether memories of the named time are preferred"})
    weight: float = attrs.field(default=0.5, metadata={"help": "weight in the fusion: what a full claim is worth"})
