"""Named migration sets, one transaction a set, recorded in the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import apsw

from comis_core.specs import Migration
from comis_core.store.faults import Translated
from comis_core.store.files import APPLICATION_ID, refuse_newer
from comis_core.store.schema import MIGRATIONS
from comis_core.store.transaction import Statements

CORE = "core"
_RECORD = """CREATE TABLE migrations(
  owner TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY(owner, name)) WITHOUT ROWID"""


def migrate_core(connection: apsw.Connection, path: Path) -> None:
    """Make or upgrade the core's tables.

    Raises:
        NewerSchemaError: the file knows more migrations than this version; nothing is written.
    """
    with Translated(path):
        applied = connection.pragma("user_version")
        if applied == len(MIGRATIONS):
            return
        refuse_newer(path, applied, len(MIGRATIONS))
        connection.execute("BEGIN EXCLUSIVE")
        try:
            _bring_up(connection, path)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _bring_up(connection: apsw.Connection, path: Path) -> None:
    """Inside the exclusive lock, where another process may have been first."""
    applied = connection.pragma("user_version")
    refuse_newer(path, applied, len(MIGRATIONS))
    if not applied:
        connection.pragma("application_id", APPLICATION_ID)
        connection.execute(_RECORD)
    transaction = Statements(connection, path)
    _apply(transaction, CORE, MIGRATIONS[applied:], applied)
    connection.pragma("user_version", len(MIGRATIONS))


def migrate_owner(transaction: Statements, owner: str, migrations: Sequence[Migration]) -> str:
    """Bring one owner's tables up.

    Returns:
        Why the owner must be disabled; empty when all is well.
    """
    recorded = applied(transaction, owner)
    reason = newer(owner, recorded, migrations)
    if not reason:
        _apply(transaction, owner, [step for step in migrations if step.name not in recorded], len(recorded))
    return reason


def applied(transaction: Statements, owner: str) -> list[str]:
    """Names of the owner's migrations in the file, in the order of their application."""
    rows = transaction.execute("SELECT name FROM migrations WHERE owner = ? ORDER BY position", (owner,))
    return [name for (name,) in rows]


def newer(owner: str, recorded: Sequence[str], migrations: Sequence[Migration]) -> str:
    """Why the recorded migrations are too new for the owner; empty when they are not."""
    unknown = sorted(set(recorded) - {step.name for step in migrations})
    if not unknown:
        return ""
    return f"the tables of {owner!r} were written by a newer version of it (unknown: {', '.join(unknown)})"


def _apply(transaction: Statements, owner: str, steps: Sequence[Migration], position: int) -> None:
    for place, step in enumerate(steps, start=position):
        if callable(step.apply):
            step.apply(transaction)
        else:
            transaction.script(step.apply)
        transaction.execute("INSERT INTO migrations VALUES (?, ?, ?)", (owner, place, step.name))
