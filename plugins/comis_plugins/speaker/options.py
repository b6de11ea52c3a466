"""Options of the speaker expander."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SpeakerOptions(Compared):
    """`rag.lanes.speaker`."""

    enabled: bool = attrs.field(default=False, metadata={"help": "whether the named sender's memories are preferred"})
    weight: float = attrs.field(default=0.6, metadata={"help": "weight in the fusion: what a full claim is worth"})
