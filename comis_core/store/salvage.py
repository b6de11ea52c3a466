"""What can still be read of a damaged file, memory by memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import attrs

from comis_core.model import Annotation, Memory, Scope
from comis_core.store.annotations import open_annotations
from comis_core.store.rows import MEMORY_COLUMNS, to_memory
from comis_core.store.transaction import Statements

_ONE = f"SELECT {MEMORY_COLUMNS} FROM memories NOT INDEXED WHERE pk = ? AND scope = ? AND closed_at IS NULL"
_LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'memories'"


@attrs.define(kw_only=True, eq=False)
class Salvage:
    """Iterates over the live memories of a scope that can be read, oldest first, with their annotations.

    unreadable: how many rows could not be read so far; some of them may be older versions, or another scope's.
    silent: how many memories came without the annotations that they may have had.
    """

    connection: apsw.Connection
    path: Path
    scope: Scope
    number: int
    unreadable: int = attrs.field(default=0, init=False)
    silent: int = attrs.field(default=0, init=False)

    def __iter__(self) -> Iterator[tuple[Memory, tuple[Annotation, ...]]]:
        ((last,),) = list(self.connection.execute(_LAST)) or [(0,)]
        for pk in range(1, last + 1):
            try:
                rows = list(self.connection.execute(_ONE, (pk, self.number)))
                found = [to_memory(row, self.scope) for row in rows]
            except (apsw.CorruptError, apsw.IOError, ValueError, IndexError, TypeError):
                self.unreadable += 1
                continue
            for memory in found:
                yield memory, self._annotations(pk)

    def _annotations(self, pk: int) -> tuple[Annotation, ...]:
        try:
            return tuple(open_annotations(Statements(self.connection, self.path), pk))
        except Exception:  # noqa: BLE001 - whatever lies in a damaged page
            self.silent += 1
            return ()
