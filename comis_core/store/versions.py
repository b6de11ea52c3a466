"""Versions of a memory: an update closes the row and opens a new one under the same id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import attrs

from comis_core.errors import ComisError, MemoryRejected, NotFoundError
from comis_core.model import Annotation, Memory, NewMemory, Scope, Trust, to_microseconds
from comis_core.protocols import Transaction
from comis_core.store import changes
from comis_core.store.annotations import close_annotations, insert_annotations, open_annotations, unspoken
from comis_core.store.identity import to_bytes
from comis_core.store.rows import INSERT_MEMORY, MEMORY_COLUMNS, to_row
from comis_core.store.validation import checked, checked_annotations, sound_annotations
from comis_core.text import fingerprint

CHANGEABLE = frozenset({
    "content", "title", "type", "trust", "sender", "channel", "session", "turn", "tags", "key", "occurred_at",
    "expires_at", "pinned", "proof_count", "confidence", "importance", "source_ids",
})  # fmt: skip
"""What `update` may change; id, scope and created_at are the memory's for good."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Replacement:
    """What an update brings besides the changed fields.

    annotations: what caller or model say from now on; None = what they said moves along.
    extracted: what extractors found in the new text; None = what they found before moves along, unless the text
    changed.
    """

    annotations: Sequence[Annotation] | None = None
    extracted: Sequence[Annotation] | None = None

    @classmethod
    def of(cls, annotations: Sequence[Annotation] | None, extracted: Sequence[Annotation] | None) -> Replacement:
        """A checked replacement. Raises MemoryRejected."""
        return cls(
            annotations=None if annotations is None else checked_annotations(annotations),
            extracted=None if extracted is None else sound_annotations(extracted),
        )

    @property
    def empty(self) -> bool:
        """Whether it brings nothing."""
        return self.annotations is None and self.extracted is None


def not_found(scope: Scope, id: str) -> NotFoundError:
    """The error for an id that the scope does not have."""
    return NotFoundError(f"{scope} has no memory {id}", hint="ids are UUIDs as `store` returned them")


def find(reader: Transaction, scope: int, id: str, as_of: int | None = None) -> tuple[Any, ...] | None:
    """The row (`MEMORY_COLUMNS`) that is open, or was open at a moment (epoch microseconds); None if there is none."""
    number = to_bytes(id)
    if as_of is None:
        sql = f"SELECT {MEMORY_COLUMNS} FROM memories WHERE id = ? AND closed_at IS NULL AND scope = ?"
        return next(reader.execute(sql, (number, scope)), None)
    sql = (
        f"SELECT {MEMORY_COLUMNS} FROM memories WHERE id = ? AND opened_at <= ? AND scope = ? "
        "AND (closed_at IS NULL OR closed_at > ?) ORDER BY opened_at DESC, pk DESC LIMIT 1"
    )
    return next(reader.execute(sql, (number, as_of, scope, as_of)), None)


def open_row(reader: Transaction, scope: int, name: Scope, id: str) -> tuple[Any, ...]:
    """The row that is open. Raises NotFoundError."""
    row = find(reader, scope, id)
    if row is None:
        raise not_found(name, id)
    return row


def history(reader: Transaction, scope: int, id: str) -> list[tuple[Any, ...]]:
    """Every version's row, oldest first."""
    sql = f"SELECT {MEMORY_COLUMNS} FROM memories WHERE id = ? AND scope = ? ORDER BY opened_at, pk"
    return list(reader.execute(sql, (to_bytes(id), scope)))


def changed(memory: Memory, fields: Mapping[str, Any], now: datetime, *, allow_system: bool) -> Memory:
    """The next version, checked by the rules for new memories.

    Raises:
        ComisError: a field that cannot be changed.
        MemoryRejected: a rule is broken, or a system memory is to be changed without `allow_system`.
    """
    unknown = sorted(set(fields) - CHANGEABLE)
    if unknown:
        raise ComisError(
            f"{', '.join(unknown)} cannot be changed", hint=f"what can be: {', '.join(sorted(CHANGEABLE))}"
        )
    if memory.trust is Trust.SYSTEM and not allow_system:
        raise MemoryRejected("a memory of trust 'system' is changed by an administrator only")
    kept = {name: getattr(memory, name) for name in CHANGEABLE}
    new = checked(NewMemory(**{**kept, **fields}), 0, allow_system=allow_system)
    values = {name: getattr(new, name) for name in CHANGEABLE}
    return attrs.evolve(
        memory, **values, fingerprint=fingerprint(new.content), opened_at=max(now, memory.opened_at), closed_at=None
    )


def same(memory: Memory, former: Memory) -> bool:
    """Whether a version says just what its predecessor says."""
    return memory == attrs.evolve(former, opened_at=memory.opened_at)


def replace(transaction: Transaction, scope: int, row: Sequence[Any], memory: Memory, replacement: Replacement) -> int:
    """Close the open row and write `memory` as the next version; its primary key.

    Raises:
        MemoryRejected: an annotation points outside the scope.
    """
    now = to_microseconds(memory.opened_at)
    pk, number = row[0], row[1]
    said = _said(transaction, pk, replacement, text_changed=(row[-1], row[-4]) != (memory.content, memory.title))
    transaction.execute("UPDATE memories SET closed_at = ? WHERE pk = ?", (now, pk))
    close_annotations(transaction, pk, now)
    ((successor,),) = transaction.execute(f"{INSERT_MEMORY} RETURNING pk", (None, *to_row(memory, number, scope)))
    insert_annotations(transaction, scope, successor, said, now)
    changes.record(transaction, scope, [pk], "close")
    changes.record(transaction, scope, [successor], "add")
    return int(successor)


def _said(transaction: Transaction, pk: int, replacement: Replacement, *, text_changed: bool) -> tuple[Annotation, ...]:
    before = open_annotations(transaction, pk)
    spoken = replacement.annotations
    if spoken is None:
        spoken = [annotation for annotation in before if annotation.origin != "extractor"]
    found = replacement.extracted
    if found is None:
        found = [] if text_changed else [annotation for annotation in before if annotation.origin == "extractor"]
    else:
        found = unspoken(found, spoken)
    return (*spoken, *found)
