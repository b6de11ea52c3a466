"""Columns of candidates that recalls have read: the questions of one talk find much the same memories again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import attrs

from comis_core.protocols import Change
from comis_core.store.hydrate import CoreRow

MOST = 16_384
"""Rows that are kept of all scopes together, some 10 MB; the scopes that were asked longest ago go first."""

_HARMLESS = ("embed", "annotate")
"""Operations that touch no row of `memories`."""

Changes = Callable[[int], Sequence[Change] | None]


@attrs.define(eq=False, repr=False)
class _Scope:
    """Rows of one scope that are live as of its change `seq`."""

    seq: int
    rows: dict[int, CoreRow] = attrs.field(factory=dict)

    @property
    def size(self) -> int:
        """What it counts for; one without rows takes room, too."""
        return len(self.rows) + 1


class RowCache:
    """Rows of live memories by scope. Safe for many threads.

    A row never changes as long as its memory is live, and the change log names those that are no longer. A snapshot
    that is older than what is kept reads for itself. Nothing is read from the file while others wait.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._scopes: OrderedDict[int, _Scope] = OrderedDict()
        self._size = 0

    @property
    def size(self) -> int:
        """How many rows and scopes are kept."""
        return self._size

    def of(
        self,
        scope: int,
        seq: int,
        ids: Sequence[int],
        changes: Changes,
        read: Callable[[Sequence[int]], list[CoreRow]],
    ) -> list[CoreRow]:
        """The rows of those of the ascending `ids` that are live in a snapshot, ascending.

        Args:
            scope, seq: the snapshot's scope and its last change.
            changes: the scope's changes after another one, as `Snapshot.changes_since`.
            read: reads rows in the snapshot.
        """
        self._bring_forward(scope, seq, changes)
        with self._lock:
            kept = self._scopes.get(scope)
            known = kept.rows if kept is not None and kept.seq == seq else {}
            rows = {pk: row for pk in ids if (row := known.get(pk)) is not None}
            if rows:
                self._scopes.move_to_end(scope)
        if len(rows) == len(ids):
            return list(rows.values())
        fresh = read([pk for pk in ids if pk not in rows])
        with self._lock:
            self._keep(scope, seq, fresh)
        return sorted([*rows.values(), *fresh], key=_id) if rows else fresh

    def _bring_forward(self, scope: int, seq: int, changes: Changes) -> None:
        """Make what is kept of a scope that of a snapshot, unless it is as new or newer."""
        with self._lock:
            kept = self._scopes.get(scope)
            former = seq if kept is None else kept.seq
        if former >= seq:
            return
        passed = changes(former)
        with self._lock:
            if kept is None or self._scopes.get(scope) is not kept or kept.seq != former:
                return  # Somebody else was quicker.
            self._size -= kept.size
            if passed is None:
                del self._scopes[scope]
                return
            for change in passed:
                if change.operation not in _HARMLESS:
                    kept.rows.pop(change.pk, None)
            kept.seq = seq
            self._size += kept.size

    def _keep(self, scope: int, seq: int, fresh: Sequence[CoreRow]) -> None:
        kept = self._scopes.get(scope)
        if kept is None:
            kept = self._scopes[scope] = _Scope(seq)
            self._size += kept.size
        if kept.seq != seq:
            return
        self._size -= kept.size
        kept.rows.update((row[0], row) for row in fresh)
        self._size += kept.size
        self._scopes.move_to_end(scope)
        while self._size > self._most:
            _, oldest = self._scopes.popitem(last=False)
            self._size -= oldest.size


def _id(row: CoreRow) -> int:
    pk: int = row[0]
    return pk
