"""One file's connections: a writer behind a lock and a pool of readers."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import apsw
import attrs

from comis_core.errors import ReadOnlyError, StoreError
from comis_core.store.connection import Connections
from comis_core.store.faults import Translated, is_environment, is_locked
from comis_core.store.maintenance import checkpoint
from comis_core.store.presence import Presence
from comis_core.store.transaction import Statements, end_reading
from comis_core.store.views import Shape, install

log = logging.getLogger(__name__)


@attrs.define(eq=False, repr=False)
class ReadConnection:
    """A reading connection and the shape of its TEMP views."""

    raw: apsw.Connection
    shape: Shape | None = None

    def show(self, shape: Shape) -> None:
        """Give the TEMP views this shape."""
        if self.shape != shape:
            install(self.raw, shape)
            self.shape = shape


class Database:
    """The file's connections, each used by one thread at a time.

    A lock serialises writers of this process, SQLite those of several. Readers are pooled; when all are out, one more
    is opened rather than waited for, so that nested snapshots cannot deadlock.

    Args:
        writer: None for a file that is opened for reading only.
        readers: how many idle reading connections are kept.
    """

    def __init__(self, connections: Connections, writer: apsw.Connection | None, *, readers: int) -> None:
        self.connections = connections
        self.path = connections.path
        self._presence = Presence(connections.path, writes=writer is not None)
        self._writer = writer
        self._readers = readers
        self._waiting = connections.waiting
        self.read_only = writer is None
        self._idle: list[ReadConnection] = []
        self._lock = threading.Lock()
        self._pool = threading.Lock()
        self._owner: int | None = None
        self._process = os.getpid()
        self._closed = False

    def __del__(self) -> None:
        # A program that ends without closing leaves that to SQLite, which folds the log in whosever it is.
        writer = getattr(self, "_writer", None)
        if writer is not None and self._presence.foreign():
            writer.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)

    @contextmanager
    def writing(self, patience: float | None = None) -> Iterator[apsw.Connection]:
        """The writing connection, outside a transaction; the thread's own for as long as the block lasts.

        patience: seconds after which waiting for other writers is given up (StoreError); see `LockWait.turn`.
        """
        self.check()
        self._refuse_nesting()
        with self._waiting.turn(self._lock, patience):
            self.check()
            if self._writer is None:
                raise ReadOnlyError(f"{self.path} is open for reading only", hint="open a writable file to store")
            self._presence.check()
            self._owner = threading.get_ident()
            try:
                with Translated(self.path):
                    yield self._writer
            except StoreError as error:
                if self._cut_short(error):
                    raise StoreError(
                        f"{self.path} was closed while a write waited for another process; nothing of it was written",
                        hint="open it again and write once more",
                    ) from error.__cause__
                raise
            finally:
                self._owner = None

    @contextmanager
    def transaction(self, patience: float | None = None) -> Iterator[Statements]:
        """BEGIN IMMEDIATE ... COMMIT; rolled back on any exception, also an interrupt from the keyboard."""
        with self.writing(patience) as connection:
            transaction = Statements(connection, self.path)
            try:
                connection.execute("BEGIN IMMEDIATE")
                self._presence.hold()
                yield transaction
                transaction.end()
                connection.execute("COMMIT")
            except BaseException:
                transaction.end()
                # A full disk or a failed read has rolled back already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def rehearsal(self) -> Iterator[Statements]:
        """BEGIN IMMEDIATE ... ROLLBACK: what is written in it is undone."""
        with self.writing() as connection:
            transaction = Statements(connection, self.path)
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield transaction
            finally:
                transaction.end()
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def reading(self, shape: Shape | None = None) -> Iterator[ReadConnection]:
        """A reading connection, the thread's own for as long as the block lasts; one with these views if there is."""
        connection = self._take(shape)
        try:
            with Translated(self.path):
                yield connection
        except StoreError as error:
            self._explain(error)
            raise
        finally:
            self._give_back(connection)

    @contextmanager
    def state(self) -> Iterator[Statements]:
        """A read transaction over the whole file: every statement in it sees the same state."""
        with self.reading() as connection:
            connection.raw.execute("BEGIN")
            reader = Statements(connection.raw, self.path)
            try:
                yield reader
            finally:
                reader.end()
                end_reading(connection.raw)

    def check(self) -> None:
        """Raise StoreError when the store is closed or was inherited by a forked process."""
        if self._closed:
            raise StoreError(f"{self.path}: the store is closed", hint="open it again")
        if os.getpid() != self._process:
            raise StoreError(
                f"{self.path}: the store was opened by the parent process", hint="open it again after the fork"
            )

    def reader(self) -> apsw.Connection:
        """A new reading connection, which the caller closes.

        Raises:
            MissingFileError: the file, its log or its index is not what was opened any more, so that another file would
                be read.
        """
        self.check()
        try:
            connection = self.connections.reader()
        except StoreError as error:
            self._explain(error)
            raise
        try:
            self._presence.check()
        except BaseException:
            connection.close(True)
            raise
        return connection

    def _explain(self, error: StoreError) -> None:
        """Raise what says more of a read that failed: the file is not there any more, or was closed meanwhile."""
        if self._cut_short(error):
            raise StoreError(
                f"{self.path} was closed while a read waited for another process", hint="open it again"
            ) from error.__cause__
        if is_environment(error):
            self._presence.check()

    def _cut_short(self, error: StoreError) -> bool:
        """Whether closing ended a wait for another process."""
        return self._waiting.ended and is_locked(error)

    def stop_waiting(self) -> None:
        """Let nothing wait for another process any more, but for a moment."""
        self._waiting.end()

    def close(self) -> None:
        """Close every connection; those in use close when they come back. Twice is harmless.

        A write that is being made is waited for; a write or a read that waits for another process is refused.
        """
        if self._closed or os.getpid() != self._process:
            return
        self._refuse_nesting()
        self.stop_waiting()
        with self._lock, self._pool:
            self._closed = True
            idle, self._idle = self._idle, []
            writer, self._writer = self._writer, None
            for connection in idle:
                connection.raw.close(True)
            if writer is not None:
                self._fold(writer)
                writer.close(True)

    def _fold(self, writer: apsw.Connection) -> None:
        """Fold the log in, unless what is beside the file now is somebody else's.

        Where the file itself was replaced, it goes into the one that is held, so that it is not taken for the log of
        the file that is there now.
        """
        foreign = self._presence.foreign()
        if foreign:
            writer.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            log.warning(
                "%s was removed or replaced while %s was open: the log is not folded in, for that might undo what "
                "other processes stored; what this process stored last may be lost",
                foreign,
                self.path,
            )
            return
        if self._presence.replaced():
            log.warning(
                "%s was removed or replaced while it was open: what this process stored since is not in the file "
                "that is there now",
                self.path,
            )
        checkpoint(writer)

    def _refuse_nesting(self) -> None:
        if self._owner == threading.get_ident():
            raise StoreError(
                f"{self.path}: a write began inside another write of the same thread",
                hint="use the transaction that is open",
            )

    def _take(self, shape: Shape | None) -> ReadConnection:
        self.check()
        with self._pool:
            for place in range(len(self._idle) - 1, -1, -1):
                if shape is None or self._idle[place].shape == shape:
                    return self._idle.pop(place)
            if len(self._idle) >= self._readers:
                return self._idle.pop(0)
        return ReadConnection(self.reader())

    def _give_back(self, connection: ReadConnection) -> None:
        with self._pool:
            if not self._closed and len(self._idle) < self._readers:
                self._idle.append(connection)
                return
        connection.raw.close(True)
