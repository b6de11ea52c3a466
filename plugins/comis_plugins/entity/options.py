"""Options of the entity expander."""

from __future__ import annotations

import attrs

from comis_core.model.shown import Compared


@attrs.frozen(kw_only=True, eq=False, repr=False)
class EntityOptions(Compared):
    """`rag.entityLane`."""

    enabled: bool = attrs.field(default=True, metadata={"help": "whether shared entities are followed"})
    seed_count: int = attrs.field(
        default=5,
        validator=[attrs.validators.ge(0), attrs.validators.le(1000)],
        metadata={"help": "best hits whose entities are followed; 0: only those that the question names"},
    )
    per_entity_cap: int = attrs.field(
        default=200,
        validator=attrs.validators.ge(1),
        metadata={"help": "an entity that more memories mention is not followed"},
    )
    weight: float = attrs.field(default=1.0, metadata={"help": "weight in the fusion: what a full claim is worth"})
