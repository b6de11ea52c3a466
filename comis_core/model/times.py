"""Times: timezone-aware `datetime` at the edges, UTC epoch microseconds (int) in arrays and in the store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from comis_core.errors import ComisError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
DAY = 86_400_000_000
"""Microseconds in a day."""
FIRST = (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
LAST = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
"""The moments that a datetime can show in UTC."""


def to_microseconds(moment: datetime) -> int:
    """UTC epoch microseconds of an aware datetime.

    Raises:
        ComisError: it is naive, or its UTC moment lies outside the years 1 to 9999.
    """
    if moment.tzinfo is UTC:  # nearly every one, and no such moment is outside the range
        return (moment - EPOCH) // MICROSECOND
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise ComisError(f"the time {moment.isoformat()} has no time zone", hint="pass an aware datetime")
    microseconds = (moment - EPOCH) // MICROSECOND
    if not FIRST <= microseconds <= LAST:
        raise ComisError(f"the time {moment.isoformat()} lies outside the years 1 to 9999 in UTC")
    return microseconds


def from_microseconds(moment: int) -> datetime:
    """The aware UTC datetime of epoch microseconds."""
    return EPOCH + timedelta(microseconds=int(moment))
