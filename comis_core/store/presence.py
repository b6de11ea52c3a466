"""Whether the files of an open database are still the ones that were opened.

SQLite goes on with a file that somebody has removed or replaced, and what is written then is gone when the process
ends.
"""

from __future__ import annotations

import os
from pathlib import Path

from comis_core.errors import MissingFileError

Identity = tuple[int, int]
"""Device and number of a file."""


def log_of(path: Path) -> Path:
    """The write-ahead log of a database: beside the file itself, where the path is a link."""
    real = path.resolve()
    return real.with_name(f"{real.name}-wal")


def refuse_lost_log(path: Path) -> None:
    """Raise MissingFileError where a log was taken away that no process has closed.

    Whoever closes a file last folds the log in and removes its index (`-shm`) before the log itself; whoever opens one
    makes the log first. An index without a log is therefore what a crash and a hand have left together.
    """
    log = log_of(path)
    index = log.with_name(log.name.removesuffix("-wal") + "-shm")
    # Looked for twice: somebody may open the file at this very moment.
    if not log.exists() and index.exists() and not log.exists():
        raise MissingFileError(
            f"{log} is missing: {path} was not closed, and what was written last is in that log",
            hint="put it back, or close the process that still has the file open; only if it is lost for good, remove "
            f"{index} to go on with what is left",
        )


class Presence:
    """The identities of a database and of its log, as they were when it was opened.

    Args:
        writes: whether the file is open for writing, so that the log is held in place. To a reader's file others may
            bring a log, and take it with them.
    """

    def __init__(self, path: Path, *, writes: bool) -> None:
        self._writes = writes
        # As text, for every write looks at both.
        self._path = str(path)
        self._log = str(log_of(path))
        self._file = _identity(self._path)
        self._log_then = _identity(self._log)

    def check(self) -> None:
        """Raise MissingFileError when the database or its log was removed, or is another file now."""
        if self._file != _identity(self._path):
            raise MissingFileError(
                f"{self._path} was removed, or another file was put in its place, while it is open",
                hint="close it and open it again; a backup is put back while nobody has the file open",
            )
        if not self._writes:
            return
        if self._log_then is None:
            # None in a rollback journal, and none of a file that was only read so far.
            self._log_then = _identity(self._log)
        elif self._log_then != _identity(self._log):
            raise MissingFileError(
                f"{self._log} was removed or replaced while {self._path} is open",
                hint="close the file in every process, which folds in what they still hold, then open it again",
            )


def _identity(path: str) -> Identity | None:
    """None for a file that is not there."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
