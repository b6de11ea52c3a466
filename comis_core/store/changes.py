"""The change log: what slabs and indexes follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from comis_core.protocols import Change, Transaction

HORIZON = "changes"
"""Row of `watermarks` whose seq is the last change that was pruned: after it the log is complete."""

KEPT = 100_000
"""So many changes of a file are kept."""

_STEP = 2_000
"""At most so many are pruned by one write."""

Fetch = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]


def record(transaction: Transaction, scope: int, pks: Iterable[int], operation: str) -> None:
    """Append one line a memory version."""
    transaction.executemany(
        "INSERT INTO changes(scope, pk, operation) VALUES (?, ?, ?)", [(scope, pk, operation) for pk in pks]
    )


def changes_after(fetch: Fetch, scope: int, seq: int, last: int) -> list[Change] | None:
    """The scope's changes in (seq, last], or None when some of them are pruned or `seq` is ahead of the snapshot.

    Pruning spares each scope's last change: a reader that has applied up to a change that still stands has lost none.
    """
    if seq == last:
        return []
    if seq > last:
        return None
    horizon = fetch("SELECT seq FROM watermarks WHERE name = ?", (HORIZON,))
    if horizon and seq < horizon[0][0] and not fetch("SELECT 1 FROM changes WHERE seq = ? AND scope = ?", (seq, scope)):
        return None
    rows = fetch(
        "SELECT seq, pk, operation FROM changes WHERE scope = ? AND seq > ? AND seq <= ? ORDER BY seq",
        (scope, seq, last),
    )
    return [Change(seq=number, scope=scope, pk=pk, operation=operation) for number, pk, operation in rows]


def newest(transaction: Transaction) -> int:
    """Number of the file's last change, 0 for none."""
    ((seq,),) = transaction.execute("SELECT max(seq) FROM changes")
    return seq or 0


def begin_anew(transaction: Transaction) -> None:
    """After the log or the marks on it were lost: nobody may take what is left for the whole story."""
    transaction.execute(
        "INSERT INTO changes(scope, pk, operation) SELECT s.scope, coalesce(max(m.pk), 0), 'annotate' "
        "FROM scopes AS s LEFT JOIN memories AS m ON m.scope = s.scope "
        "WHERE NOT EXISTS (SELECT 1 FROM changes AS c WHERE c.scope = s.scope) GROUP BY s.scope"
    )
    transaction.execute(
        "REPLACE INTO watermarks SELECT ?, '', coalesce(min(seq), 1) - 1, 0, 0 FROM changes", (HORIZON,)
    )


def prune(transaction: Transaction, last: int) -> None:
    """Forget some of what lies more than `KEPT` changes back; each scope's last change stays."""
    horizon = next(transaction.execute("SELECT seq FROM watermarks WHERE name = ?", (HORIZON,)), (0,))[0]
    until = min(last - KEPT, horizon + _STEP)
    if until <= horizon:
        return
    touched = transaction.execute("SELECT DISTINCT scope FROM changes WHERE seq > ? AND seq <= ?", (horizon, until))
    for (scope,) in list(touched):
        transaction.execute(
            "DELETE FROM changes WHERE scope = ? AND seq <= ? AND seq < (SELECT max(seq) FROM changes WHERE scope = ?)",
            (scope, until, scope),
        )
    transaction.execute("REPLACE INTO watermarks VALUES (?, '', ?, 0, 0)", (HORIZON, until))
