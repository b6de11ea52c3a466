"""What the recall stages read from: a protocol that the store fulfils, so that recall does not import the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from comis_core.model import Filters, Memory, Scope
from comis_core.protocols import ScopeView, Snapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids


class Reader(Snapshot, Protocol):
    """A snapshot that can also load what only the core needs."""

    def rows(self, ids: Ids) -> Sequence[tuple[Any, ...]]:
        """(id, *`protocols.CORE_COLUMNS`) of those of the ascending `ids` that are visible, ascending, in one
        statement.
        """
        ...

    def columns_of(self, rows: Sequence[tuple[Any, ...]]) -> Mapping[str, NDArray[Any]]:
        """`protocols.CORE_COLUMNS` of such rows as read-only arrays."""
        ...

    def memories(self, ids: Ids) -> Sequence[Memory]:
        """Whole memories in the order of `ids`."""
        ...

    def texts(self, ids: Ids) -> Sequence[str]:
        """Contents in the order of `ids`."""
        ...

    def supersedes(self, ids: Ids) -> Sequence[tuple[int, int]]:
        """(winner, loser) pairs by open "supersedes" annotations: losers among `ids`, winners anywhere in sight."""
        ...

    def statements(self, ids: Ids, predicates: Sequence[str]) -> Sequence[tuple[int, str, str, str, int | None]]:
        """(id, subject, predicate, value, event time) of the open triples of `ids` with one of these predicates.

        Names are folded, and an alias is the name that it stands for; the event time is None where the statement has
        none of its own.
        """
        ...

    def lookup(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Memory id -> pk of the version in sight; ids that are not visible are missing."""
        ...

    def scope_view(self) -> ScopeView:
        """Counts and names of the scope as of this snapshot."""
        ...


class SnapshotSource(Protocol):
    """Where readers come from."""

    def snapshot(
        self, scope: Scope, *, now: int, filters: Filters, deadline: float | None = None
    ) -> AbstractContextManager[Reader]:
        """A read transaction on one scope. `deadline`: `time.monotonic()` value at which SQL is interrupted."""
        ...
