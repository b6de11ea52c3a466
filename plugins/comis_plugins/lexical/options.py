"""Options of the lexical lane."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared

NOT_NEGATIVE = attrs.validators.ge(0.0)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LexicalOptions(Compared):
    """`rag.lanes.lexical`. A full claim of the stems is worth 1; the other two sub-lanes are measured by it."""

    enabled: bool = attrs.field(default=False, metadata={"help": "whether the lane is part of the pipeline"})
    weight: float = attrs.field(default=1.0, metadata={"help": "weight in the fusion: what a full claim is worth"})
    prefix_weight: float = attrs.field(
        default=0.4, validator=NOT_NEGATIVE, metadata={"help": "worth of the words' first five characters; 0: unused"}
    )
    trigram_weight: float = attrs.field(
        default=0.25, validator=NOT_NEGATIVE, metadata={"help": "worth of the words' character trigrams; 0: unused"}
    )
    full_coverage: float = attrs.field(
        default=0.5,
        validator=[NOT_NEGATIVE, attrs.validators.le(1.0)],
        metadata={"help": "share of the question's words, by rarity, that a full claim takes; 0: the best hit is sure"},
    )


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LexicalBudget(Compared):
    """`memory`: one budget for the slabs of every agent."""

    lexical_budget_mb: int = attrs.field(
        default=256,
        validator=attrs.validators.ge(0),
        metadata={"help": "RAM for the words of all scopes in megabytes; the scope recalled last stays in any case"},
    )
