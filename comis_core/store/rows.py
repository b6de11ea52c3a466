"""Rows of the tables and the records that they become."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from comis_core.model import (
    TRUST_CODES,
    TRUSTS,
    TYPE_CODES,
    TYPES,
    Annotation,
    Memory,
    Scope,
    from_microseconds,
    to_microseconds,
)
from comis_core.store.identity import to_text
from comis_core.store.views import ANNOTATION_COLUMNS, VERSION_COLUMNS

MEMORY_COLUMNS = ", ".join(VERSION_COLUMNS)
INSERT_MEMORY = f"INSERT INTO memories({MEMORY_COLUMNS}) VALUES ({', '.join('?' * len(VERSION_COLUMNS))})"
STATEMENT_COLUMNS = ", ".join(ANNOTATION_COLUMNS)
INSERT_ANNOTATION = (
    f"INSERT INTO annotations({', '.join(ANNOTATION_COLUMNS[1:])}) "
    f"VALUES ({', '.join('?' * (len(ANNOTATION_COLUMNS) - 1))})"
)


def to_memory(row: Sequence[Any], scope: Scope) -> Memory:
    """The record of a row with `MEMORY_COLUMNS`."""
    (
        _, number, _, kind, trust, sender, channel, session, turn, created_at, created_given, occurred_at, expires_at,
        evicted_at, opened_at, closed_at, pinned, proof_count, confidence, importance, _, fingerprint, key, title, tags,
        source_ids, content,
    ) = row  # fmt: skip
    return Memory(
        id=to_text(number),
        scope=scope,
        content=content,
        type=TYPES[kind],
        trust=TRUSTS[trust],
        created_at=from_microseconds(created_at),
        created_given=bool(created_given),
        opened_at=from_microseconds(opened_at),
        closed_at=None if closed_at is None else from_microseconds(closed_at),
        title=title,
        sender=sender,
        channel=channel,
        session=session,
        turn=turn,
        tags=_tuple(tags),
        key=key,
        occurred_at=None if occurred_at is None else from_microseconds(occurred_at),
        expires_at=None if expires_at is None else from_microseconds(expires_at),
        evicted_at=None if evicted_at is None else from_microseconds(evicted_at),
        pinned=bool(pinned),
        proof_count=proof_count,
        confidence=confidence,
        importance=importance,
        source_ids=_tuple(source_ids),
        fingerprint=fingerprint,
    )


def to_row(memory: Memory, number: bytes, scope: int) -> tuple[Any, ...]:
    """What `INSERT_MEMORY` wants after the pk. number: the 16 bytes of the id; scope: the scope's number."""
    created, opened = memory.created_at, memory.opened_at
    created_at = to_microseconds(created)
    opened_at = created_at if opened is created else to_microseconds(opened)
    return (
        number, scope, TYPE_CODES[memory.type], TRUST_CODES[memory.trust], memory.sender, memory.channel,
        memory.session, memory.turn, created_at, int(memory.created_given), _moment(memory.occurred_at),
        _moment(memory.expires_at), _moment(memory.evicted_at), opened_at, _moment(memory.closed_at),
        int(memory.pinned), memory.proof_count,
        memory.confidence, memory.importance, len(memory.content), memory.fingerprint, memory.key, memory.title,
        _json(memory.tags), _json(memory.source_ids), memory.content,
    )  # fmt: skip


def to_annotation(row: Sequence[Any]) -> Annotation:
    """The record of a row with `STATEMENT_COLUMNS`; names as they were given."""
    _, _, _, kind, _, label, predicate, value, target, confidence, origin, occurred_at, _, _ = row
    return Annotation(
        kind=kind,
        name=label,
        predicate=predicate,
        value=value,
        target=None if target is None else to_text(target),
        confidence=confidence,
        origin=origin,
        occurred_at=None if occurred_at is None else from_microseconds(occurred_at),
    )


def _moment(moment: Any) -> int | None:
    return None if moment is None else to_microseconds(moment)


def _json(values: Sequence[str]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")) if values else "[]"


def _tuple(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))
