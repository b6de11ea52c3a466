"""langgraph's InMemoryStore: vectors in RAM, compared one by one; nothing is kept on disk, words are not searched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INSTALL = ("langgraph", "numpy")
LOADS_EXTENSIONS = False
SPACE = ("memories",)


class Peer:
    """One namespace."""

    note = "in RAM, vectors only"

    def __init__(self, folder: Path, dimensions: int) -> None:
        from langgraph.store.memory import InMemoryStore

        self._known: dict[str, list[float]] = {}
        self._store = InMemoryStore(index={"dims": dimensions, "embed": self._embed, "fields": ["content"]})

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._known[text] for text in texts]

    def ingest(self, rows: Sequence[dict[str, Any]], vectors: NDArray[np.float32]) -> None:
        """One by one, as its interface has it."""
        for row, vector in zip(rows, vectors.tolist(), strict=True):
            self._known[row["content"]] = vector
            self._store.put(SPACE, row["id"], {"content": row["content"]})

    def search(self, text: str, vector: NDArray[np.float32], k: int) -> list[str]:
        """Its search."""
        self._known[text] = vector.tolist()
        return [item.key for item in self._store.search(SPACE, query=text, limit=k)]

    def close(self) -> None:
        """Nothing to close."""
