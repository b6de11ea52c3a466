"""Taking memories away: for good (delete, clear) or out of sight (evict)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from comis_core.errors import MemoryRejected
from comis_core.model import TRUST_CODES, Trust
from comis_core.protocols import Transaction
from comis_core.store import changes
from comis_core.store.annotations import system_memories
from comis_core.store.identity import to_text

BATCH = 1_000
"""Memories cleared in one transaction, so that writers wait little."""


def check_permitted(transaction: Transaction, scope: int, ids: Sequence[bytes]) -> None:
    """Raise MemoryRejected if any of these memories is a system memory; `index` is its place among them."""
    protected = system_memories(transaction, scope, ids)
    for place, number in enumerate(ids):
        if number in protected:
            raise MemoryRejected(
                f"{to_text(number)} has the trust 'system' and is changed or removed by an administrator only",
                index=place,
                hint="engine.agent(name, admin=True), or --admin",
            )


def delete(transaction: Transaction, scope: int, ids: Iterable[bytes]) -> int:
    """Remove every version of these memories and all that hangs on them; how many memories there were.

    What other memories say about a deleted one (annotations with it as target, its id among their sources) goes too.
    The change log keeps numbers only. Tables with a foreign key on `memories(pk)` cascade.
    """
    gone: list[int] = []
    named: list[bytes] = []
    for number in ids:
        versions = list(transaction.execute("SELECT pk FROM memories WHERE id = ? AND scope = ?", (number, scope)))
        if versions:
            gone += [pk for (pk,) in versions]
            named.append(number)
    if not gone:
        return 0
    changes.record(transaction, scope, _forget_mentions(transaction, scope, named, set(gone)), "annotate")
    wanted = str(gone)
    transaction.execute("DELETE FROM outbox WHERE pk IN (SELECT value FROM json_each(?))", (wanted,))
    transaction.execute("DELETE FROM memories WHERE pk IN (SELECT value FROM json_each(?))", (wanted,))
    changes.record(transaction, scope, gone, "delete")
    return len(named)


def _forget_mentions(transaction: Transaction, scope: int, ids: Sequence[bytes], gone: set[int]) -> list[int]:
    """Take the ids out of other memories; the versions whose annotations changed."""
    touched: set[int] = set()
    for number in ids:
        sql = "DELETE FROM annotations WHERE target = ? AND scope = ? RETURNING pk"
        touched.update(pk for (pk,) in transaction.execute(sql, (number, scope)))
    transaction.execute(
        "UPDATE memories SET source_ids = (SELECT json_group_array(source.value) FROM json_each(source_ids) AS source "
        "WHERE source.value NOT IN (SELECT value FROM json_each(:ids))) "
        "WHERE scope = :scope AND source_ids <> '[]' AND EXISTS (SELECT 1 FROM json_each(source_ids) AS source "
        "WHERE source.value IN (SELECT value FROM json_each(:ids)))",
        {"ids": json.dumps([to_text(number) for number in ids]), "scope": scope},
    )
    return sorted(touched - gone)


def clear_some(transaction: Transaction, scope: int) -> int:
    """Delete up to `BATCH` of the scope's memories that are neither system nor pinned; how many."""
    rows = transaction.execute(
        "SELECT id FROM memories WHERE scope = ? AND closed_at IS NULL AND trust <> ? AND pinned = 0 LIMIT ?",
        (scope, TRUST_CODES[Trust.SYSTEM], BATCH),
    )
    return delete(transaction, scope, [number for (number,) in rows])


def evict(transaction: Transaction, scope: int, ids: Iterable[bytes], now: int) -> int:
    """Hide live memories from recall; how many were in sight."""
    sql = (
        "UPDATE memories SET evicted_at = ? WHERE id = ? AND scope = ? AND closed_at IS NULL AND evicted_at IS NULL "
        "RETURNING pk"
    )
    pks = [pk for number in ids for (pk,) in transaction.execute(sql, (now, number, scope))]
    changes.record(transaction, scope, pks, "evict")
    return len(pks)


def restore(transaction: Transaction, scope: int, ids: Iterable[bytes], now: int) -> int:
    """Undo `evict`; how many were hidden. That they were, and from when to when, is still known to record time."""
    hidden = (
        "SELECT pk, evicted_at FROM memories "
        "WHERE id = ? AND scope = ? AND closed_at IS NULL AND evicted_at IS NOT NULL"
    )
    periods = [row for number in ids for row in transaction.execute(hidden, (number, scope))]
    transaction.executemany(
        "INSERT OR IGNORE INTO evictions(pk, evicted_at, restored_at) VALUES (?, ?, ?)",
        [(pk, evicted_at, now) for pk, evicted_at in periods],
    )
    pks = [pk for pk, _ in periods]
    transaction.executemany("UPDATE memories SET evicted_at = NULL WHERE pk = ?", [(pk,) for pk in pks])
    changes.record(transaction, scope, pks, "restore")
    return len(pks)
