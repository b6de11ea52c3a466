"""Opening connections: every pragma in one place, in the order that works."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import apsw
import attrs

from comis_core.errors import ComisError
from comis_core.store.faults import Translated
from comis_core.store.schema import PAGE_SIZE
from comis_core.store.waiting import LockWait

BUSY_MILLISECONDS = 30_000
"""How long a statement waits for another process's lock before it fails."""

_RETRY_SECONDS = 0.02

_STATEMENTS = 200
"""Prepared statements kept by each connection."""

_JOURNAL_LIMIT = 64 * 1024 * 1024
"""The write-ahead log is cut back to so many bytes after a checkpoint."""

SYNCHRONOUS = ("OFF", "NORMAL", "FULL", "EXTRA")


@attrs.frozen(eq=False, repr=False)
class Connections:
    """How one file is opened.

    on_connect: called with every connection.
    immutable: neither file nor folder can be written, so that no lock and no shared-memory file can be had.
    waiting: how all of them wait for other processes.
    """

    path: Path
    on_connect: Callable[[apsw.Connection], None] | None = None
    immutable: bool = False
    waiting: LockWait = attrs.field(factory=LockWait)

    def writer(self, *, synchronous: str) -> apsw.Connection:
        """The connection that writes; `set_journal` follows once the tables are there."""
        if synchronous.upper() not in SYNCHRONOUS:
            raise ComisError(f"synchronous must be one of {', '.join(SYNCHRONOUS)}, not {synchronous!r}")
        with Translated(self.path):
            connection = self._connect(apsw.SQLITE_OPEN_READWRITE, "mode=rw", self.waiting.again)
            connection.pragma("page_size", PAGE_SIZE)
            connection.pragma("synchronous", synchronous)
            connection.pragma("foreign_keys", True)
            connection.pragma("secure_delete", True)
        return connection

    def reader(self) -> apsw.Connection:
        """A connection that cannot write the file; its own TEMP tables it can."""
        with Translated(self.path):
            options = "immutable=1" if self.immutable else "mode=ro"
            connection = self._connect(apsw.SQLITE_OPEN_READONLY, options, self.waiting.read_again)
            # Only the writer folds the log in, once it knows whose log that is.
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        return connection

    def _connect(self, mode: int, options: str, again: Callable[[float, int], bool]) -> apsw.Connection:
        connection = apsw.Connection(
            f"file:{quote(str(self.path))}?{options}",
            flags=mode | apsw.SQLITE_OPEN_URI,
            statementcachesize=_STATEMENTS,
        )
        connection.set_busy_handler(functools.partial(again, BUSY_MILLISECONDS / 1000))
        connection.pragma("temp_store", "MEMORY")
        # Else SQLite compiles a statement anew whenever a value is bound that its plan might depend on, a LIMIT say.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        if self.on_connect is not None:
            self.on_connect(connection)
        return connection


def set_journal(connection: apsw.Connection, path: Path, *, wal: bool) -> None:
    """Choose write-ahead logging or a rollback journal; needs the busy timeout, for others may do the same.

    Changing the mode of a new file that several processes open at once can fail at once in spite of the timeout, since
    SQLite does not wait where two might wait for each other: then it is tried again for as long.
    """
    wanted = "wal" if wal else "delete"
    give_up = time.monotonic() + BUSY_MILLISECONDS / 1000
    with Translated(path):
        while connection.pragma("journal_mode") != wanted:
            try:
                connection.pragma("journal_mode", wanted)
                break
            except apsw.BusyError:
                if time.monotonic() >= give_up:
                    raise
                time.sleep(_RETRY_SECONDS)
        connection.pragma("journal_size_limit", _JOURNAL_LIMIT)
