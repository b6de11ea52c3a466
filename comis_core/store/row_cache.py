"""Columns of candidates that recalls have read: the questions of one talk find much the same memories again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import attrs

from comis_core.protocols import Change
from comis_core.store.hydrate import CoreRow

MOST = 16_384
"""Rows that are kept of all scopes together, some 10 MB; when there is no more room they start anew."""

_HARMLESS = ("embed", "annotate")
"""Operations that touch no row of `memories`."""


@attrs.define(eq=False, repr=False)
class _Scope:
    """Rows of one scope that are live as of its change `seq`."""

    seq: int
    rows: dict[int, CoreRow] = attrs.field(factory=dict)


class RowCache:
    """Rows of live memories by scope. Safe for many threads.

    A row never changes as long as its memory is live, and the change log names those that are no longer. A snapshot
    that is older than what is kept reads for itself.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._scopes: dict[int, _Scope] = {}
        self.count = 0
        """How many rows are kept."""

    def of(
        self,
        scope: int,
        seq: int,
        ids: Sequence[int],
        changes: Callable[[int], Sequence[Change] | None],
        read: Callable[[Sequence[int]], list[CoreRow]],
    ) -> list[CoreRow]:
        """The rows of those of the ascending `ids` that are live in a snapshot, ascending.

        Args:
            scope, seq: the snapshot's scope and its last change.
            changes: the scope's changes after another one, as `Snapshot.changes_since`.
            read: reads rows in the snapshot.
        """
        with self._lock:
            kept = self._at(scope, seq, changes)
            rows = {} if kept is None else {pk: row for pk in ids if (row := kept.rows.get(pk)) is not None}
        if len(rows) == len(ids):
            return list(rows.values())
        fresh = read([pk for pk in ids if pk not in rows])
        with self._lock:
            if kept is not None and kept.seq == seq and self._scopes.get(scope) is kept:
                self._keep(kept, fresh)
        return sorted([*rows.values(), *fresh], key=_id) if rows else fresh

    def _at(self, scope: int, seq: int, changes: Callable[[int], Sequence[Change] | None]) -> _Scope | None:
        """What is kept of a scope, brought forward to a snapshot; None when it is ahead of the snapshot."""
        kept = self._scopes.get(scope)
        if kept is not None and kept.seq < seq:
            passed = changes(kept.seq)
            if passed is None:
                self.count -= len(self._scopes.pop(scope).rows)
                kept = None
            else:
                gone = {change.pk for change in passed if change.operation not in _HARMLESS}
                self.count -= sum(kept.rows.pop(pk, None) is not None for pk in gone)
                kept.seq = seq
        if kept is None:
            kept = self._scopes[scope] = _Scope(seq)
        return kept if kept.seq == seq else None

    def _keep(self, kept: _Scope, fresh: Sequence[CoreRow]) -> None:
        if self.count + len(fresh) > self._most:
            for scope in self._scopes.values():
                scope.rows.clear()
            self.count = 0
        before = len(kept.rows)
        kept.rows.update((row[0], row) for row in fresh[: self._most])
        self.count += len(kept.rows) - before


def _id(row: CoreRow) -> int:
    pk: int = row[0]
    return pk
