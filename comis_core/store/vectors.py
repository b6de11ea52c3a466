"""The store's vectors: blobs by (space, scope, memory, window), read through slabs in RAM or by sqlite-vec.

A space is an embedder's fingerprint. Several live in one file side by side and never mix: each has its own slab, and a
vector is only compared with vectors of its own space.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.errors import StoreError
from comis_core.handles import Handles
from comis_core.model import Claims
from comis_core.protocols import Change, Snapshot, Transaction, VectorSlab
from comis_core.store.slabs import RESCORED, STORED, Slab, best, decode, follow, read, row_bytes
from comis_core.store.spaces import SpaceTables, ensure_space, find_space

if TYPE_CHECKING:
    import apsw

    from comis_core.model import Ids
    from comis_core.protocols.reading import Matrix

BUDGET_BYTES = 256 * 1024 * 1024
"""RAM for all slabs together unless the engine says otherwise."""

_RELOAD = 4
"""A slab is loaded anew when more than one in so many of its rows changed."""

_LIVE_ROWS = """
SELECT v.pk, v.vector FROM vectors AS v CROSS JOIN memories AS m INDEXED BY memories_scope
  ON m.scope = v.scope AND m.pk = v.pk
WHERE v.space = ? AND v.scope = ? AND m.closed_at IS NULL AND m.evicted_at IS NULL ORDER BY v.pk, v.part"""

_LIVE_ROWS_OF = """
SELECT v.pk, v.vector FROM json_each(?) AS wanted CROSS JOIN memories AS m ON m.pk = wanted.value
CROSS JOIN vectors AS v ON v.space = ? AND v.scope = m.scope AND v.pk = m.pk
WHERE m.scope = ? AND m.closed_at IS NULL AND m.evicted_at IS NULL ORDER BY v.pk, v.part"""

_VISIBLE_ROWS = """
SELECT v.pk, v.vector FROM vectors AS v CROSS JOIN visible AS m ON m.pk = v.pk
WHERE v.space = ? AND v.scope = ? ORDER BY v.pk, v.part"""

_NEAREST = """
SELECT v.pk, 1 - min(vec_distance_cosine(v.vector, ?)) AS cosine
FROM vectors AS v CROSS JOIN visible AS m ON m.pk = v.pk
WHERE v.space = ? AND v.scope = ? GROUP BY v.pk ORDER BY cosine DESC, v.pk DESC LIMIT ?"""

_FIRST_WINDOWS = """
SELECT v.pk, v.vector FROM json_each(?) AS wanted CROSS JOIN vectors AS v
  ON v.space = ? AND v.scope = ? AND v.pk = wanted.value
WHERE v.part = (SELECT min(part) FROM vectors AS w WHERE w.space = v.space AND w.scope = v.scope AND w.pk = v.pk)
ORDER BY v.pk"""


def load_sqlite_vec(connection: apsw.Connection) -> None:
    """Give a connection sqlite-vec's functions; the SQL function `load_extension` stays off. Raises StoreError."""
    import apsw

    before = connection.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, -1)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1)
    try:
        connection.load_extension(_library())
    except apsw.ExtensionLoadingError as error:
        import sqlite_vec

        raise StoreError(
            f"sqlite-vec {sqlite_vec.__version__} cannot be loaded: {error}",
            hint="reinstall sqlite-vec for this platform",
        ) from error
    finally:
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, before)


def _library() -> str:
    """Where sqlite-vec's library lies: in its package, which brings the other driver of SQLite along when imported."""
    package = find_spec("sqlite_vec")
    if package is None or package.origin is None:
        raise StoreError("sqlite-vec is not installed", hint="reinstall comis-core with its dependencies")
    return str(Path(package.origin).with_name("vec0"))


@attrs.frozen(eq=False, repr=False)
class _Held:
    """What the cache keeps for a scope and space: its slab, or the finding that it is too large."""

    slab: Slab | None

    @property
    def memory(self) -> Mapping[int, int]:
        return {} if self.slab is None else self.slab.memory


class VectorStore(SpaceTables):
    """Vectors of every scope and space of one file (`protocols.Vectors`), shared by all threads.

    A slab holds the live memories of a scope, so that a recall without further restrictions needs no look at the
    table; a restricted one is answered for its visible memories alone. A recall that sees closed or evicted versions
    reads the blobs.

    Args:
        budget_bytes: RAM for all slabs together. A scope whose slab alone is larger has none; one that is larger only
            with its copy in int8 (`comis_core.store.codes`) does without the copy.
    """

    def __init__(self, budget_bytes: int = BUDGET_BYTES) -> None:
        self._handles: Handles[_Held] = Handles(budget_bytes)

    # -- reading

    def slab(self, snapshot: Snapshot, space: str) -> VectorSlab | None:
        """The scope's live vectors as of the snapshot; None beyond the byte budget.

        It may still hold rows of memories that have just been hidden, and a restricted snapshot sees fewer than it
        holds: ids count only where they are visible. A snapshot of closed versions gets a slab of its own.
        """
        held = self._historic(snapshot, space) if snapshot.historic else self._live(snapshot, space)
        return None if held is None else VectorSlab(held.ids, held.matrix)

    def similarities(self, snapshot: Snapshot, space: str, query: Matrix) -> Claims | None:
        """Cosine in -1..1 of every visible memory (its best window); None beyond the byte budget.

        Where a large scope is compared as int8, the cosines behind the nearest two hundred are about right.

        Args:
            query: float32[d], unit length.

        Raises:
            StoreError: the query has another length than the vectors of the space.
        """
        return self._similarities(snapshot, space, query, RESCORED)

    def _similarities(self, snapshot: Snapshot, space: str, query: Matrix, exact: int) -> Claims | None:
        if snapshot.historic:
            slab, visible = self._historic(snapshot, space), None
        else:
            slab = self._live(snapshot, space)
            visible = snapshot.visible_ids() if slab is not None and snapshot.restricted else None
        if slab is None:
            return None
        if not len(slab.ids):
            return _no_claims()
        return slab.similarities(_query(query, slab.matrix.shape[1], space), visible, exact)

    def nearest(self, snapshot: Snapshot, space: str, query: Matrix, limit: int) -> Claims:
        """The `limit` nearest visible memories with their cosine, ids ascending; works at any size.

        Hidden memories take no place among them: they are left out before the nearest are chosen.

        Args:
            query: float32[d], unit length.

        Raises:
            StoreError: the query has another length than the vectors of the space.
        """
        claims = None if snapshot.historic else self._similarities(snapshot, space, query, max(RESCORED, 2 * limit))
        if claims is not None:
            return best(claims, limit)
        found = find_space(snapshot, space)
        if found is None:
            return _no_claims()
        number, dimensions = found
        blob = _query(query, dimensions, space).astype(STORED).tobytes()
        rows = list(snapshot.execute(_NEAREST, (blob, number, snapshot.scope, max(0, limit))))
        return _claims(rows)

    def fetch(self, snapshot: Snapshot, space: str, ids: Ids) -> Matrix:
        """float32[len(ids), d]: the first window's vector of each id of the scope; a row of NaN where there is none.

        A space that the file does not know has no d: every row is one NaN.
        """
        slab = None if snapshot.historic else self._live(snapshot, space)
        if slab is None or not len(slab.ids):
            return _stored(snapshot, space, ids)
        vectors = slab.first_windows(ids)
        absent = np.flatnonzero(np.isnan(vectors[:, 0]))
        if len(absent):
            vectors[absent] = _stored(snapshot, space, ids[absent])
        return vectors

    # -- writing

    def write(
        self,
        tx: Transaction,
        space: str,
        dimensions: int,
        scope: int,
        vectors: Mapping[int, Sequence[Matrix]],
    ) -> int:
        """Replace the vectors of some memories in one space, and say so in the change log.

        Args:
            vectors: id -> one float32[dimensions] a window, in the order of the windows; none removes them.

        Returns:
            How many memories were written; those that the scope has no more are left out.

        Raises:
            StoreError: the space has other dimensions, or a vector has another length or is not finite.
        """
        if not vectors:
            return 0
        number = ensure_space(tx, space, dimensions)
        known = tx.execute(
            "SELECT m.pk FROM json_each(?) AS wanted CROSS JOIN memories AS m ON m.pk = wanted.value WHERE m.scope = ?",
            (json.dumps(sorted(vectors)), scope),
        )
        present = [pk for (pk,) in known]
        rows = [
            (number, scope, pk, part, _blob(vector, dimensions, space))
            for pk in present
            for part, vector in enumerate(vectors[pk])
        ]
        keys = [(number, scope, pk) for pk in present]
        tx.executemany("DELETE FROM vectors WHERE space = ? AND scope = ? AND pk = ?", keys)
        tx.executemany("INSERT INTO vectors(space, scope, pk, part, vector) VALUES (?, ?, ?, ?, ?)", rows)
        tx.executemany("INSERT INTO changes(scope, pk, operation) VALUES (?, ?, 'embed')", [key[1:] for key in keys])
        return len(present)

    def close(self) -> None:
        """Give the RAM back."""
        self._handles.clear()

    # -- slabs

    def _live(self, snapshot: Snapshot, space: str) -> Slab | None:
        return self._handles.at(
            (snapshot.scope, space),
            snapshot,
            load=lambda: self._load(snapshot, space, _LIVE_ROWS),
            advance=lambda held, changes: self._advance(snapshot, space, held, changes),
        ).slab

    def _historic(self, snapshot: Snapshot, space: str) -> Slab | None:
        return self._load(snapshot, space, _VISIBLE_ROWS, coded=False).slab

    def _load(self, snapshot: Snapshot, space: str, sql: str, *, coded: bool = True) -> _Held:
        found = find_space(snapshot, space)
        budget = self._handles.budget_bytes
        if found is None:
            return _Held(read(iter(()), 0, 0, budget))
        number, dimensions = found
        most = budget // row_bytes(dimensions)
        ((count,),) = snapshot.execute(
            "SELECT count(*) FROM (SELECT 1 FROM vectors WHERE space = ? AND scope = ? LIMIT ?)",
            (number, snapshot.scope, most + 1),
        )
        if count > most:
            return _Held(None)
        rows = snapshot.execute(sql, (number, snapshot.scope))
        # What is asked once is not coded: that takes longer than it saves.
        return _Held(read(rows, count, dimensions, budget if coded else 0))

    def _advance(self, snapshot: Snapshot, space: str, held: _Held, changes: Sequence[Change]) -> _Held | None:
        touched = sorted({change.pk for change in changes if change.operation not in ("add", "annotate")})
        if not touched:
            return held
        slab = held.slab
        if slab is None or len(touched) * _RELOAD > len(slab.ids) + 1000:
            return None
        found = find_space(snapshot, space)
        if found is None or found[1] != slab.matrix.shape[1]:
            return None
        rows = list(snapshot.execute(_LIVE_ROWS_OF, (json.dumps(touched), found[0], snapshot.scope)))
        ids, matrix = decode(rows, found[1])
        budget = self._handles.budget_bytes
        moved = follow(slab, touched, ids, matrix, budget)
        fits = len(moved.ids) * row_bytes(found[1]) <= budget
        return _Held(moved if fits else None)


def _stored(snapshot: Snapshot, space: str, ids: Ids) -> Matrix:
    """`VectorStore.fetch` from the file."""
    found = find_space(snapshot, space)
    if found is None:
        return np.full((len(ids), 1), np.nan, np.float32)
    number, dimensions = found
    wanted, places = np.unique(np.asarray(ids, np.int64), return_inverse=True)
    table = np.full((len(wanted), dimensions), np.nan, np.float32)
    rows = list(snapshot.execute(_FIRST_WINDOWS, (json.dumps(wanted.tolist()), number, snapshot.scope)))
    have, matrix = decode(rows, dimensions)
    table[np.searchsorted(wanted, have)] = matrix
    vectors: Matrix = table[places]
    return vectors


def _no_claims() -> Claims:
    return Claims(np.zeros(0, np.int64), np.zeros(0))


def _claims(rows: Sequence[tuple[int, float]]) -> Claims:
    ids = np.array([pk for pk, _ in rows], np.int64)
    order = np.argsort(ids)
    values = np.array([cosine for _, cosine in rows], np.float64)
    return Claims(ids[order], np.clip(values[order], -1.0, 1.0))


def _blob(vector: Matrix, dimensions: int, space: str) -> bytes:
    stored = np.asarray(vector, STORED)
    if stored.shape != (dimensions,) or not np.isfinite(stored).all():
        raise StoreError(f"a vector for the space {space!r} is not {dimensions} finite numbers: shape {stored.shape}")
    return stored.tobytes()


def _query(query: Matrix, dimensions: int, space: str) -> Matrix:
    vector = np.asarray(query, np.float32)
    if vector.shape != (dimensions,):
        raise StoreError(
            f"a query of shape {vector.shape} cannot be compared with the {dimensions} dimensions of {space!r}"
        )
    return vector
