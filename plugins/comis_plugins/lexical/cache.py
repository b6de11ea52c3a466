"""Slabs of every scope: read from the table, kept under a byte budget, exactly as of each snapshot."""

from __future__ import annotations

import json
from collections.abc import Sequence

from comis_core.handles import Handles
from comis_core.protocols import Change, Snapshot
from comis_plugins.lexical.slab import Slab, load
from comis_plugins.lexical.terms import SubLane

_RELOAD = 4
"""A slab is loaded anew when more than one in so many of its memories changed."""

_SMALL = 100
"""So many changes are followed whatever the slab's size."""


class SlabCache:
    """What the lanes of one engine share. Safe for many threads: a slab never changes.

    Args:
        budget_bytes: RAM for all slabs together; the one asked for last stays in any case.
    """

    def __init__(self, budget_bytes: int) -> None:
        self._handles: Handles[Slab] = Handles(budget_bytes)

    def of(self, snapshot: Snapshot, lanes: tuple[SubLane, ...]) -> Slab:
        """The slab of the snapshot's scope: its living memories, or of an `as_of` recall all that is visible."""
        columns = _columns(lanes)
        if snapshot.historic:
            return load(snapshot.execute(f"{columns} FROM visible_scan AS m {_POSTINGS} ORDER BY m.pk"), lanes)
        key = (snapshot.scope, lanes)
        slab = self._handles.at(
            key,
            snapshot,
            load=lambda: load(snapshot.execute(f"{columns} {_LIVING}", (snapshot.scope,)), lanes),
            advance=lambda older, changes: _advanced(snapshot, older, changes, columns),
        )
        if slab.missing:
            # The index catches up without a line in the change log, so what is missing must be looked for again.
            self._handles.forget(key)
        return slab

    def size(self) -> int:
        """Bytes of all slabs."""
        return self._handles.size()

    def close(self) -> None:
        """Give the RAM back."""
        self._handles.clear()


_POSTINGS = "LEFT JOIN lexical_postings AS p ON p.scope = m.scope AND p.pk = m.pk"

_LIVING = f"""
FROM memories AS m {_POSTINGS}
WHERE m.scope = ? AND m.closed_at IS NULL AND m.evicted_at IS NULL ORDER BY m.pk"""

_LIVING_OF = f"""
FROM json_each(?2) AS wanted CROSS JOIN memories AS m ON m.pk = wanted.value {_POSTINGS}
WHERE m.scope = ?1 AND m.closed_at IS NULL AND m.evicted_at IS NULL ORDER BY m.pk"""


def _columns(lanes: Sequence[SubLane]) -> str:
    lengths = [f"p.{lane.name}_total" for lane in lanes]
    return f"SELECT m.pk, {', '.join(lengths)}, {', '.join(f'p.{lane.name}' for lane in lanes)}"


def _advanced(snapshot: Snapshot, slab: Slab, changes: Sequence[Change], columns: str) -> Slab | None:
    touched = sorted({change.pk for change in changes if change.operation not in ("embed", "annotate")})
    if not touched:
        return slab
    if len(touched) * _RELOAD > slab.count + _SMALL:
        return None
    rows = snapshot.execute(f"{columns} {_LIVING_OF}", (snapshot.scope, json.dumps(touched)))
    return slab.followed(touched, list(rows))
