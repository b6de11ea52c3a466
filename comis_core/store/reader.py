"""A snapshot: what one recall may see, and how it is read."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import attrs
import numpy as np

from comis_core.errors import StoreError
from comis_core.model import Memory, Scope
from comis_core.protocols import Change, ScopeView
from comis_core.store.changes import changes_after
from comis_core.store.hydrate import CoreColumns, CoreRow, visible_rows
from comis_core.store.identity import fold, to_bytes
from comis_core.store.row_cache import RowCache
from comis_core.store.rows import MEMORY_COLUMNS, to_memory
from comis_core.store.scope_view import PastNames, ScopeViews
from comis_core.store.sight import Sight, Sights, parse
from comis_core.store.state import Contents, States
from comis_core.store.transaction import Statements, select_in
from comis_core.store.views import View

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids


FOREVER = 2**63 - 1


@attrs.frozen(eq=False, repr=False)
class Kept:
    """What is kept between the snapshots of one file."""

    states: States = attrs.field(factory=States)
    names: ScopeViews = attrs.field(factory=ScopeViews)
    sights: Sights = attrs.field(factory=Sights)
    rows: RowCache = attrs.field(factory=RowCache)


class StoreReader:
    """A read transaction on one scope, with the TEMP views in place; fulfils `recall.reader.Reader`."""

    def __init__(
        self,
        connection: apsw.Connection,
        path: Path,
        scope: Scope,
        number: int,
        view: View,
        now: int,
        kept: Kept,
        deadline: float | None = None,
    ) -> None:
        self._statements = Statements(connection, path, "the snapshot has ended")
        self._path = path
        self._scope = scope
        self._view = view
        self._now = now
        self._kept = kept
        self._deadline = deadline
        self._patient = False
        self.scope = number
        self.historic = view.shape.versions != "live"
        self._state = kept.states.of(connection, number)
        self.seq = self._state.seq
        self.newest = self._state.last
        """Number of the file's last change, of whatever scope."""

    @cached_property
    def restricted(self) -> bool:
        """Whether `visible` holds less than the scope's live rows."""
        return self._view.hides(self._contents, self._now)

    def expired(self) -> bool:
        """Whether the statement that runs must stop; asked by SQLite now and then. The core's own short ones go on."""
        return self._deadline is not None and not self._patient and time.monotonic() >= self._deadline

    def end(self) -> None:
        """No statement may follow: the connection goes to somebody else."""
        self._statements.end()

    # -- for parts -------------------------------------------------------------------------------------------------

    def execute(self, sql: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run one reading statement; interrupted at the deadline. Raises StoreError."""
        return self._statements.execute(sql, bindings)

    def changes_since(self, seq: int) -> list[Change] | None:
        """This scope's changes after `seq`, up to the snapshot; None when the log no longer reaches back so far."""
        return changes_after(self.fetch, self.scope, seq, self.seq)

    def visible_ids(self) -> Ids:
        """int64[n], ascending, read-only: every id in `visible`."""
        return self._kept.sights.of(self.scope, self._view, self.seq, self._now, self._look)

    def visible_among(self, ids: Ids) -> NDArray[np.bool_]:
        """bool[len(ids)]: which of them are in `visible`."""
        asked = ids.tolist()
        seen = {pk for (pk,) in select_in(self.fetch, "SELECT pk FROM visible WHERE pk IN ({})", asked)}
        return np.array([pk in seen for pk in asked], np.bool_)

    def has_annotations(self, kind: str) -> bool:
        """Whether annotations of this kind may be in `visible_annotations`; looked up once for all kinds."""
        return self.historic or kind in self._contents().kinds

    # -- for the core ----------------------------------------------------------------------------------------------

    def rows(self, ids: Ids) -> Sequence[CoreRow]:
        """(id, *`protocols.CORE_COLUMNS`) of those of the ascending `ids` that are visible; one statement at most."""
        if self.historic or self.restricted:
            return visible_rows(self.fetch, ids.tolist())
        return self._kept.rows.of(
            self.scope, self.seq, ids.tolist(), self.changes_since, lambda unknown: visible_rows(self.fetch, unknown)
        )

    def columns_of(self, rows: Sequence[CoreRow]) -> Mapping[str, NDArray[Any]]:
        """`protocols.CORE_COLUMNS` of such rows as read-only arrays."""
        return CoreColumns(rows)

    def columns(self, ids: Ids) -> Mapping[str, NDArray[Any]]:
        """`protocols.CORE_COLUMNS` for ascending ids. Raises StoreError when one of them is not visible."""
        rows = self.rows(ids)
        if len(rows) != len(ids):
            missing = sorted(set(ids.tolist()) - {row[0] for row in rows})
            raise StoreError(f"{self._path}: {missing[:5]} are not visible in this snapshot, or an id is given twice")
        return CoreColumns(rows)

    def memories(self, ids: Ids) -> Sequence[Memory]:
        """Whole memories in the order of `ids`. Raises StoreError for an id that is not visible."""
        rows = select_in(self.fetch, f"SELECT {MEMORY_COLUMNS} FROM visible WHERE pk IN ({{}})", ids.tolist())
        found = {row[0]: to_memory(row, self._scope) for row in rows}
        return [self._found(found, pk) for pk in ids.tolist()]

    def texts(self, ids: Ids) -> Sequence[str]:
        """Contents in the order of `ids`. Raises StoreError for an id that is not visible."""
        found = dict(select_in(self.fetch, "SELECT pk, content FROM visible WHERE pk IN ({})", ids.tolist()))
        return [self._found(found, pk) for pk in ids.tolist()]

    def supersedes(self, ids: Ids) -> Sequence[tuple[int, int]]:
        """(winner, loser) pairs by open "supersedes" annotations: losers among `ids`, winners anywhere in sight."""
        sql = (
            "SELECT a.pk, v.pk FROM visible AS v CROSS JOIN visible_annotations AS a ON a.target = v.id "
            "WHERE v.pk IN ({}) AND a.kind = 'supersedes' AND a.pk <> v.pk"
        )
        return sorted(select_in(self.fetch, sql, ids.tolist())) if self.has_annotations("supersedes") else []

    def statements(self, ids: Ids, predicates: Sequence[str]) -> Sequence[tuple[int, str, str, str, int | None]]:
        """(id, subject, predicate, value, event time) of the open triples of `ids` with one of these predicates.

        Names are folded, and an alias is the name that it stands for; the event time (epoch microseconds) is None where
        the statement has none of its own.
        """
        wanted = {fold(predicate) for predicate in predicates}
        sql = (
            "SELECT pk, name, predicate, value, occurred_at FROM visible_annotations "
            "WHERE pk IN ({}) AND kind = 'triple' ORDER BY pk, annotation"
        )
        rows = select_in(self.fetch, sql, ids.tolist()) if wanted and self.has_annotations("triple") else []
        stated = [row for row in rows if fold(row[2]) in wanted]
        known = self.scope_view().entities if stated else {}
        return [
            (pk, known.get(name, name), fold(predicate), known.get(fold(value), fold(value)), occurred_at)
            for pk, name, predicate, value, occurred_at in stated
        ]

    def lookup(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Memory id -> pk of the version in sight; ids that are not visible are missing."""
        sql = "SELECT v.pk FROM memories AS m CROSS JOIN visible AS v ON v.pk = m.pk WHERE m.id = ?"
        found = {}
        for text in ids:
            rows = self.fetch(sql, (to_bytes(text),))
            if rows:
                found[text] = rows[0][0]
        return found

    def scope_view(self) -> ScopeView:
        """Counts and names of the scope as of this snapshot."""
        return PastNames(self) if self.historic else self._kept.names.of(self)

    def fetch(self, sql: str, bindings: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement of the core's own, which is short and not interrupted."""
        self._patient = True
        try:
            return list(self._statements.execute(sql, bindings))
        finally:
            self._patient = False

    def _contents(self) -> Contents:
        return self._state.contents(self.fetch)

    def _look(self) -> Sight:
        ((listed,),) = self.execute("SELECT group_concat(pk) FROM visible_scan")
        sql = "SELECT min(expires_at) FROM memories WHERE scope = ? AND expires_at > ? AND closed_at IS NULL"
        ((until,),) = self.fetch(sql, (self.scope, self._now))
        return Sight(self.seq, self._now, FOREVER if until is None else until, parse(listed))

    def _found(self, found: Mapping[int, Any], pk: int) -> Any:
        try:
            return found[pk]
        except KeyError:
            raise StoreError(f"{self._path}: memory {pk} is not visible in this snapshot") from None
