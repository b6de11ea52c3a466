"""A toy embedder: no model, no file, the same vectors on every machine."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comis_core.protocols.reading import Matrix


class ToyEmbedder:
    """Embeds a text as the sum of its character trigrams, each a fixed random direction (`protocols.Embedder`).

    Texts that share words are near each other, and that is all it knows. A text without letters has the direction of
    the empty text.

    Args:
        dimensions: length of the vectors; each length is a space of its own.
    """

    fingerprint = "toy-trigrams-16"
    dimensions = 16

    def __init__(self, dimensions: int = 16) -> None:
        if dimensions != self.dimensions:
            self.fingerprint, self.dimensions = f"toy-trigrams-{dimensions}", dimensions

    def embed(self, texts: Sequence[str], kind: str) -> Matrix:
        """float32[len(texts), dimensions], unit length; `kind` makes no difference."""
        import numpy as np

        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._embed(text)
        return vectors

    def windows(self, text: str) -> Sequence[str]:
        """The text itself: there is no window."""
        return [text]

    def available(self) -> bool:
        """Always."""
        return True

    def confidence(self, text: str) -> float:
        """1.0: every text is seen equally badly."""
        return 1.0

    def _embed(self, text: str) -> Matrix:
        import numpy as np

        padded = f"  {text.casefold()} "
        total = np.zeros(self.dimensions)
        for trigram, count in Counter(padded[start : start + 3] for start in range(len(padded) - 2)).items():
            digest = hashlib.shake_128(trigram.encode("utf-8", "surrogatepass")).digest(self.dimensions)
            total += count * (np.frombuffer(digest, np.uint8) - 127.5)
        length = float(np.linalg.norm(total))
        unit: Matrix = (total / length).astype(np.float32)
        return unit
