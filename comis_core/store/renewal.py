"""Damaged tables and indexes made anew where nothing is lost by it.

SQLite can neither empty nor drop a table whose pages are damaged, for it would have to read them. So the damaged tree
is taken out of the schema without being looked at, and a new one is put into its place, in one transaction. The old
pages are left to the next VACUUM.
"""

from __future__ import annotations

from collections.abc import Collection

import apsw


def renew(connection: apsw.Connection, tables: Collection[str], indexes: Collection[str]) -> list[str]:
    """Make these tables anew, empty, and these indexes from the rows of their tables.

    Args:
        connection: one that may write, outside a transaction.
        tables: tables that are derived; of a virtual table its name or that of one of its own tables.
        indexes: SQL indexes whose tables are sound.

    Returns:
        What was made anew, by name.

    Raises:
        apsw.Error: nothing was changed.
    """
    whole = _with_virtual(connection, tables)
    schema = list(connection.execute("SELECT type, name, tbl_name, sql, rowid FROM sqlite_schema"))
    doomed = [row for row in schema if row[2] in whole or (row[0] == "index" and row[1] in indexes)]
    own = _owned(connection, whole)
    statements = [sql for kind, name, _, sql, _ in doomed if sql and not (kind == "table" and name in own)]
    if not statements:
        return []
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.pragma("writable_schema", "ON")
        connection.executemany("DELETE FROM sqlite_schema WHERE rowid = ?", [(row[-1],) for row in doomed])
        connection.pragma("writable_schema", "RESET")
        for statement in statements:
            connection.execute(statement)
        connection.execute("COMMIT")
    except BaseException:
        connection.pragma("writable_schema", "RESET")
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return sorted({name for kind, name, _, sql, _ in doomed if sql and name not in own})


def _with_virtual(connection: apsw.Connection, tables: Collection[str]) -> set[str]:
    """The tables with everything that hangs together with them: a virtual table and its own tables are one."""
    kinds = {name: kind for _, name, kind, *_ in connection.execute("PRAGMA main.table_list")}
    whole = set(tables)
    for virtual in [name for name, kind in kinds.items() if kind == "virtual"]:
        own = {name for name, kind in kinds.items() if kind == "shadow" and name.startswith(f"{virtual}_")}
        if whole & {virtual, *own}:
            whole |= {virtual, *own}
    return whole


def _owned(connection: apsw.Connection, tables: Collection[str]) -> set[str]:
    """Those of the tables that a virtual table makes for itself."""
    return {name for _, name, kind, *_ in connection.execute("PRAGMA main.table_list") if kind == "shadow"} & set(
        tables
    )
