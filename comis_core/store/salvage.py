"""What can still be read of a damaged file, memory by memory."""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import attrs

from comis_core.errors import StoreError
from comis_core.model import Annotation, Memory, Scope
from comis_core.store.annotations import open_annotations
from comis_core.store.presence import log_of
from comis_core.store.rows import MEMORY_COLUMNS, to_memory
from comis_core.store.transaction import Statements

_HEADER = struct.Struct(">16sH10xI")
"""The signature, the size of a page (1 stands for 65,536), and at byte 28 the number of pages."""
_SIGNATURE = b"SQLite format 3\0"

_ONE = f"SELECT {MEMORY_COLUMNS} FROM memories NOT INDEXED WHERE pk = ? AND scope = ? AND closed_at IS NULL"
_LAST = "SELECT seq FROM sqlite_sequence WHERE name = 'memories'"


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """The file; where its end is cut off, a copy of it with zeros there, for SQLite reads nothing of a short file.

    Raises:
        StoreError: there is no room for a copy, or the file cannot be read.
    """
    missing = _cut_off(path)
    if not missing:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="comis-salvage-") as folder:
        copy = Path(folder) / path.name
        try:
            for part, to in ((path, copy), (log_of(path), log_of(copy))):
                if part.exists():
                    shutil.copyfile(part, to)
            os.truncate(copy, path.stat().st_size + missing)
        except OSError as error:
            raise StoreError(f"{path} cannot be copied: {error.strerror}", hint="free some space in TMPDIR") from error
        yield copy


def _cut_off(path: Path) -> int:
    """Bytes that the file is shorter than its header says; 0 for what is no database."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER.size)
            size = os.fstat(file.fileno()).st_size
    except OSError:
        return 0
    if len(header) < _HEADER.size or not header.startswith(_SIGNATURE):
        return 0
    page: int
    pages: int
    _, page, pages = _HEADER.unpack(header)
    return max(0, (65_536 if page == 1 else page) * pages - size)


@attrs.define(kw_only=True, eq=False, repr=False)
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
