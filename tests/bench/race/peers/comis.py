"""This package, with the preset `tuned`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INSTALL: tuple[str, ...] = ()
"""Nothing: it runs in the environment that has started the race."""
LOADS_EXTENSIONS = False
CONFIDENCE = 0.6
"""How sure the stand-in for an embedder says it is: between the static one and a sentence encoder."""


class Given:
    """An embedder that answers with the vectors it was given; any form of a question has the question's vector."""

    fingerprint = "race"

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.known: dict[str, Any] = {}
        self.question: Any = None

    def embed(self, texts: Sequence[str], kind: str) -> Any:
        """float32[len(texts), d]."""
        import numpy as np

        return np.stack([self.question if kind == "query" else self.known[text] for text in texts])

    def windows(self, text: str) -> Sequence[str]:
        """The text itself."""
        return [text]

    def available(self) -> bool:
        """Always."""
        return True

    def confidence(self, text: str) -> float:
        """The same for every text."""
        return CONFIDENCE


class Peer:
    """One agent of one engine."""

    note = ""

    def __init__(self, folder: Path, dimensions: int) -> None:
        import comis_core
        from comis_core.specs import EmbedderSpec

        self._given = given = Given(dimensions)

        class Plugin:
            @comis_core.hookimpl
            def comis_embedders(self) -> list[EmbedderSpec]:
                return [
                    EmbedderSpec(name="race", build=lambda context, model: given, claims=lambda name: name == "race")
                ]

        self._engine = comis_core.open(
            folder / "memory.db",
            config={"memory": {"recall": {"embeddingModel": "race"}}},
            preset="tuned",
            plugins={"race": Plugin()},
        )
        self._agent = self._engine.agent()
        self._ids: dict[str, str] = {}

    def ingest(self, rows: Sequence[dict[str, Any]], vectors: NDArray[np.float32]) -> None:
        """In batches of 1,000, until every vector is in place."""
        from comis_core import NewMemory

        self._given.known |= {row["content"]: vector for row, vector in zip(rows, vectors, strict=True)}
        for start in range(0, len(rows), 1000):
            batch = rows[start : start + 1000]
            ids = [str(uuid5(NAMESPACE_URL, row["id"])) for row in batch]
            self._ids |= {id: row["id"] for id, row in zip(ids, batch, strict=True)}
            self._agent.store_many(
                [
                    NewMemory(
                        content=row["content"],
                        id=id,
                        sender=row.get("sender"),
                        session=row.get("session"),
                        turn=row.get("turn"),
                        created_at=datetime.fromisoformat(row["created_at"]) if row.get("created_at") else None,
                    )
                    for id, row in zip(ids, batch, strict=True)
                ],
                validate=False,
            )
        while self._engine.drain():
            pass

    def search(self, text: str, vector: NDArray[np.float32], k: int) -> list[str]:
        """A search: no budget, no prompt block, everything that was found."""
        self._given.question = vector
        return [self._ids[item.memory.id] for item in self._agent.search(text, limit=k, min_score=0.0)]

    def close(self) -> None:
        """Close the engine."""
        self._engine.close()
