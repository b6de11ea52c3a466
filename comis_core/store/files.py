"""What can be known about a database file before it is opened for use."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import apsw

from comis_core.errors import NewerSchemaError, NotADatabaseError, ReadOnlyError, StoreError
from comis_core.store.faults import Translated
from comis_core.store.presence import log_of, refuse_lost_log

APPLICATION_ID = 0x434F4D49
"""Marks a file of this package in SQLite's header ("COMI")."""


def inspect(path: Path, known: int) -> bool:
    """Look at the file's header and refuse what is not ours; nothing is written, not even beside it.

    SQLite reads it, as an immutable file: a descriptor opened and closed past SQLite would take away the locks of
    every other connection that this process has to the file.

    Args:
        path: the database file.
        known: how many core migrations this version knows; the header carries how many were applied.

    Returns:
        Whether there is a database; False for a missing or empty file.

    Raises:
        NotADatabaseError, NewerSchemaError, MissingFileError, StoreError: with the file untouched.
    """
    if not path.exists():
        return False
    if not path.is_file():
        raise NotADatabaseError(f"{path} is no file", hint="give the path of a database file")
    if not path.stat().st_size:
        return False
    refuse_lost_log(path)
    with Translated(path):
        try:
            owner, applied = _header(path, "immutable=1")
        except (apsw.CorruptError, apsw.NotADBError):
            log = log_of(path)
            if not log.exists() or not log.stat().st_size:
                raise
            # Whoever folded the log in was stopped on the way: the file alone is torn, and whole with its log.
            owner, applied = _header(path, "mode=ro")
    if owner != APPLICATION_ID:
        raise NotADatabaseError(
            f"{path} is an SQLite database of another application", hint="give another path; the file was not touched"
        )
    refuse_newer(path, applied, known)
    return True


def _header(path: Path, options: str) -> tuple[int, int]:
    """The marks of owner and schema in the header."""
    connection = apsw.Connection(
        f"file:{quote(str(path))}?{options}", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    )
    try:
        return connection.pragma("application_id"), connection.pragma("user_version")
    finally:
        connection.close(True)


def refuse_newer(path: Path, applied: int, known: int) -> None:
    """Raise NewerSchemaError when more core migrations were applied than this version knows."""
    if applied > known:
        raise NewerSchemaError(
            f"{path} was written by a newer version of comis-core (schema {applied}, this version knows {known})",
            hint="upgrade comis-core; the file was not touched",
        )


def create(path: Path) -> None:
    """Make the folder (0700) and an empty file (0600) where there is none; existing ones keep their permissions."""
    if path.exists():
        return
    try:
        if not path.parent.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return
    except PermissionError as error:
        reason = f"{path} cannot be created: {error.strerror}"
        raise ReadOnlyError(reason, hint="check the folder's permissions") from error
    except OSError as error:
        reason = f"{path} cannot be created: {error.strerror}"
        raise StoreError(reason, hint="check the folder and the disk") from error


def writable(path: Path) -> bool:
    """Whether this process may write the file and its folder (SQLite keeps two files beside it)."""
    effective = os.access in os.supports_effective_ids
    # Of a link the folder of the file itself: SQLite keeps its files there.
    return all(os.access(place, os.W_OK, effective_ids=effective) for place in (path, path.resolve().parent))
