"""Options of the turn kind expander."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TurnKindOptions(Compared):
    """`rag.lanes.turnKind`."""

    enabled: bool = attrs.field(default=False, metadata={"help": "whether the kind of a turn counts"})
    weight: float = attrs.field(default=0.93, metadata={"help": "weight in the fusion: what a full claim is worth"})
