"""The derived table `lexical_postings`, and how it follows the change log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from comis_core.model import Memory
from comis_core.protocols import BuildContext, Change, Check, Transaction
from comis_core.specs import Migration
from comis_core.text import Analyser
from comis_plugins.lexical.fields import FieldReader
from comis_plugins.lexical.terms import SUB_LANES

if TYPE_CHECKING:
    from comis_plugins.lexical.packing import Packed

LAYOUT = 1
"""Raise when the same memory gives other rows than before."""

# Filed by scope, so that one small scope of a large file is read from few pages.
TABLE = """
CREATE TABLE lexical_postings(
  scope INTEGER NOT NULL, pk INTEGER NOT NULL REFERENCES memories(pk) ON DELETE CASCADE,
  stems_total INTEGER NOT NULL, prefixes_total INTEGER NOT NULL, trigrams_total INTEGER NOT NULL,
  stems BLOB NOT NULL, prefixes BLOB NOT NULL, trigrams BLOB NOT NULL,
  PRIMARY KEY(scope, pk)) WITHOUT ROWID;
CREATE INDEX lexical_memory ON lexical_postings(pk);
"""
MIGRATIONS = (Migration("0001_postings", TABLE),)

_INSERT = "INSERT OR REPLACE INTO lexical_postings VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_DELETE = "DELETE FROM lexical_postings WHERE scope = ? AND pk = ?"
_QUESTIONS = {
    "memories without a row": "SELECT count(*), min(m.pk) FROM memories AS m WHERE NOT EXISTS "
    "(SELECT 1 FROM lexical_postings AS p WHERE p.scope = m.scope AND p.pk = m.pk)",
    "rows without their memory": "SELECT count(*), min(p.pk) FROM lexical_postings AS p WHERE NOT EXISTS "
    "(SELECT 1 FROM memories AS m WHERE m.pk = p.pk AND m.scope = p.scope)",
    "rows whose terms are cut off": "SELECT count(*), min(pk) FROM lexical_postings WHERE "
    + " OR ".join(f"length({lane.name}) % {lane.size}" for lane in SUB_LANES),
}


def version(context: BuildContext) -> str:
    """What the rows depend on beside the memories: the layout and the analyser."""
    return f"{LAYOUT}-{context.text.fingerprint_id}"


def build(context: BuildContext) -> LexicalIndex:
    """The index of an engine."""
    return LexicalIndex(context.text)


class LexicalIndex:
    """Keeps `lexical_postings` in step with the memories. Every version has a row until it is deleted."""

    def __init__(self, analyser: Analyser) -> None:
        self._reader = FieldReader(analyser)

    def prepare(self, memories: Sequence[Memory]) -> Sequence[Packed]:
        """Analyse and pack, before the write lock."""
        from comis_plugins.lexical.packing import pack

        return pack([self._reader.read(memory) for memory in memories])

    def apply(self, tx: Transaction, changes: Sequence[Change]) -> None:
        """Add and delete rows; what hides a version (an update, an eviction) is no business of the table."""
        added = [change for change in changes if change.operation == "add" and change.memory is not None]
        if added:
            rows = zip(added, self._packed(added), strict=True)
            tx.executemany(_INSERT, [(each.scope, each.pk, *row.lengths, *row.blobs) for each, row in rows])
        deleted = [(change.scope, change.pk) for change in changes if change.operation == "delete"]
        if deleted:
            tx.executemany(_DELETE, deleted)

    def clear(self, tx: Transaction) -> None:
        """Empty the table."""
        tx.execute("DELETE FROM lexical_postings")

    def check(self, db: Transaction) -> Check:
        """Whether every memory has its row, no other row is there, and each holds whole words."""
        problems = []
        for what, sql in _QUESTIONS.items():
            ((count, first),) = db.execute(sql)
            if count:
                problems.append(f"lexical_postings: {count} {what}, first pk {first}")
        return Check(problems=tuple(problems))

    def _packed(self, added: Sequence[Change]) -> Sequence[Packed]:
        from comis_plugins.lexical.packing import Packed

        prepared = [each.prepared for each in added if isinstance(each.prepared, Packed)]
        if len(prepared) == len(added):
            return prepared
        return self.prepare([each.memory for each in added if each.memory is not None])
