"""All made-up sets."""

from __future__ import annotations

from collections.abc import Iterator

from synthetic import causal, temporal
from synthetic.writing import Draft

SEED = 7


def drafts(seed: int = SEED) -> Iterator[Draft]:
    """Every case of every set."""
    yield from causal.drafts(seed)
    yield from temporal.drafts(seed)
