"""Options of the feedback loop."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared

SHARE = attrs.validators.and_(attrs.validators.ge(0.0), attrs.validators.le(1.0))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class FeedbackOptions(Compared):
    """`rag.feedback`: whether recall learns which memories were used."""

    enabled: bool = attrs.field(default=True, metadata={"help": "whether uses are counted and weigh in the ranking"})


@attrs.frozen(kw_only=True, eq=False, repr=False)
class FeedbackScoringOptions(Compared):
    """`rag.scoring`: the strength of the usefulness factor."""

    usefulness_alpha: float = attrs.field(
        default=0.1, validator=SHARE, metadata={"help": "strength of the usefulness factor; 0 = none"}
    )
