"""Copies as proof: what several senders or sessions say in the same words was confirmed as often as all of them say."""

from __future__ import annotations

from collections import ChainMap
from typing import TYPE_CHECKING

import numpy as np

from comis_core.recall.checks import locked

if TYPE_CHECKING:
    from comis_core.recall.columns import Columns


def with_copies_as_proof(columns: Columns) -> Columns:
    """The columns, `proof_count` of each candidate being that of all candidates with the same text (fingerprint)."""
    prints = columns["fingerprint"].tolist()
    numbers: dict[bytes, int] = {}
    groups = np.array([numbers.setdefault(each, len(numbers)) for each in prints], np.int64)
    if len(numbers) == len(prints):
        return columns
    counts = np.bincount(groups, columns["proof_count"])
    return ChainMap({"proof_count": locked(counts[groups])}, dict(columns))
