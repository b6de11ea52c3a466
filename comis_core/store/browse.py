"""Paging through a scope, newest first."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Mapping
from typing import Any

from comis_core.errors import ComisError
from comis_core.protocols import Snapshot
from comis_core.store.rows import MEMORY_COLUMNS

MAX_PAGE = 1_000
_PLACE = struct.Struct(">qq")
_CHECK = struct.Struct(">I")


def page(
    reader: Snapshot, limit: int, cursor: str | None, equal: Mapping[str, str | None]
) -> tuple[list[tuple[Any, ...]], str | None]:
    """One page of the snapshot's visible rows by record time, newest first, and the cursor of the next.

    A page begins where the last one ended, whatever was stored or deleted in between.

    Args:
        limit: 1..1000.
        equal: column -> value it must have; None = any.

    Raises:
        ComisError: a limit out of range, or a cursor that no page gave.
    """
    if not 1 <= limit <= MAX_PAGE:
        raise ComisError(f"limit must lie in 1..{MAX_PAGE}, not {limit}")
    wanted = {name: value for name, value in equal.items() if value is not None}
    conditions = [f"{name} = ?" for name in wanted]
    bindings: list[Any] = list(wanted.values())
    if cursor is not None:
        conditions.append("(created_at, pk) < (?, ?)")
        bindings += decode(cursor)
    where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    sql = f"SELECT {MEMORY_COLUMNS} FROM visible_scan {where}ORDER BY created_at DESC, pk DESC LIMIT ?"
    rows = list(reader.execute(sql, (*bindings, limit + 1)))
    following = encode(rows[limit - 1][9], rows[limit - 1][0]) if len(rows) > limit else None
    return rows[:limit], following


def encode(created_at: int, pk: int) -> str:
    """The cursor after a row."""
    place = _PLACE.pack(created_at, pk)
    return base64.urlsafe_b64encode(place + _CHECK.pack(binascii.crc32(place))).decode().rstrip("=")


def decode(cursor: str) -> tuple[int, int]:
    """(created_at, pk) of a cursor. Raises ComisError when no page gave it."""
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        place, check = raw[: _PLACE.size], raw[_PLACE.size :]
        if _CHECK.pack(binascii.crc32(place)) != check:
            raise ValueError("checksum")
        created_at, pk = _PLACE.unpack(place)
    except (ValueError, TypeError, struct.error) as error:
        raise ComisError(f"{cursor!r} is no cursor of a page", hint="pass the last page's cursor unchanged") from error
    return created_at, pk
