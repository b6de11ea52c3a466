"""Times: timezone-aware `datetime` at the edges, UTC epoch microseconds (int) in arrays and in the store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from comis_core.errors import ComisError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
DAY = 86_400_000_000
"""Microseconds in a day."""


def to_microseconds(moment: datetime) -> int:
    """UTC epoch microseconds of an aware datetime. Raises ComisError for a naive one."""
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise ComisError(f"the time {moment.isoformat()} has no time zone", hint="pass an aware datetime")
    return (moment - EPOCH) // MICROSECOND


def from_microseconds(moment: int) -> datetime:
    """The aware UTC datetime of epoch microseconds."""
    return EPOCH + timedelta(microseconds=int(moment))
