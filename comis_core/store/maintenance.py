"""Looking after the file: rewrite, copy, fold the log back in."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import apsw
import attrs

from comis_core.errors import NotADatabaseError, StoreError
from comis_core.store.connection import Connections
from comis_core.store.faults import Translated

_PAGES = 1_000
"""Pages copied in one step of a backup."""


def rewrite(connection: apsw.Connection, path: Path) -> None:
    """VACUUM, then empty the write-ahead log: nothing that was deleted is left in either file.

    Raises:
        StoreError: another process keeps reading an old state, so that the log cannot be emptied.
    """
    connection.execute("VACUUM")
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.BusyError as error:
        raise StoreError(
            f"{path} was rewritten, but its log could not be emptied: another process is reading",
            hint="run it again when the other process has finished",
        ) from error


def checkpoint(connection: apsw.Connection) -> bool:
    """Fold the write-ahead log into the file, waiting for nobody; whether all of it went in.

    What does not go in stays in the log, which is as durable as the file. The connection waits for nobody ever after.
    """
    connection.set_busy_timeout(0)
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except (apsw.BusyError, apsw.FullError, apsw.IOError):
        return False
    return True


def backup(connections: Connections, source: Callable[[], apsw.Connection], target: Path) -> None:
    """Copy the file as it is at this moment, while others read and write; the copy appears whole and sound or not at
    all.

    Args:
        source: opens a reading connection to the file, which is closed afterwards.

    Raises:
        StoreError: the target exists, or cannot be written.
        NotADatabaseError: the copy does not stand SQLite's own checks.
    """
    if target.exists():
        raise StoreError(f"{target} exists", hint="give a path where there is nothing yet")
    partial = target.with_name(f"{target.name}.partial")
    try:
        os.close(os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error.strerror}", hint="check folder and disk") from error
    try:
        _copy(source, partial)
        _verify(connections, partial)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _verify(connections: Connections, partial: Path) -> None:
    from comis_core.store.integrity import damage

    reader = attrs.evolve(connections, path=partial, immutable=True).reader()
    try:
        with Translated(partial):
            found = damage(reader)
    finally:
        reader.close(True)
    if found.complaints:
        raise NotADatabaseError(
            f"the copy of {connections.path} is damaged in {', '.join(sorted(found.complaints))}, as the file must be",
            hint="look at it with `comis doctor`",
        )


def _copy(source: Callable[[], apsw.Connection], partial: Path) -> None:
    reader = source()
    try:
        with Translated(partial):
            copy = apsw.Connection(str(partial))
            try:
                # A copy that does not come to its end is thrown away, so nobody needs its journal.
                copy.pragma("journal_mode", "OFF")
                # An open read transaction holds the copy to one state; without it every write would start it anew.
                reader.execute("BEGIN")
                reader.execute("SELECT count(*) FROM scopes").fetchall()
                with copy.backup("main", reader, "main") as steps:
                    while not steps.done:
                        steps.step(_PAGES)
                reader.execute("COMMIT")
            finally:
                copy.close(True)
    finally:
        reader.close(True)
