"""What people build first: FTS5 and sqlite-vec's vec0 in one file, filters joined, ranks fused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
from synthetic import DIMENSIONS, RandomEmbedder

from comis_core.store.vectors import load_sqlite_vec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from comis_core.model import NewMemory

_TABLES = f"""
CREATE TABLE memories(pk INTEGER PRIMARY KEY, scope TEXT, trust INTEGER, closed_at INTEGER, content TEXT);
CREATE INDEX memories_scope ON memories(scope);
CREATE VIRTUAL TABLE words USING fts5(content, content='memories', content_rowid='pk', tokenize='porter unicode61');
CREATE VIRTUAL TABLE vectors USING vec0(embedding float[{DIMENSIONS}] distance_metric=cosine);
"""
_SEEN = "JOIN memories AS m ON m.pk = {} WHERE m.scope = ? AND m.trust >= 1 AND m.closed_at IS NULL"
_WORDS = f"SELECT w.rowid FROM words AS w {_SEEN.format('w.rowid')} AND words MATCH ? ORDER BY w.rank LIMIT ?"
_VECTORS = f"SELECT v.rowid FROM vectors AS v {_SEEN.format('v.rowid')} AND v.embedding MATCH ? AND v.k = ?"
_K = 60
"""Constant of reciprocal rank fusion."""


class Naive:
    """Hybrid search over a file of its own. vectors: float32[n, d] of the rows, if they are known."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        load_sqlite_vec(self._connection)
        for _ in self._connection.execute(_TABLES):
            pass
        self._embedder = RandomEmbedder()

    def add(self, scope: str, rows: Sequence[NewMemory]) -> None:
        """Store rows of a scope in one transaction."""
        vectors = self._embedder.embed([row.content for row in rows], "document")
        with self._connection:
            for row, vector in zip(rows, vectors, strict=True):
                self._connection.execute(
                    "INSERT INTO memories(scope, trust, content) VALUES (?, 1, ?)", (scope, row.content)
                )
                pk = self._connection.last_insert_rowid()
                self._connection.execute("INSERT INTO words(rowid, content) VALUES (?, ?)", (pk, row.content))
                self._connection.execute("INSERT INTO vectors(rowid, embedding) VALUES (?, ?)", (pk, vector.tobytes()))

    def search(self, scope: str, text: str, vector: NDArray[np.float32], limit: int = 5, depth: int = 50) -> list[str]:
        """The texts of the best, by reciprocal rank fusion of both lanes."""
        match = " OR ".join(f'"{word}"' for word in text.split())
        fused: dict[int, float] = {}
        for sql, asked in ((_WORDS, match), (_VECTORS, vector.tobytes())):
            for rank, (pk,) in enumerate(self._connection.execute(sql, (scope, asked, depth)), 1):
                fused[pk] = fused.get(pk, 0.0) + 1 / (_K + rank)
        best = sorted(fused, key=lambda pk: -fused[pk])[:limit]
        places = ",".join("?" * len(best))
        found = dict(self._connection.execute(f"SELECT pk, content FROM memories WHERE pk IN ({places})", best))
        return [found[pk] for pk in best]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
