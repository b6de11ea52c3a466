"""agentrecall-db: one SQLite file, FTS5 and sqlite-vec, ranks fused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INSTALL = ("agentrecall-db", "sqlite-vec", "numpy")
LOADS_EXTENSIONS = True


class Given:
    """An embedder in its sense that hands out vectors in the order in which they are asked for."""

    def __init__(self, dimensions: int) -> None:
        self.dim = dimensions
        self.vectors: list[list[float]] = []

    def embed(self, texts: list[str]) -> list[list[float]]:
        """The next vectors."""
        taken, self.vectors = self.vectors[: len(texts)], self.vectors[len(texts) :]
        return taken


class Peer:
    """One namespace. Its text has no place for a speaker, so that the name stands before the content."""

    note = ""

    def __init__(self, folder: Path, dimensions: int) -> None:
        import sqlite3

        from agentrecall import Memory

        semantic = hasattr(sqlite3.Connection, "enable_load_extension")
        self._given = Given(dimensions)
        self._memory = Memory(folder / "memory.db", embeddings=semantic, embedder=self._given if semantic else None)
        self.note = "" if semantic else "words only: this Python's sqlite3 loads no extensions"
        self._ids: dict[int, str] = {}

    def ingest(self, rows: Sequence[dict[str, Any]], vectors: NDArray[np.float32]) -> None:
        """By `add_many`."""
        self._given.vectors = vectors.tolist()
        contents: list[Any] = [_spoken(row) for row in rows]
        stored = self._memory.add_many(contents)
        self._ids |= {record.id: row["id"] for record, row in zip(stored, rows, strict=True)}

    def search(self, text: str, vector: NDArray[np.float32], k: int) -> list[str]:
        """Its search."""
        self._given.vectors = [vector.tolist()]
        return [self._ids[hit.id] for hit in self._memory.search(text, k=k)]

    def close(self) -> None:
        """Close the file."""
        self._memory.close()


def _spoken(row: dict[str, Any]) -> str:
    return f"{row['sender']}: {row['content']}" if row.get("sender") else str(row["content"])
