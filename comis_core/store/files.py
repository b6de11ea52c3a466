"""What can be known about a database file before SQLite touches it."""

from __future__ import annotations

import os
from pathlib import Path

from comis_core.errors import NewerSchemaError, NotADatabaseError, ReadOnlyError, StoreError

APPLICATION_ID = 0x434F4D49
"""Marks a file of this package in SQLite's header ("COMI")."""

_MAGIC = b"SQLite format 3\x00"
_HEADER = 100


def inspect(path: Path, known: int) -> bool:
    """Look at the file's first bytes and refuse what is not ours; nothing is written.

    Args:
        path: the database file.
        known: how many core migrations this version knows; the header carries how many were applied.

    Returns:
        Whether there is a database; False for a missing or empty file.

    Raises:
        NotADatabaseError, NewerSchemaError, StoreError: with the file untouched.
    """
    if not path.exists():
        return False
    if not path.is_file():
        raise NotADatabaseError(f"{path} is no file", hint="give the path of a database file")
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}", hint="check its permissions") from error
    if not header:
        return False
    if len(header) < _HEADER or not header.startswith(_MAGIC):
        raise NotADatabaseError(f"{path} is not an SQLite database", hint="give another path; the file was not touched")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise NotADatabaseError(
            f"{path} is an SQLite database of another application", hint="give another path; the file was not touched"
        )
    refuse_newer(path, int.from_bytes(header[60:64], "big"), known)
    return True


def refuse_newer(path: Path, applied: int, known: int) -> None:
    """Raise NewerSchemaError when more core migrations were applied than this version knows."""
    if applied > known:
        raise NewerSchemaError(
            f"{path} was written by a newer version of comis-core (schema {applied}, this version knows {known})",
            hint="upgrade comis-core; the file was not touched",
        )


def create(path: Path) -> None:
    """Make the folder (0700) and an empty file (0600) where there is none; existing ones keep their permissions."""
    try:
        if not path.parent.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except PermissionError as error:
        reason = f"{path} cannot be created: {error.strerror}"
        raise ReadOnlyError(reason, hint="check the folder's permissions") from error
    except OSError as error:
        reason = f"{path} cannot be created: {error.strerror}"
        raise StoreError(reason, hint="check the folder and the disk") from error


def writable(path: Path) -> bool:
    """Whether this process may write the file and its folder (SQLite keeps two files beside it)."""
    effective = os.access in os.supports_effective_ids
    return all(os.access(place, os.W_OK, effective_ids=effective) for place in (path, path.parent))
