"""Spans of whole days in the asker's calendar, and their place on the time line."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, date, datetime, timedelta, tzinfo

import attrs

from comis_core.errors import ComisError
from comis_core.model import to_microseconds
from comis_core.model.shown import Compared

DAY = timedelta(days=1)
MONTHS_A_YEAR = 12


@attrs.frozen(eq=False, repr=False)
class Span(Compared):
    """The days from `first` to `last`, both included."""

    first: date
    last: date

    def joined(self, other: Span) -> Span:
        """From the earlier first day to the later last day."""
        return Span(min(self.first, other.first), max(self.last, other.last))


def a_day(year: int, month: int, day: int) -> Span | None:
    """One day; None where the calendar has no such day."""
    try:
        moment = date(year, month, day)
    except (ValueError, OverflowError):
        return None
    return Span(moment, moment)


def a_month(year: int, month: int) -> Span | None:
    """One month; None beyond the calendar."""
    if not MINYEAR <= year <= MAXYEAR or not 1 <= month <= MONTHS_A_YEAR:
        return None
    return Span(date(year, month, 1), last_of_month(year, month))


def a_year(year: int) -> Span | None:
    """One year; None beyond the calendar."""
    return Span(date(year, 1, 1), date(year, 12, 31)) if MINYEAR <= year <= MAXYEAR else None


def a_week(day: date, weeks: int = 0) -> Span | None:
    """The week, Monday to Sunday, so many weeks after the one of that day."""
    return shifted(Span(day, day), weeks * 7 - day.weekday(), 6)


def shifted(span: Span, days: int, longer: int = 0) -> Span | None:
    """The span so many days later, and longer by `longer` days; None beyond the calendar."""
    try:
        return Span(span.first + timedelta(days=days), span.last + timedelta(days=days + longer))
    except OverflowError:
        return None


def last_of_month(year: int, month: int) -> date:
    """The last day of a month."""
    if (year, month) == (MAXYEAR, MONTHS_A_YEAR):
        return date.max
    return date(year + month // MONTHS_A_YEAR, month % MONTHS_A_YEAR + 1, 1) - DAY


def months_later(day: date, months: int) -> date | None:
    """The same day so many months later, or the last one of a shorter month; None beyond the calendar."""
    year, month = divmod(day.year * MONTHS_A_YEAR + day.month - 1 + months, MONTHS_A_YEAR)
    if not MINYEAR <= year <= MAXYEAR:
        return None
    return date(year, month + 1, min(day.day, last_of_month(year, month + 1).day))


def days_later(day: date, days: float) -> date | None:
    """The day so many days later; None beyond the calendar."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None


def midnight(day: date, zone: tzinfo) -> int | None:
    """Epoch microseconds at which a day begins in a zone; None where the time line ends."""
    try:
        return to_microseconds(datetime(day.year, day.month, day.day, tzinfo=zone))
    except (OverflowError, ValueError, ComisError):
        return None


def is_southern(zone: tzinfo, year: int) -> bool:
    """Whether a zone's clocks are forward in January: there it is summer then."""
    january, july = (datetime(year, month, 1, 12, tzinfo=zone).dst() for month in (1, 7))
    return january is not None and july is not None and january > july
