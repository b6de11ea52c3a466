"""The embedding spaces of a file: which there are, which memories have a vector in them, and whether that is sound."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import attrs

from comis_core.errors import StoreError
from comis_core.model.shown import Compared
from comis_core.protocols import Check, Transaction

_SPACE = "SELECT space, dimensions FROM spaces WHERE fingerprint = ?"

_MISSING = """
SELECT m.pk FROM memories AS m WHERE m.scope = ? AND m.pk > ? AND m.closed_at IS NULL AND m.evicted_at IS NULL
AND NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.space = ? AND v.scope = m.scope AND v.pk = m.pk)
ORDER BY m.pk LIMIT ?"""

_WITHOUT = """
SELECT wanted.value FROM json_each(?) AS wanted WHERE NOT EXISTS
(SELECT 1 FROM vectors AS v WHERE v.space = ? AND v.scope = ? AND v.pk = wanted.value)"""

_COVERED = """
SELECT count(*) FROM memories AS m WHERE m.scope = ? AND m.closed_at IS NULL AND m.evicted_at IS NULL
AND EXISTS (SELECT 1 FROM vectors AS v WHERE v.space = ? AND v.scope = m.scope AND v.pk = m.pk)"""

_UNSOUND = """
SELECT v.rowid, v.scope, v.pk FROM vectors AS v LEFT JOIN spaces AS s ON s.space = v.space
WHERE s.space IS NULL OR length(v.vector) <> 4 * s.dimensions
OR NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.pk = v.pk AND m.scope = v.scope)"""


class Statements(Protocol):
    """Anything that runs a reading statement: a snapshot or a transaction."""

    def execute(self, sql: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run one statement."""
        ...


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Space(Compared):
    """One embedding space of the file and how many memories have a vector in it."""

    fingerprint: str
    dimensions: int
    memories: int


class SpaceTables:
    """The tables `spaces` and `vectors`, but for the vectors themselves."""

    def spaces(self, reader: Statements, scope: int | None = None) -> list[Space]:
        """Every space of the file, with the number of memories (of one scope, if given) that have a vector in it."""
        counted = reader.execute(
            "SELECT s.fingerprint, s.dimensions, (SELECT count(DISTINCT v.pk) FROM vectors AS v "
            "WHERE v.space = s.space AND (?1 IS NULL OR v.scope = ?1)) FROM spaces AS s ORDER BY s.fingerprint",
            (scope,),
        )
        return [Space(fingerprint=name, dimensions=length, memories=count) for name, length, count in counted]

    def missing(self, reader: Statements, space: str, scope: int, limit: int, *, after: int = 0) -> list[int]:
        """Ids of at most `limit` live memories above `after` that have no vector in the space, ascending."""
        found = find_space(reader, space)
        number = -1 if found is None else found[0]
        return [pk for (pk,) in reader.execute(_MISSING, (scope, after, number, limit))]

    def lacking(self, reader: Statements, space: str, scope: int, ids: Sequence[int]) -> list[int]:
        """Those of `ids`, all of the scope, that have no vector in the space."""
        found = find_space(reader, space)
        if found is None:
            return list(ids)
        rows = reader.execute(_WITHOUT, (json.dumps(list(ids)), found[0], scope))
        return [pk for (pk,) in rows]

    def covered(self, reader: Statements, space: str, scope: int) -> int:
        """How many live memories of the scope have a vector in the space."""
        found = find_space(reader, space)
        if found is None:
            return 0
        ((count,),) = reader.execute(_COVERED, (scope, found[0]))
        return int(count)

    def check(self, db: Transaction) -> Check:
        """Compare the blobs with the memories and spaces they belong to."""
        questions = {
            "vectors of another length than their space": "SELECT count(*) FROM vectors AS v JOIN spaces AS s "
            "ON s.space = v.space WHERE length(v.vector) <> 4 * s.dimensions",
            "vectors of a space that is not there": "SELECT count(*) FROM vectors AS v "
            "WHERE NOT EXISTS (SELECT 1 FROM spaces AS s WHERE s.space = v.space)",
            "vectors without their memory": "SELECT count(*) FROM vectors AS v "
            "WHERE NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.pk = v.pk AND m.scope = v.scope)",
        }
        counts = {what: next(iter(db.execute(sql)))[0] for what, sql in questions.items()}
        return Check(problems=tuple(f"{count} {what}" for what, count in counts.items() if count))

    def mend(self, tx: Transaction) -> int:
        """Remove the vectors that `check` complains of; how many. What is missing then is embedded again."""
        rows = list(tx.execute(_UNSOUND))
        tx.executemany("INSERT INTO changes(scope, pk, operation) VALUES (?, ?, 'embed')", {row[1:] for row in rows})
        tx.executemany("DELETE FROM vectors WHERE rowid = ?", [row[:1] for row in rows])
        return len(rows)

    def drop_space(self, tx: Transaction, space: str) -> int:
        """Remove a space with all its vectors. Returns how many memories had one; 0 for an unknown space."""
        found = find_space(tx, space)
        if found is None:
            return 0
        gone = "SELECT scope, pk FROM vectors WHERE space = ? GROUP BY scope, pk"
        ((count,),) = tx.execute(f"SELECT count(*) FROM ({gone})", found[:1])
        tx.execute(f"INSERT INTO changes(scope, pk, operation) SELECT scope, pk, 'embed' FROM ({gone})", found[:1])
        tx.execute("DELETE FROM vectors WHERE space = ?", found[:1])
        tx.execute("DELETE FROM spaces WHERE space = ?", found[:1])
        return int(count)


def find_space(reader: Statements, fingerprint: str) -> tuple[int, int] | None:
    """Number and dimensions of a space; None when the file does not have it."""
    for space, dimensions in reader.execute(_SPACE, (fingerprint,)):
        return space, dimensions
    return None


def ensure_space(tx: Transaction, fingerprint: str, dimensions: int) -> int:
    """The space's number; made if there is none. Raises StoreError when it has other dimensions."""
    found = find_space(tx, fingerprint)
    if found is None:
        tx.execute("INSERT INTO spaces(fingerprint, dimensions) VALUES (?, ?)", (fingerprint, dimensions))
        ((space,),) = tx.execute("SELECT space FROM spaces WHERE fingerprint = ?", (fingerprint,))
        return int(space)
    if found[1] != dimensions:
        raise StoreError(
            f"the embedding space {fingerprint!r} has {found[1]} dimensions in this file, not {dimensions}",
            hint="an embedder's fingerprint must change with its dimensions",
        )
    return found[0]
