"""The order in which things were said: the derived table `sequence`, and the arrays made from it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from comis_core.handles import Handles
from comis_core.model import Memory
from comis_core.protocols import Change, Check, SequenceArrays, SequenceService, Snapshot, Transaction
from comis_core.senders import Roles
from comis_core.store.turns import MARK_BITS, Row, Turns, turns_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

VERSION = "1"
"""Changes when the same text gets other marks, apart from its stem count, which is the analyser's."""

BUDGET_BYTES = 64 * 1024 * 1024
"""RAM for the sequences of all scopes together."""

QUESTION_MARKS = frozenset("?？﹖︖؟⸮፧꘏⁇⁈⁉‽꛷⳺⳻𑅃")
"""Question marks of the scripts that write them at the end: Latin, full width, Arabic, Ethiopic, Vai, Bamum ..."""

_GREEK_QUESTION_MARK = ";"
"""NFC turns the Greek question mark into a semicolon, so that it asks after a Greek letter only."""

_BEHIND = frozenset(("Pe", "Pf", "Pi", "So", "Sk", "Cf", "Mn", "Zs", "Cc"))
"""Categories that may follow a question mark: closing brackets, quotes, emoji and their joiners, white space."""

_QUOTES = frozenset("\"'!！`*_")

_RELOAD = 4
"""Everything is read anew when more than one in so many rows changed."""

_COLUMNS = "m.pk, m.session, m.sender, m.turn, m.created_at"

_ROWS = f"""
SELECT {_COLUMNS} FROM memories AS m INDEXED BY memories_scope
WHERE m.scope = ? AND m.closed_at IS NULL AND m.evicted_at IS NULL ORDER BY m.pk"""

_ROWS_OF = f"""
SELECT {_COLUMNS} FROM json_each(?2) AS wanted CROSS JOIN memories AS m ON m.pk = wanted.value
WHERE m.scope = ?1 AND m.closed_at IS NULL AND m.evicted_at IS NULL ORDER BY m.pk"""

_VISIBLE_ROWS = f"SELECT {_COLUMNS} FROM visible_scan AS m ORDER BY m.pk"

_MARK = f"s.pk << {MARK_BITS} | 4 * s.stems + 2 * s.asks + s.dated"

_MARKS = f"SELECT {_MARK} FROM sequence AS s WHERE s.scope = ? ORDER BY s.pk"

_MARKS_OF = f"""
SELECT {_MARK} FROM json_each(?2) AS wanted CROSS JOIN sequence AS s
  ON s.scope = ?1 AND s.pk = wanted.value ORDER BY s.pk"""


def ends_with_question(text: str) -> bool:
    """Whether the text ends with a question mark of any script; quotes, brackets and emoji may follow it."""
    for place in range(len(text) - 1, -1, -1):
        character = text[place]
        if character in QUESTION_MARKS:
            return True
        if character == _GREEK_QUESTION_MARK:
            return "GREEK" in unicodedata.name(text[:place].rstrip()[-1:] or " ", "")
        if character not in _QUOTES and not character.isspace() and unicodedata.category(character) not in _BEHIND:
            return False
    return False


@attrs.frozen(eq=False, repr=False)
class Marks:
    """What the table says of one content: its stem count, whether it ends with a question, whether it says when."""

    stems: int
    asks: bool
    dated: bool


class TurnSequence:
    """The sequence service (`protocols.SequenceService`) and the index that keeps its table (`protocols.Index`).

    The index is attached under the name "sequence" in the version `VERSION` and the analyser's fingerprint.

    Args:
        count_stems: how many stems a text has under the engine's analyser.
        budget_bytes: RAM for the arrays of all scopes.
    """

    def __init__(self, count_stems: Callable[[str], int], budget_bytes: int = BUDGET_BYTES) -> None:
        self._count_stems = count_stems
        self._handles: Handles[Turns] = Handles(budget_bytes)

    # -- the service

    def arrays(self, snapshot: Snapshot, roles: Roles | None = None) -> SequenceArrays:
        """The scope's sequence as of the snapshot; hidden memories are nobody's neighbour.

        As long as nothing changes, the same arrays come back. roles: what `named` and `two_sided` follow from; None for
        an agent that says nothing of its senders. Nothing of them is stored: two agents may differ.
        """
        roles = Roles() if roles is None else roles
        if snapshot.historic:
            marks = _marks(snapshot, _MARKS, snapshot.scope)
            return turns_of(_rows(snapshot, _VISIBLE_ROWS), marks, roles).arrays
        key = (snapshot.scope, roles.assistants, roles.people)
        turns = self._handles.at(
            key,
            snapshot,
            load=lambda: turns_of(
                _rows(snapshot, _ROWS, snapshot.scope), _marks(snapshot, _MARKS, snapshot.scope), roles
            ),
            advance=lambda older, changes: _advance(snapshot, older, changes),
        )
        if not turns.complete:
            # The index catches up without a line in the change log, so what is missing must be looked for again.
            self._handles.forget(key)
        if snapshot.restricted:
            turns = turns.narrowed(snapshot.visible_ids())
        return turns.arrays

    def seen_with(self, roles: Roles) -> SequenceService:
        """The service for an agent that has these roles."""
        return _Seen(self, roles)

    # -- the index

    def prepare(self, memories: Sequence[Memory]) -> Sequence[Marks]:
        """Count and look outside the write lock."""
        return [self._marked(memory.content) for memory in memories]

    def apply(self, tx: Transaction, changes: Sequence[Change]) -> None:
        """Follow the change log."""
        added, gone = [], []
        for change in changes:
            if change.operation == "add" and change.memory is not None:
                marks = change.prepared if isinstance(change.prepared, Marks) else self._marked(change.memory.content)
                added.append((change.scope, change.pk, marks.stems, marks.asks, marks.dated))
            elif change.operation == "delete":
                gone.append((change.scope, change.pk))
        if added:
            tx.executemany(
                "INSERT OR REPLACE INTO sequence(scope, pk, stems, asks, dated) VALUES (?, ?, ?, ?, ?)", added
            )
        if gone:
            tx.executemany("DELETE FROM sequence WHERE scope = ? AND pk = ?", gone)

    def check(self, db: Transaction) -> Check:
        """Compare the table with the memories."""
        questions = {
            "memories without a sequence row": "SELECT count(*) FROM memories AS m WHERE NOT EXISTS "
            "(SELECT 1 FROM sequence AS s WHERE s.scope = m.scope AND s.pk = m.pk)",
            "sequence rows without their memory": "SELECT count(*) FROM sequence AS s WHERE NOT EXISTS "
            "(SELECT 1 FROM memories AS m WHERE m.pk = s.pk AND m.scope = s.scope)",
        }
        counts = {what: next(iter(db.execute(sql)))[0] for what, sql in questions.items()}
        return Check(problems=tuple(f"{count} {what}" for what, count in counts.items() if count))

    def clear(self, tx: Transaction) -> None:
        """Empty the table."""
        tx.execute("DELETE FROM sequence")

    def close(self) -> None:
        """Give the RAM back."""
        self._handles.clear()

    def _marked(self, content: str) -> Marks:
        from comis_core.text.dates import has_time_expression  # its word lists are for writing alone

        return Marks(self._count_stems(content), ends_with_question(content), has_time_expression(content))


@attrs.frozen(eq=False, repr=False)
class _Seen:
    """The sequence as one agent sees it."""

    sequence: TurnSequence
    roles: Roles

    def arrays(self, snapshot: Snapshot) -> SequenceArrays:
        """The scope's sequence as of the snapshot; hidden memories are nobody's neighbour."""
        return self.sequence.arrays(snapshot, self.roles)


def _rows(snapshot: Snapshot, sql: str, *bindings: Any) -> Iterator[Row]:
    return snapshot.execute(sql, bindings)


def _marks(snapshot: Snapshot, sql: str, *bindings: Any) -> NDArray[np.int64]:
    return np.fromiter(chain.from_iterable(snapshot.execute(sql, bindings)), np.int64)


def _advance(snapshot: Snapshot, turns: Turns, changes: Sequence[Change]) -> Turns | None:
    touched = sorted({change.pk for change in changes if change.operation not in ("embed", "annotate")})
    if not touched:
        return turns
    if len(touched) * _RELOAD > len(turns.ids) + 100:
        return None
    which = (snapshot.scope, json.dumps(touched))
    return turns.followed(touched, list(_rows(snapshot, _ROWS_OF, *which)), _marks(snapshot, _MARKS_OF, *which))
