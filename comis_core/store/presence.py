"""Whether the files of an open database are still the ones that were opened.

SQLite goes on with a file that somebody has removed or replaced, and what is written then is gone when the process
ends.
"""

from __future__ import annotations

import os
from pathlib import Path

import attrs

from comis_core.errors import MissingFileError

Identity = tuple[int, int]
"""Device and number of a file."""


def log_of(path: Path) -> Path:
    """The write-ahead log of a database: beside the file itself, where the path is a link."""
    real = path.resolve()
    return real.with_name(f"{real.name}-wal")


def index_of(path: Path) -> Path:
    """The index of the write-ahead log, in memory that processes share; beside the log."""
    real = path.resolve()
    return real.with_name(f"{real.name}-shm")


def refuse_lost_log(path: Path) -> None:
    """Raise MissingFileError where a log was taken away that no process has closed.

    Whoever closes a file last folds the log in and removes its index (`-shm`) before the log itself; whoever opens one
    makes the log first. An index without a log is therefore what a crash and a hand have left together.
    """
    log, index = log_of(path), index_of(path)
    # Looked for twice: somebody may open the file at this very moment.
    if not log.exists() and index.exists() and not log.exists():
        raise MissingFileError(
            f"{log} is missing: {path} was not closed, and what was written last is in that log",
            hint="end every process that has the file open, which folds in what they still hold; if this goes on, put "
            f"the log back; only if it is lost for good, remove {index} to go on with what is left",
        )


@attrs.define
class _Part:
    """One of the files, and which one it was when it was opened; None where there was none, or that is not known."""

    path: str
    then: Identity | None

    @classmethod
    def of(cls, path: Path) -> _Part:
        # As text, for every write looks at it.
        part = cls(str(path), None)
        part.hold()
        return part

    def hold(self) -> None:
        """Remember the file that is there, unless one is remembered."""
        if self.then is None:
            try:
                self.then = _identity(self.path)
            except OSError:
                return

    def moved(self) -> bool:
        """Whether none or another file is there now; False where that cannot be known."""
        if self.then is None:
            return False
        try:
            return self.then != _identity(self.path)
        except OSError:
            return False


class Presence:
    """The identities of a database, its log and the log's index, as they were when it was opened.

    Args:
        writes: whether the file is open for writing, so that log and index are held in place. To a reader's file others
            may bring them, and take them with them.
    """

    def __init__(self, path: Path, *, writes: bool) -> None:
        self._writes = writes
        self._file = _Part.of(path)
        self._log = _Part.of(log_of(path))
        self._index = _Part.of(index_of(path))

    def hold(self) -> None:
        """Remember log and index where there were none; for a connection that has just begun to write.

        At any other moment they may be somebody else's, who takes them with him when he closes. A file in a rollback
        journal has none, until another process turns to write-ahead logging.
        """
        self._log.hold()
        self._index.hold()

    def check(self) -> None:
        """Raise MissingFileError when the database, its log or its index was removed, or is another file now."""
        if self.replaced():
            raise MissingFileError(
                f"{self._file.path} was removed, or another file was put in its place, while it is open",
                hint="end every process that has it open, then open it again; a backup is put back while nobody has "
                "the file open",
            )
        if not self._writes:
            return
        for part in (self._log, self._index):
            if part.moved():
                raise MissingFileError(
                    f"{part.path} was removed or replaced while {self._file.path} is open",
                    hint="end every process that has the file open, then open it again",
                )

    def replaced(self) -> bool:
        """Whether the database itself was removed, or is another file now."""
        return self._file.moved()

    def foreign(self) -> str:
        """The log or the index, where it is not what was opened any more: to fold the log in would undo what others do.

        A log that is gone while its index is the same is nobody else's: the index is shared by all who have the file
        open, and as long as one of them has, no other removes a log. Then the log that is held is folded in.
        """
        if self._index.moved():
            return self._index.path
        return self._log.path if self._log.moved() and os.path.exists(self._log.path) else ""


def _identity(path: str) -> Identity | None:
    """None for a file that is not there; OSError where it cannot be known, for want of permission say."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino
