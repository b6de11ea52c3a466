"""Options of the reranker."""

from __future__ import annotations

import attrs
from attrs.validators import ge, le

from comis_core.model.shown import Compared


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RerankOptions(Compared):
    """`rag.rerank`."""

    enabled: bool | None = attrs.field(
        default=None,
        metadata={"help": "true: on, the model may be downloaded once; unset: on when its file is there already"},
    )
    max_candidates: int = attrs.field(
        default=40, validator=[ge(1), le(1000)], metadata={"help": "at most so many of the best candidates are judged"}
    )
    min_results: int = attrs.field(
        default=1, validator=ge(0), metadata={"help": "below so many candidates the stage is skipped"}
    )
    timeout_ms: int = attrs.field(
        default=800, validator=ge(1), metadata={"help": "milliseconds after which the fused order stands"}
    )
