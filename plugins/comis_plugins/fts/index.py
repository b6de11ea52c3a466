"""The FTS5 table and how it follows the change log."""

from __future__ import annotations

from collections.abc import Sequence

from comis_core.errors import StoreError
from comis_core.model import Memory
from comis_core.protocols import BuildContext, Change, Check, Transaction
from comis_core.specs import Migration
from comis_core.text import Analyser
from comis_plugins.fts.fields import FieldReader, Fields

LAYOUT = 1
"""Raise when the same memory gives other rows than before."""
PUNCTUATION = "".join(sign for sign in map(chr, range(33, 127)) if not sign.isalnum())


def _quoted(text: str, quote: str) -> str:
    return quote + text.replace(quote, quote * 2) + quote


TOKENIZER = f"ascii tokenchars {_quoted(PUNCTUATION, chr(39))}"
"""Tokens arrive analysed: FTS5 only parts them at spaces."""
TABLE = f"""
CREATE VIRTUAL TABLE fts_text USING fts5(
  scope, title, speaker, date, content, tags,
  content='', contentless_delete=1, tokenize={_quoted(TOKENIZER, '"')})
"""
VOCABULARY = "CREATE VIRTUAL TABLE fts_vocabulary USING fts5vocab('fts_text', 'row')"
"""term, doc: in how many rows a token stands. A view of `fts_text`, it keeps nothing of its own."""
MIGRATIONS = (Migration("0001_text", TABLE), Migration("0002_vocabulary", VOCABULARY))
INSERT = "INSERT INTO fts_text(rowid, scope, title, speaker, date, content, tags) VALUES(?, ?, ?, ?, ?, ?, ?)"
DELETE = "DELETE FROM fts_text WHERE rowid = ?"
MISSING = "SELECT count(*), min(pk) FROM memories WHERE pk NOT IN (SELECT id FROM fts_text_docsize)"
STRANGERS = "SELECT count(*), min(id) FROM fts_text_docsize WHERE id NOT IN (SELECT pk FROM memories)"


def version(context: BuildContext) -> str:
    """What the rows depend on beside the memories: the layout and the analyser."""
    return f"{LAYOUT}-{context.text.fingerprint_id}"


def build(context: BuildContext) -> FtsIndex:
    """The index of an engine."""
    return FtsIndex(context.text)


def scope_token(scope: int) -> str:
    """The token under which a scope's rows are found."""
    return f"s{scope}"


class FtsIndex:
    """Keeps `fts_text` in step with the memories. Every version has a row until it is deleted."""

    def __init__(self, analyser: Analyser) -> None:
        self._reader = FieldReader(analyser)

    def prepare(self, memories: Sequence[Memory]) -> Sequence[Fields]:
        """Analyse the texts, before the write lock."""
        return [self._reader.read(memory) for memory in memories]

    def apply(self, tx: Transaction, changes: Sequence[Change]) -> None:
        """Add and delete rows; what hides a version (an update, an eviction) is the business of `visible`."""
        added = [self._row(change) for change in changes if change.operation == "add" and change.memory is not None]
        if added:
            tx.executemany(INSERT, added)
        deleted = [(change.pk,) for change in changes if change.operation == "delete"]
        if deleted:
            tx.executemany(DELETE, deleted)

    def _row(self, change: Change) -> tuple[int | str, ...]:
        fields = change.prepared
        if not isinstance(fields, Fields):
            assert change.memory is not None
            fields = self._reader.read(change.memory)
        return (
            change.pk, scope_token(change.scope), fields.title, fields.speaker, fields.date, fields.content, fields.tags
        )  # fmt: skip

    def optimise(self, tx: Transaction) -> None:
        """Rewrite the index so that the words of deleted rows leave the file; until then FTS5 only marks them."""
        tx.execute("INSERT INTO fts_text(fts_text) VALUES('optimize')")

    def clear(self, tx: Transaction) -> None:
        """Empty the table."""
        tx.execute("INSERT INTO fts_text(fts_text) VALUES('delete-all')")

    def check(self, db: Transaction) -> Check:
        """Whether every memory has its row and can be found by it, no other row is there, and FTS5 finds no damage."""
        problems = []
        for words, sql in (("without a row", MISSING), ("of no memory", STRANGERS)):
            ((count, first),) = db.execute(sql)
            if count:
                problems.append(f"fts_text: {count} {words}, first pk {first}")
        try:
            # As a pragma the check is no write, so that it works on a file that nobody may write.
            damage = [words for (words,) in db.execute("PRAGMA integrity_check(fts_text)") if words != "ok"]
            problems += [f"fts_text: {words}" for words in damage]
            problems += [] if problems else _unfindable(db)
        except StoreError as error:
            problems.append(f"fts_text: {error.message}")
        return Check(problems=tuple(problems))


def _unfindable(db: Transaction) -> list[str]:
    """Scopes whose token finds too few rows: FTS5's own check takes an emptied structure for a sound one."""
    problems = []
    for scope, rows in list(db.execute("SELECT scope, count(*) FROM memories GROUP BY scope")):
        match = f'scope : "{scope_token(scope)}"'
        ((found,),) = db.execute("SELECT count(*) FROM fts_text WHERE fts_text MATCH ?", (match,))
        if found != rows:
            problems.append(f"fts_text: finds {found} of the {rows} rows of scope {scope}")
    return problems
