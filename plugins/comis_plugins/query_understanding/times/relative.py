"""Expressions that count from today: "yesterday", "two weeks ago", "last Friday", "this year", "the past month"."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from datetime import date, timedelta

from comis_plugins.query_understanding.times.calendar import (
    Span,
    a_month,
    a_week,
    a_year,
    days_later,
    months_later,
)
from comis_plugins.query_understanding.times.expression import VAGUE, Expression, Question, claimed
from comis_plugins.query_understanding.times.stated import season
from comis_plugins.query_understanding.times.today import Today
from comis_plugins.query_understanding.times.vocabulary import NUMBERS, SEASONS, WEEKDAYS, alternatives

Reader = Callable[[re.Match[str], Today], Span | None]

_COUNT = rf"(?P<count>\d{{1,4}}|{alternatives(NUMBERS)}|(?:a\s+)?few|(?:a\s+)?couple(?:\s+of)?|several)"
_UNITS = r"(?P<unit>hour|day|week|fortnight|month|quarter|year|decade)s?"
_WHICH = r"(?P<which>last|past|previous|this|current|next|coming|upcoming)"

_VAGUE_COUNTS = {"few": (2.0, 5.0), "several": (3.0, 8.0), "couple": (1.5, 3.0)}
_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "fortnight": 14.0}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}

_NAMED_DAYS = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_LAST, _NEXT = ("last", "previous"), ("next", "coming", "upcoming")


def relative_dates(question: Question, today: Today) -> list[Expression]:
    """Every expression of a question that counts from today, in order."""
    read = ((match, reader(match, today)) for match, reader in claimed(_patterns(), question))
    found = [Expression(match.start(), match.end(), span, VAGUE) for match, span in read if span is not None]
    return sorted(found, key=lambda expression: expression.start)


@functools.cache
def _patterns() -> tuple[tuple[str, re.Pattern[str], Reader], ...]:
    """(trait that a question needs, pattern over small letters, reader), in the order of their claims."""
    periods = rf"day|week|weekend|fortnight|month|quarter|year|decade|{alternatives(SEASONS)}|{alternatives(WEEKDAYS)}"
    patterns: tuple[tuple[str, str, Reader], ...] = (
        ("", r"\bday\s+before\s+yesterday\b", lambda match, today: _day(today, -2)),
        ("", r"\bday\s+after\s+tomorrow\b", lambda match, today: _day(today, 2)),
        ("", r"\blast\s+night\b", lambda match, today: _from_to(today, -1, 0)),
        ("", r"\bthis\s+(?:morning|afternoon|evening)\b", lambda match, today: _day(today, 0)),
        ("", rf"\b{alternatives(_NAMED_DAYS)}\b", lambda match, today: _day(today, _NAMED_DAYS[match[0]])),
        ("", rf"\b{_COUNT}\s+{_UNITS}\s+ago\b", lambda match, today: _away(match, today, -1)),
        ("", rf"\b{_COUNT}\s+{_UNITS}\s+from\s+now\b", lambda match, today: _away(match, today, 1)),
        ("", rf"\b(?:last|past|previous)\s+{_COUNT}\s+{_UNITS}\b", lambda match, today: _stretch(match, today, -1)),
        ("", rf"\b(?:next|coming)\s+{_COUNT}\s+{_UNITS}\b", lambda match, today: _stretch(match, today, 1)),
        ("", rf"\b{_WHICH}\s+(?P<period>{periods})\b(?!-)", _period),
        ("", r"\b(?:over|at|on|during)\s+the\s+weekend\b", lambda match, today: _weekend(today, _step(today))),
        ("weekday", rf"(?<!\bevery\s)(?<!\beach\s)\b(?P<period>{alternatives(WEEKDAYS)})\b", _weekday_alone),
    )
    return tuple((trait, re.compile(pattern), reader) for trait, pattern, reader in patterns)


def _step(today: Today) -> int:
    return 0 if today.future else -1


def _day(today: Today, days: int) -> Span | None:
    return _from_to(today, days, days)


def _from_to(today: Today, first: float, last: float) -> Span | None:
    """The days from one distance to another, in either order."""
    ends = days_later(today.day, min(first, last)), days_later(today.day, max(first, last))
    return None if ends[0] is None or ends[1] is None else Span(ends[0], ends[1])


def _count(match: re.Match[str]) -> tuple[float, float]:
    """(least, most) of a count: "two" is around two, "a few" is two to five."""
    text = match["count"]
    for word, bounds in _VAGUE_COUNTS.items():
        if word in text:
            return bounds
    number = int(text) if text.isdigit() else NUMBERS[text]
    return number - 0.5, number + 0.5


def _away(match: re.Match[str], today: Today, sign: int) -> Span | None:
    """So long ago, give or take half a unit; a number of days is that day."""
    unit, (least, most) = match["unit"], _count(match)
    if unit == "hour":
        moment = today.moment + sign * timedelta(hours=(least + most) / 2)
        return Span(moment.date(), moment.date())
    if unit == "day" and most - least == 1.0:
        return _day(today, sign * round((least + most) / 2))
    return _between(today.day, unit, sign * least, sign * most)


def _stretch(match: re.Match[str], today: Today, sign: int) -> Span | None:
    """The whole time up to so long ago or ahead, today included."""
    least, most = _count(match)
    return _between(today.day, match["unit"], 0.0, sign * (least + most) / 2)


def _between(day: date, unit: str, one: float, other: float) -> Span | None:
    """From one number of units away to another."""
    ends = [_reckoned(day, unit, distance) for distance in sorted((one, other))]
    return None if ends[0] is None or ends[1] is None else Span(ends[0], ends[1])


def _reckoned(day: date, unit: str, distance: float) -> date | None:
    """The day that many units away; half a month is 15 days."""
    if unit in _DAYS:
        return days_later(day, int(distance * _DAYS[unit]))
    months = distance * _MONTHS[unit]
    whole = months_later(day, int(months))
    return None if whole is None else days_later(whole, round(30 * (months - int(months))))


def _period(match: re.Match[str], today: Today) -> Span | None:
    which, period = match["which"], match["period"]
    if period in WEEKDAYS:
        return _weekday(today, which, WEEKDAYS.index(period))
    if period in SEASONS:
        which = "last" if which in _LAST else "next" if which in _NEXT else which
        return today.nearest(lambda year: season(year, period, today), which)
    if which == "past":
        return _between(today.day, "week" if period == "weekend" else period, -1.0, 0.0)
    step = -1 if which in _LAST else 1 if which in _NEXT else 0
    return _weekend(today, step) if period == "weekend" else _calendar_period(today, period, step)


def _calendar_period(today: Today, period: str, step: int) -> Span | None:
    """The day, week, month ... of the calendar that many steps from today's."""
    day = today.day
    if period == "day":
        return _day(today, step)
    if period == "week":
        return a_week(day, step)
    if period == "fortnight":
        return _between(day, "fortnight", float(min(step, 0)), float(max(step, 0)))
    if period == "year":
        return a_year(day.year + step)
    if period == "decade":
        first, last = (a_year(day.year - day.year % 10 + 10 * step + years) for years in (0, 9))
        return None if first is None or last is None else first.joined(last)
    months = day.year * 12 + day.month - 1 + step
    if period == "month":
        return a_month(months // 12, months % 12 + 1)
    months = day.year * 12 + (day.month - 1) // 3 * 3 + 3 * step
    first, last = (a_month((months + further) // 12, (months + further) % 12 + 1) for further in (0, 2))
    return None if first is None or last is None else first.joined(last)


def _weekend(today: Today, weeks: int) -> Span | None:
    """Saturday and Sunday of the week that many weeks away; on a Monday "last weekend" was the day before yesterday."""
    week = a_week(today.day, weeks)
    return None if week is None else Span(week.last - timedelta(days=1), week.last)


def _weekday(today: Today, which: str, weekday: int) -> Span | None:
    """Last Friday is the latest before today, next Friday the first after today, this Friday that of the week."""
    ahead = (weekday - today.day.weekday()) % 7
    if which in _NEXT:
        return _day(today, ahead or 7)
    if which in ("this", "current"):
        return _day(today, weekday - today.day.weekday())
    return _day(today, ahead - 7)


def _weekday_alone(match: re.Match[str], today: Today) -> Span | None:
    """The latest such day, today included, or the next one in a question that looks ahead."""
    ahead = (WEEKDAYS.index(match["period"]) - today.day.weekday()) % 7
    return _day(today, ahead if today.future or not ahead else ahead - 7)
