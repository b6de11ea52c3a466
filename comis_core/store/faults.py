"""The one place where SQLite's errors become this package's."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import apsw

from comis_core.errors import ComisError, MissingFileError, NotADatabaseError, ReadOnlyError, StoreError

_CASES: tuple[tuple[type[apsw.Error], type[StoreError], str, str], ...] = (
    (apsw.FullError, StoreError, "the disk is full: {path} could not be written", "free some space and try again"),
    (apsw.ReadOnlyError, ReadOnlyError, "{path} cannot be written", "check the permissions of the file and its folder"),
    (apsw.PermissionsError, ReadOnlyError, "access to {path} was denied", "check the permissions of file and folder"),
    (apsw.CorruptError, NotADatabaseError, "{path} is damaged", "restore a backup, or run `comis doctor`"),
    (apsw.NotADBError, NotADatabaseError, "{path} is not an SQLite database", "give the path of a comis database"),
    (apsw.CantOpenError, StoreError, "{path} cannot be opened", "check that the folder exists and may be written"),
    (apsw.BusyError, StoreError, "{path} stayed locked by another process", "try again when it has finished"),
    (apsw.LockedError, StoreError, "{path} is locked by another statement", "finish reading before you write"),
    (apsw.InterruptError, StoreError, "the deadline passed while reading {path}", "allow more time or ask for less"),
    (
        apsw.IOError,
        StoreError,
        "reading or writing {path} failed",
        "check the disk, its space, the file system, and whether the file's log (-wal) was taken away",
    ),
    (apsw.NoMemError, StoreError, "memory ran out while working on {path}", "close other programs and try again"),
    (
        apsw.ThreadingViolationError,
        StoreError,
        "one connection to {path} was used by two threads at once",
        "use a transaction or snapshot only in the thread that opened it",
    ),
    (apsw.ConnectionClosedError, StoreError, "the connection to {path} is closed", "open the store again"),
    (apsw.CursorClosedError, StoreError, "a statement on {path} outlived its snapshot", "read its rows before it ends"),
)

ENVIRONMENT: tuple[type[apsw.Error], ...] = tuple(case[0] for case in _CASES)
"""Errors that no SQL statement is to blame for."""

_NO_WORDS = "not an error"


def translate(error: apsw.Error, path: Path | str) -> StoreError:
    """The error of this package that says what SQLite's error means for `path`; anything else is faulty SQL."""
    for kind, ours, message, hint in _CASES:
        if isinstance(error, kind):
            return ours(f"{message.format(path=path)}: {_details(error)}", hint=hint)
    return StoreError(f"{path}: the statement failed: {type(error).__name__}: {_details(error)}")


def _details(error: apsw.Error) -> str:
    """SQLite's words, and the name of its code, which alone says whether reading or writing failed.

    A backup that fails leaves "not an error" for words: SQLite keeps those of a connection, and it has two.
    """
    words = str(error)
    number = getattr(error, "extendedresult", 0) or getattr(error, "result", 0)
    code = apsw.mapping_extended_result_codes.get(number) or apsw.mapping_result_codes.get(number)
    if words == _NO_WORDS:
        return str(code) if number and code else type(error).__name__
    return f"{words} ({code})" if isinstance(error, apsw.IOError) and number and code else words


def is_environment(error: ComisError) -> bool:
    """Whether a translated error came from disk, locks or memory rather than from a faulty statement."""
    return isinstance(error, MissingFileError) or isinstance(error.__cause__, ENVIRONMENT)


def is_locked(error: ComisError) -> bool:
    """Whether a translated error says that others are writing."""
    return isinstance(error.__cause__, apsw.BusyError)


def is_damage(error: ComisError) -> bool:
    """Whether a translated error says that the file itself is damaged."""
    return isinstance(error.__cause__, apsw.CorruptError)


class Translated:
    """`with Translated(path):` raises this package's errors instead of SQLite's."""

    def __init__(self, path: Path | str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, apsw.Error):
            raise translate(error, self._path) from error
