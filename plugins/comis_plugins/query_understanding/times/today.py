"""The day on which a question is asked, and which of many dates it then means."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, tzinfo
from functools import cached_property

import attrs

from comis_plugins.query_understanding.times.calendar import Span, a_day, is_southern, months_later

_MONTH_FIRST = (
    "America/New_York", "America/Detroit", "America/Kentucky/", "America/Indiana/", "America/Chicago",
    "America/Menominee", "America/North_Dakota/", "America/Denver", "America/Boise", "America/Phoenix",
    "America/Los_Angeles", "America/Anchorage", "America/Juneau", "America/Sitka", "America/Metlakatla",
    "America/Yakutat", "America/Nome", "America/Adak", "Pacific/Honolulu", "Asia/Manila", "US/",
)  # fmt: skip
"""Zones in which 8/5 is the fifth of August."""


@attrs.frozen(slots=False)
class Today:
    """The asker's day. future: whether the question looks ahead, so that an open date is the next one, not the last."""

    moment: datetime
    zone_name: str
    future: bool = False

    @property
    def zone(self) -> tzinfo:
        """The asker's time zone."""
        zone = self.moment.tzinfo
        assert zone is not None
        return zone

    @cached_property
    def day(self) -> date:
        """The asker's date."""
        return self.moment.date()

    @cached_property
    def southern(self) -> bool:
        """Whether it is summer in January there."""
        return is_southern(self.zone, self.day.year)

    @property
    def month_first(self) -> bool:
        """Whether 8/5 is the fifth of August there."""
        return self.zone_name.startswith(_MONTH_FIRST)

    def nearest(self, span_of: Callable[[int], Span | None], which: str = "") -> Span | None:
        """The span of the year that is meant.

        Args:
            span_of: the span in a given year.
            which: "last" and "past" mean one that is over, "next" and "coming" one that has not begun, "this" that of
                the current year; otherwise the latest that has begun, or the next one in a question that looks ahead.
        """
        year = self.day.year
        if which == "this":
            return span_of(year)
        spans = [span for number in range(year - 2, year + 3) if (span := span_of(number)) is not None]
        if which in ("next", "coming", "upcoming") or (self.future and not which):
            return next((span for span in spans if (span.first if which else span.last) > self.day), None)
        begun = [span for span in spans if (span.last < self.day if which else span.first <= self.day)]
        return begun[-1] if begun else None

    def nearest_month_day(self, day: int) -> Span | None:
        """The day of that number that is meant: the last one, or the next one in a question that looks ahead."""
        months = range(13) if self.future else range(0, -13, -1)
        for month in months:
            first = months_later(self.day.replace(day=1), month)
            span = None if first is None else a_day(first.year, first.month, day)
            if span is not None and (span.first >= self.day if self.future else span.first <= self.day):
                return span
        return None
