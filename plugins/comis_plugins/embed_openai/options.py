"""Options of the hosted embedder, and which names of models are its."""

from __future__ import annotations

import attrs
from attrs.validators import and_, ge, gt, le, min_len

from comis_core.model.shown import Compared

PREFIX = "openai:"


def claims(model: str) -> bool:
    """Whether a configured name is a hosted model's."""
    return model.startswith((PREFIX, "text-embedding-"))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class HostedOptions(Compared):
    """`memory.recall.hosted`: how the endpoint is spoken to."""

    api_key_env: str = attrs.field(
        default="OPENAI_API_KEY",
        validator=min_len(1),
        metadata={"help": "environment variable that holds the key; a key never stands in the file"},
    )
    timeout_seconds: float = attrs.field(
        default=20.0, validator=gt(0), metadata={"help": "how long one request may take from beginning to end"}
    )
    retries: int = attrs.field(
        default=3, validator=and_(ge(0), le(10)), metadata={"help": "further tries after a passing failure"}
    )
    batch_size: int = attrs.field(
        default=128, validator=and_(ge(1), le(2048)), metadata={"help": "texts in one request"}
    )
    send_dimensions: bool = attrs.field(
        default=False,
        metadata={"help": "ask for vectors of memory.recall.embeddingDimensions, where the model can shorten them"},
    )
