"""Vectors of earlier runs in a file of their own, for evaluation and repeated imports.

A document's vector lives in the store and goes with its memory; this cache knows nothing of memories, so the engine
does without it unless a file is named. It holds no text: a key is a digest of model, kind and text.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import numpy as np

from comis_core.errors import StoreError
from comis_core.model import DAY, to_microseconds
from comis_core.protocols import Clock
from comis_core.store.faults import Translated

if TYPE_CHECKING:
    from comis_core.protocols.reading import Matrix

log = logging.getLogger(__name__)

BYTE_LIMIT = 512 * 1024 * 1024
"""Size to which the file is held unless told otherwise."""

_PAGE = 8192
_STORED = np.dtype("<f4")
_CHUNK = 500
_PRUNED_SHARE = 10
"""One in so many entries goes when the file is full, those not used for longest first."""

_TABLE = """
CREATE TABLE IF NOT EXISTS cached(
  entry INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS cached_used ON cached(used);
"""


class VectorCache:
    """A bounded file of vectors by key; usable from any thread and by several processes.

    A cache that fails (full disk, locked file) is logged and answers that it knows nothing.

    Args:
        path: made with mode 0600 if it is not there.
        byte_limit: pruned by last use when the vectors need more.

    Raises:
        StoreError: the file cannot be opened or is something else.
    """

    def __init__(self, path: Path, *, clock: Clock, byte_limit: int = BYTE_LIMIT) -> None:
        self._path = path
        self._clock = clock
        self._byte_limit = byte_limit
        self._lock = threading.Lock()
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise StoreError(f"the embedding cache {path} cannot be opened: {error.strerror}") from error
        with Translated(path):
            self._connection = apsw.Connection(str(path))
            self._connection.set_busy_timeout(5000)
            self._connection.pragma("page_size", _PAGE)
            self._connection.pragma("journal_mode", "WAL")
            # Losing the newest entries in a power cut costs nothing but time.
            self._connection.pragma("synchronous", "OFF")
            for _ in self._connection.execute(_TABLE):
                pass

    def get(self, keys: Sequence[bytes], dimensions: int) -> Mapping[bytes, Matrix]:
        """The vectors that are known: key -> float32[dimensions]."""
        try:
            with self._lock:
                found = self._find(keys)
                self._touch(found)
        except apsw.Error as error:
            log.warning("the vector cache %s cannot be read: %s", self._path, error)
            return {}
        vectors = {key: np.frombuffer(blob, _STORED).astype(np.float32) for key, (blob, _) in found.items()}
        return {key: vector for key, vector in vectors.items() if len(vector) == dimensions}

    def put(self, keys: Sequence[bytes], vectors: Matrix) -> None:
        """Keep vectors; float32[len(keys), d]."""
        now = self._now()
        rows = [(key, vector.astype(_STORED).tobytes(), now) for key, vector in zip(keys, vectors, strict=True)]
        try:
            with self._lock, self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO cached(key, vector, used) VALUES (?, ?, ?)", rows)
                self._prune()
        except apsw.Error as error:
            log.warning("the vector cache %s cannot be written: %s", self._path, error)

    def size(self) -> int:
        """What the entries need in the file."""
        with self._lock:
            return self._used()

    def close(self) -> None:
        """Close the file. Twice is harmless."""
        with self._lock:
            self._connection.close()

    def _find(self, keys: Sequence[bytes]) -> dict[bytes, tuple[bytes, int]]:
        found: dict[bytes, tuple[bytes, int]] = {}
        for start in range(0, len(keys), _CHUNK):
            part = keys[start : start + _CHUNK]
            places = ",".join("?" * len(part))
            sql = f"SELECT key, vector, used FROM cached WHERE key IN ({places})"
            found |= {key: (vector, used) for key, vector, used in self._connection.execute(sql, part)}
        return found

    def _touch(self, found: Mapping[bytes, tuple[bytes, int]]) -> None:
        """Renew the stamps that are older than a day; a write for every read would cost more than it tells."""
        now = self._now()
        stale = [(now, key) for key, (_, used) in found.items() if used < now - DAY]
        if stale:
            with self._connection:
                self._connection.executemany("UPDATE cached SET used = ? WHERE key = ?", stale)

    def _prune(self) -> None:
        while self._used() > self._byte_limit:
            ((count,),) = self._connection.execute("SELECT count(*) FROM cached")
            if not count:
                return
            self._connection.execute(
                "DELETE FROM cached WHERE entry IN (SELECT entry FROM cached ORDER BY used, entry LIMIT ?)",
                (max(1, count // _PRUNED_SHARE),),
            )

    def _used(self) -> int:
        pages = self._connection.pragma("page_count") - self._connection.pragma("freelist_count")
        return int(pages) * _PAGE

    def _now(self) -> int:
        return to_microseconds(self._clock.now())
