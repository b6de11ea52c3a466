"""How alike two texts are: the same, or sharing what share of their tokens."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Set

from comis_core.text.folding import casefold
from comis_core.text.normal import stream_safe


def fingerprint(text: str) -> bytes:
    """16 bytes that are the same for texts that differ in case, width, composition and white space alone.

    BLAKE2b over the text in NFKC, casefolded, each run of white space one space, none at the ends.
    """
    folded = casefold(unicodedata.normalize("NFKC", stream_safe(text)))
    return hashlib.blake2b(" ".join(folded.split()).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def similarity(left: Set[str], right: Set[str]) -> float:
    """The Jaccard coefficient of two token sets: shared / all, 0..1. Two empty sets have nothing in common: 0."""
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared) if shared else 0.0
