"""Whether the file is what it should be: SQLite's own checks, those of the truth, and what tables lie where."""

from __future__ import annotations

import re
from collections.abc import Mapping

import apsw
import attrs

from comis_core.protocols import Transaction
from comis_core.store.outbox import NEVER

TRUTH = frozenset({"scopes", "memories", "annotations", "evictions", "migrations", "sqlite_schema", "sqlite_sequence"})
"""Tables that nothing can be rebuilt from."""

_TREE = re.compile(r"\bTree (\d+)\b")
_INDEX = re.compile(r"\b(?:index|in index) (\w+)")

_TRUTH_QUESTIONS: Mapping[str, str] = {
    "memories of a scope that is not there": "SELECT count(*) FROM memories AS m "
    "WHERE NOT EXISTS (SELECT 1 FROM scopes AS s WHERE s.scope = m.scope)",
    "memories that were closed before they were opened": "SELECT count(*) FROM memories WHERE closed_at < opened_at",
    "memories without a fingerprint": "SELECT count(*) FROM memories WHERE length(fingerprint) <> 16",
    "annotations of a memory that is not there": "SELECT count(*) FROM annotations AS a "
    "WHERE NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.pk = a.pk)",
    "annotations filed under another scope than their memory": "SELECT count(*) FROM annotations AS a "
    "CROSS JOIN memories AS m ON m.pk = a.pk WHERE m.scope <> a.scope",
    "annotations that point at a memory which is not there": "SELECT count(*) FROM annotations AS a "
    "WHERE a.target IS NOT NULL AND NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.id = a.target)",
}

_OUTBOX_QUESTIONS: Mapping[str, str] = {
    "tasks for a memory that is not there": "SELECT count(*) FROM outbox AS o WHERE o.pk IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.pk = o.pk)",
    "tasks that cannot be read": "SELECT count(*) FROM outbox WHERE NOT json_valid(payload)",
    "tasks that failed too often": f"SELECT count(*) FROM outbox WHERE due = {NEVER}",
}


@attrs.frozen(kw_only=True)
class Damage:
    """What SQLite's own check found.

    complaints: in SQLite's words, by table. tables: whose rows are damaged. indexes: damaged SQL indexes, whose rows
    are whole in their tables; without those that stand and fall with their table (of a PRIMARY KEY or UNIQUE), which
    are in `keys`: index -> table.
    """

    complaints: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)
    tables: frozenset[str] = frozenset()
    indexes: frozenset[str] = frozenset()
    keys: Mapping[str, str] = attrs.field(factory=dict)


def damage(connection: apsw.Connection) -> Damage:
    """Read every page of every table and index. Raises apsw.Error when not even the list of tables can be read."""
    schema = list(connection.execute("SELECT type, name, tbl_name, rootpage FROM sqlite_schema"))
    roots = {root: (kind, name) for kind, name, _, root in schema if root}
    complaints: dict[str, tuple[str, ...]] = {}
    broken: set[tuple[str, str]] = set()
    for table in [name for kind, name, _, _ in schema if kind == "table"]:
        heard = _complaints(connection, table)
        if heard:
            complaints[table] = heard
            places = {place for line in heard if (place := _place(line, roots)) is not None}
            broken |= places or {("table", table)}
    indexes = {name: table for kind, name, table, _ in schema if kind == "index" and ("index", name) in broken}
    own = {name: table for name, table in indexes.items() if name.startswith("sqlite_autoindex_")}
    return Damage(
        complaints=complaints,
        tables=frozenset(name for kind, name in broken if kind == "table"),
        indexes=frozenset(indexes.keys() - own.keys()),
        keys=own,
    )


def dangling(reader: Transaction) -> dict[str, int]:
    """Table -> how many of its rows name a row of another table that is not there."""
    rows = reader.execute('SELECT "table", count(*) FROM pragma_foreign_key_check GROUP BY 1 ORDER BY 1')
    return dict(rows)


def truth(reader: Transaction) -> list[str]:
    """What does not fit together among memories and annotations."""
    return _asked(reader, _TRUTH_QUESTIONS)


def outbox(reader: Transaction) -> list[str]:
    """What does not fit together among the tasks."""
    return _asked(reader, _OUTBOX_QUESTIONS)


def unreadable_traces(reader: Transaction) -> int:
    """How many stored traces are no JSON."""
    ((count,),) = reader.execute("SELECT count(*) FROM traces WHERE NOT json_valid(record)")
    return int(count)


def forget_tasks(transaction: Transaction) -> int:
    """Remove the tasks that nobody can do: of memories that are gone, and unreadable ones."""
    rows = transaction.execute(
        "DELETE FROM outbox WHERE NOT json_valid(payload) OR pk IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.pk = outbox.pk) RETURNING task"
    )
    return len(list(rows))


def _asked(reader: Transaction, questions: Mapping[str, str]) -> list[str]:
    counts = {what: next(iter(reader.execute(sql)))[0] for what, sql in questions.items()}
    return [f"{count:,} {what}" for what, count in counts.items() if count]


def _complaints(connection: apsw.Connection, table: str) -> tuple[str, ...]:
    """What SQLite says of one table and its indexes; it may say something and then give up."""
    heard: list[str] = []
    try:
        for (text,) in connection.execute(f"PRAGMA integrity_check({quoted(table)})"):
            # Several complaints may come in one row, under a heading that names the database.
            heard += [line for line in str(text).splitlines() if line != "ok" and not line.startswith("***")]
    except (apsw.CorruptError, apsw.IOError, apsw.SQLError) as error:
        heard.append(str(error))
    return tuple(heard)


def quoted(name: str) -> str:
    """A name of the schema as SQL wants it."""
    return '"' + name.replace('"', '""') + '"'


def _place(complaint: str, roots: Mapping[int, tuple[str, str]]) -> tuple[str, str] | None:
    """("table" or "index", name) that a complaint is about, as far as it says."""
    tree = _TREE.search(complaint)
    if tree is not None:
        return roots.get(int(tree[1]))
    named = _INDEX.search(complaint)
    return next((place for place in roots.values() if named is not None and place == ("index", named[1])), None)
