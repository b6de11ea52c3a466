"""Access to one file: opening it, the one write transaction, snapshots, and the indexes that follow each write."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from comis_core.model import Filters, Scope, to_microseconds
from comis_core.protocols import Clock, Index, Transaction
from comis_core.specs import Migration
from comis_core.store import changes, migrations, opening, views
from comis_core.store.connection import Connections
from comis_core.store.database import Database
from comis_core.store.faults import Translated
from comis_core.store.identity import IdMaker
from comis_core.store.indexes import Indexes, Prepared
from comis_core.store.reader import Kept, StoreReader
from comis_core.store.scopes import Scopes
from comis_core.store.transaction import Statements, end_reading

if TYPE_CHECKING:
    import apsw

    from comis_core.store.integrity import Damage

T = TypeVar("T")

_PROGRESS_STEPS = 20_000
"""Instructions of SQLite's machine between two looks at the deadline: about a millisecond."""


class Access:
    """One open file. Usable from any thread; several processes may open one file.

    Writes are serialised by a lock in this process and by SQLite among processes. A write inside a write of the same
    thread is refused.
    """

    def __init__(self, database: Database, clock: Clock, disabled: Mapping[str, str]) -> None:
        self.path = database.path
        self.read_only = database.read_only
        self.disabled: Mapping[str, str] = disabled
        """Owner of a migration set -> why its tables cannot be used."""
        self._database = database
        self._clock = clock
        self._ids = IdMaker(self._now)
        self._scopes = Scopes()
        self._indexes = Indexes(database)
        self._kept = Kept()
        self.newest = 0
        """Number of the file's last change, as the snapshot saw it that was taken last."""

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        clock: Clock,
        wal: bool = True,
        read_only: bool = False,
        synchronous: str = "NORMAL",
        readers: int = 4,
        migrations: Mapping[str, Sequence[Migration]] | None = None,
        on_connect: Callable[[apsw.Connection], None] | None = None,
    ) -> Self:
        """Open the file, or make it (0600, in a folder made 0700). A file that cannot be written opens for reading.

        Args:
            clock: where the record time of every write comes from.
            wal: write-ahead logging; False for file systems without shared memory.
            synchronous: NORMAL loses no consistency but perhaps the last commits when the power fails; FULL loses
                nothing.
            readers: how many reading connections are kept ready.
            migrations: owner -> its migration set. A set that fails or is newer than known is named in `disabled`.
            on_connect: called with every new connection (to load an extension, say).

        Raises:
            NotADatabaseError, NewerSchemaError, ReadOnlyError, StoreError: the file is as it was before.
        """
        connections = Connections(Path(path).absolute(), on_connect)
        database = opening.open_database(
            connections, wal=wal, read_only=read_only, synchronous=synchronous, readers=readers
        )
        try:
            return cls(database, clock, opening.migrate_plugins(database, migrations or {}))
        except BaseException:
            database.close()
            raise

    # -- transactions ----------------------------------------------------------------------------------------------

    def write(self, work: Callable[[Transaction], T], *, patience: float | None = None) -> T:
        """Run `work` in the one write transaction (BEGIN IMMEDIATE) and return what it returns.

        Attached indexes follow what `work` appended to the change log before it commits. Anything raised rolls
        everything back. Slow work belongs before it.

        patience: seconds after which waiting for others that write is given up; None waits as usual.

        Raises:
            ReadOnlyError, StoreError: the write could not be made; also when called inside another write.
        """
        return self._write(work, patience=patience)

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one read transaction over the whole file, without scope and views. Raises StoreError."""
        with self._database.state() as reader:
            return work(reader)

    def rehearse(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a write transaction that is undone, for checks that SQLite takes for writes.

        A file that is open for reading only is read instead. Raises StoreError.
        """
        if self.read_only:
            return self.read(work)
        with self._database.rehearsal() as transaction:
            return work(transaction)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """`write` as a context manager."""
        with self._database.transaction() as transaction:
            before = changes.newest(transaction)
            yield transaction
            self._indexes.follow(transaction, before, Prepared())

    def _write(
        self, work: Callable[[Statements], T], prepared: Prepared | None = None, *, patience: float | None = None
    ) -> T:
        with self._database.transaction(patience) as transaction:
            before = changes.newest(transaction)
            result = work(transaction)
            self._indexes.follow(transaction, before, prepared or Prepared())
        return result

    @contextmanager
    def snapshot(
        self,
        scope: Scope,
        *,
        now: int,
        filters: Filters,
        deadline: float | None = None,
        include_evicted: bool = False,
    ) -> Iterator[StoreReader]:
        """A read transaction on one scope, whose TEMP views hold exactly what `filters` permit.

        Args:
            now: epoch microseconds; what has expired by then is out of sight.
            deadline: `time.monotonic()` value at which statements of parts are interrupted.
            include_evicted: evicted memories are in sight too (for operators).
        """
        view = views.view_of(filters, include_evicted=include_evicted)
        with self._database.reading(view.shape) as connection:
            raw = connection.raw
            connection.show(view.shape)
            raw.execute("BEGIN")
            try:
                number = self._scopes.number(raw.execute, scope)
                raw.execute(views.SET_PARAMETERS, view.bindings(number, now))
                reader = StoreReader(raw, self.path, scope, number, view, now, self._kept, deadline)
                self.newest = reader.newest
                if deadline is not None:
                    raw.set_progress_handler(reader.expired, _PROGRESS_STEPS)
                try:
                    yield reader
                finally:
                    raw.set_progress_handler(None)
                    reader.end()
            finally:
                end_reading(raw)

    @contextmanager
    def _reading(self, scope: Scope) -> Iterator[tuple[Statements, int]]:
        """A connection for one statement or two, without views, and the scope's number."""
        with self._database.reading() as connection:
            reader = Statements(connection.raw, self.path)
            yield reader, self._scopes.number(reader.execute, scope)

    def migrate(self, migrations: Mapping[str, Sequence[Migration]]) -> Mapping[str, str]:
        """Bring further owners' tables up, one transaction a set; owner -> why its tables cannot be used."""
        self.disabled = {**self.disabled, **opening.migrate_plugins(self._database, migrations)}
        return self.disabled

    # -- indexes ---------------------------------------------------------------------------------------------------

    def attach(self, name: str, index: Index, version: str, *, patience: float | None = None) -> bool:
        """Keep a derived index up from now on. A new one, or one of another version, is empty until `catch_up`.

        patience: seconds after which a new one is left to `catch_up` altogether, because others are writing; None fails
        after the usual wait (StoreError).

        Returns whether it was not left to `catch_up`.
        """
        return self._indexes.attach(name, index, version, patience)

    def detach(self, name: str) -> None:
        """Keep a derived index up no longer; its rows stay."""
        self._indexes.detach(name)

    def known_indexes(self) -> set[str]:
        """The derived indexes that have rows in the file, whoever keeps them up."""
        return self._indexes.known()

    def catch_up(self, *, again: bool = True, patience: float | None = None) -> None:
        """Bring every attached index up to date, 1,000 rows a transaction; what fails is named in `pending`.

        Args:
            again: also one that has failed before.
            patience: seconds after which each transaction gives up the write lock (StoreError); None waits as usual.
        """
        self._indexes.catch_up(again=again, patience=patience)

    def migrated(self, owner: str) -> list[str]:
        """Names of the migrations of an owner that the file has seen, in the order of their application."""
        with self._database.state() as reader:
            return migrations.applied(reader, owner)

    def damage(self) -> Damage:
        """What SQLite's own check finds; it reads every page."""
        from comis_core.store import integrity

        # A connection of its own: the check of a full-text table believes what an older one remembers of its structure.
        reader = self._database.reader()
        try:
            with Translated(self.path):
                return integrity.damage(reader)
        finally:
            reader.close(True)

    def renew(self, tables: Collection[str], indexes: Collection[str]) -> list[str]:
        """Make derived tables anew, empty, and SQL indexes from their rows; what was made anew. See `renewal.renew`."""
        from comis_core.store import renewal

        with self._database.writing() as connection:
            return renewal.renew(connection, tables, indexes)

    def rebuild(self, name: str) -> str:
        """Empty an attached index and fill it again from the memories; why it could not be, "" when it could."""
        return self._indexes.rebuild(name)

    def pending(self) -> dict[str, str]:
        """Index -> why recalls may miss memories in it; empty when all are up to date."""
        return self._indexes.pending()

    def lagging(self) -> bool:
        """Whether a sound index has been filled and has not seen the last changes, which `catch_up` would mend."""
        return self._indexes.lagging()

    # -- the end --------------------------------------------------------------------------------------------------

    def stop_waiting(self) -> None:
        """Let no write wait for another process's lock any more, but for a moment; the file is about to be closed."""
        self._database.stop_waiting()

    def close(self) -> None:
        """Close the file; the last process to do so folds the log in. Twice is harmless.

        Writes of other threads come to their end first, but for those that wait for another process: these fail.
        """
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _now(self) -> int:
        return to_microseconds(self._clock.now())
