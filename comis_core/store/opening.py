"""From a path to a database that is ready: probed, made or upgraded, or opened for reading only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw
import attrs

from comis_core.errors import ComisError, ReadOnlyError, StoreError
from comis_core.specs import Migration
from comis_core.store import files, migrations
from comis_core.store.connection import Connections, set_journal
from comis_core.store.database import Database
from comis_core.store.faults import is_environment, translate
from comis_core.store.presence import log_of
from comis_core.store.schema import MIGRATIONS
from comis_core.store.transaction import Statements


def open_database(connections: Connections, *, wal: bool, read_only: bool, synchronous: str, readers: int) -> Database:
    """Open or make the file; one that cannot be written is opened for reading.

    Raises:
        NotADatabaseError, NewerSchemaError, ReadOnlyError, StoreError: the file is as it was.
    """
    path = connections.path
    if readers < 1:
        raise ComisError(f"readers must be at least 1, not {readers}")
    exists = files.inspect(path, len(MIGRATIONS))
    if read_only or (exists and not files.writable(path)):
        return _for_reading(connections, exists, readers)
    if not exists:
        files.create(path)
    writer = connections.writer(synchronous=synchronous)
    try:
        migrations.migrate_core(writer, path)
        set_journal(writer, path, wal=wal)
    except BaseException:
        # The file stays as it is, its log too: closing must not fold it in.
        writer.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        writer.close(True)
        raise
    return Database(connections, writer, readers=readers)


def _for_reading(connections: Connections, exists: bool, readers: int) -> Database:
    path = connections.path
    if not exists:
        raise StoreError(f"there is no database at {path}", hint="open it for writing once to make one")
    if not _lockable(connections):
        connections = attrs.evolve(connections, immutable=True)
    database = Database(connections, None, readers=readers)
    try:
        with database.reading() as connection:
            applied = connection.raw.pragma("user_version")
        files.refuse_newer(path, applied, len(MIGRATIONS))
        if applied < len(MIGRATIONS):
            raise ReadOnlyError(
                f"{path} has the tables of an older version and cannot be upgraded while it is read-only",
                hint="open it for writing once",
            )
    except BaseException:
        database.close()
        raise
    return database


def _lockable(connections: Connections) -> bool:
    """Whether the file can be read the ordinary way, with the locks and the log that writers need."""
    path = connections.path
    connection = connections.reader()
    try:
        connection.execute("SELECT 1 FROM scopes LIMIT 1").fetchall()
    except (apsw.CantOpenError, apsw.ReadOnlyError) as error:
        log = log_of(path)
        if log.exists() and log.stat().st_size:
            raise ReadOnlyError(
                f"{path} has a log that must be folded in first, and its folder cannot be written",
                hint="open it for writing once",
            ) from error
        return False
    except apsw.Error as error:
        raise translate(error, path) from error
    finally:
        connection.close(True)
    return True


def migrate_plugins(database: Database, sets: Mapping[str, Sequence[Migration]]) -> dict[str, str]:
    """Bring every owner's tables up, one transaction a set; owner -> why it must be disabled."""
    reasons = {}
    for owner, steps in sets.items():
        reason = _migrate(database, owner, steps)
        if reason:
            reasons[owner] = reason
    return reasons


def _migrate(database: Database, owner: str, steps: Sequence[Migration]) -> str:
    with database.reading() as connection:
        recorded = migrations.applied(Statements(connection.raw, database.path), owner)
    missing = [step.name for step in steps if step.name not in recorded]
    reason = migrations.newer(owner, recorded, steps)
    if reason or not missing:
        return reason
    if database.read_only:
        return f"the tables of {owner!r} are not there yet and the file is read-only (missing: {', '.join(missing)})"
    try:
        with database.transaction() as transaction:
            return migrations.migrate_owner(transaction, owner, steps)
    except Exception as error:
        if isinstance(error, ComisError) and is_environment(error):
            raise
        return f"the tables of {owner!r} could not be made: {error}"
