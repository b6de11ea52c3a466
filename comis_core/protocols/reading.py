"""What parts may read: transactions, snapshots, the scope's vectors and sequence, the clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from comis_core.model import Claims, Memory
from comis_core.model.shown import Compared, Shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from comis_core.model import Ids

    Matrix = NDArray[np.float32]

CORE_COLUMNS: Mapping[str, str] = {
    "id": "object",
    "trust": "int8",
    "type": "int8",
    "created_at": "float64",
    "occurred_at": "float64",
    "proof_count": "float64",
    "confidence": "float64",
    "importance": "float64",
    "pinned": "bool",
    "length": "int64",
    "fingerprint": "object",
    "key": "object",
    "sender": "object",
    "session": "object",
    "turn": "float64",
}
"""Columns every pool has, by dtype. Times are epoch microseconds; an absent number is NaN, an absent text None.

`id` is the 16 bytes of the memory's UUID, `length` the number of characters of the content; `trust` and `type` are
codes (`model.TRUST_CODES`, `TYPE_CODES`).
"""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Change(Compared):
    """One line of the change log: something happened to a memory version.

    operation: "add" (new version), "close" (an update replaced it), "evict", "restore", "delete" (gone), "embed"
    (its vectors were written or dropped), "annotate".
    """

    seq: int
    scope: int
    pk: int
    operation: str
    memory: Memory | None = None
    """The version, for "add"."""
    prepared: object = None
    """What this index's `prepare` returned for the memory, for "add"."""


class Transaction(Protocol):
    """The one write transaction that is open; everything in it commits together or not at all."""

    def execute(self, sql: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run one statement."""
        ...

    def executemany(self, sql: str, bindings: Iterable[Sequence[Any]]) -> None:
        """Run one statement for many rows."""
        ...


class Snapshot(Protocol):
    """A read transaction. The views `visible` and `visible_annotations` hold exactly what this recall may see.

    Join them on `pk` (`... CROSS JOIN visible v ON v.pk = t.pk`) and a leak is impossible. `visible_scan` is the same
    for statements that read the whole scope.
    """

    scope: int
    """The integer under which the scope's rows are filed."""
    seq: int
    """The last change of this scope that the snapshot sees; what a slab must have applied, neither less nor more."""
    historic: bool
    """Whether closed or evicted versions are in sight (an `as_of` recall)."""

    @property
    def restricted(self) -> bool:
        """Whether `visible` holds less than the scope's live rows (filters, expiry of some row, as_of)."""
        ...

    def execute(self, sql: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run one reading statement; interrupted at the recall's deadline."""
        ...

    def changes_since(self, seq: int) -> list[Change] | None:
        """This scope's changes after `seq`, up to the snapshot; None when the log no longer reaches back so far."""
        ...

    def visible_ids(self) -> Ids:
        """int64[n], ascending: every id in `visible`."""
        ...

    def visible_among(self, ids: Ids) -> NDArray[np.bool_]:
        """bool[len(ids)]: which of them are in `visible`."""
        ...

    def has_annotations(self, kind: str) -> bool:
        """Whether annotations of this kind may be in `visible_annotations`; looked up once a change for all kinds.

        Most scopes lack most kinds, so that asking first spares a recall the statements about them.
        """
        ...


class ScopeView(Protocol):
    """Counts and names of the scope, cached by change number."""

    @property
    def memories(self) -> int:
        """How many live memories the scope has."""
        ...

    @property
    def senders(self) -> Mapping[str, int]:
        """Sender -> number of live memories."""
        ...

    @property
    def entities(self) -> Mapping[str, str]:
        """Folded entity name or alias -> canonical name, over the scope's open annotations."""
        ...


@attrs.frozen(eq=False, repr=False)
class VectorSlab(Shown):
    """A scope's vectors of one embedding space in RAM.

    ids: int64[n], ascending; an id repeats when its text was embedded in several windows. matrix: float32[n, d], rows
    of unit length. Immutable: a change makes a new handle.
    """

    ids: Ids
    matrix: Matrix


class Vectors(Protocol):
    """The store's vectors: blobs keyed (space, memory, window); a space is an embedder's fingerprint."""

    def slab(self, snapshot: Snapshot, space: str) -> VectorSlab | None:
        """The scope's vectors in RAM, as of the snapshot; None beyond the byte budget.

        Rows of memories that are hidden from this recall may be among them: mask by visibility.
        """
        ...

    def similarities(self, snapshot: Snapshot, space: str, query: Matrix) -> Claims | None:
        """Cosine in -1..1 of every visible memory (its best window), or None beyond the byte budget. query: [d]."""
        ...

    def nearest(self, snapshot: Snapshot, space: str, query: Matrix, limit: int) -> Claims:
        """The `limit` nearest visible memories with their cosine; works at any size. Not sorted by value."""
        ...

    def fetch(self, snapshot: Snapshot, space: str, ids: Ids) -> Matrix:
        """float32[len(ids), d]: the first window's vector of each id; a row of NaN where there is none."""
        ...


@attrs.frozen(eq=False, repr=False)
class SequenceArrays(Shown):
    """The scope's visible memories in the order they were said. All arrays have length n, by ascending id.

    ids int64 · session int32 (-1 none) · position int32 (place within the session) · sender int32 (index into
    `senders`, -1 none) · previous, following int32 (index into these arrays of the neighbouring visible turn of the
    session, -1 none) · stems int32 (stem count) · asks bool (the content ends with a question) · dated bool (the
    content has a time expression).
    """

    ids: Ids
    session: NDArray[np.int32]
    position: NDArray[np.int32]
    sender: NDArray[np.int32]
    previous: NDArray[np.int32]
    following: NDArray[np.int32]
    stems: NDArray[np.int32]
    asks: NDArray[np.bool_]
    dated: NDArray[np.bool_]
    senders: tuple[str, ...]
    named: NDArray[np.bool_]
    """bool[len(senders)]: the sender is a person's name, not a role (user, tool, system) and no assistant."""
    two_sided: bool
    """Exactly two named senders, and over half of the adjacent pairs are between them."""


class SequenceService(Protocol):
    """The order in which things were said."""

    def arrays(self, snapshot: Snapshot) -> SequenceArrays:
        """The scope's sequence as of the snapshot; hidden memories are nobody's neighbour."""
        ...


class Clock(Protocol):
    """Where time comes from."""

    def now(self) -> datetime:
        """The present moment, timezone-aware."""
        ...


class Cancelled(Protocol):
    """Whether the recall's deadline has passed; long loops ask now and then."""

    def __call__(self) -> bool: ...
