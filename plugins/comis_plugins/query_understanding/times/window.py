"""From the time expressions of a question to one window: ranges, "before", "since", and which of several count."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from datetime import date, tzinfo

import attrs

from comis_core.model import TimeWindow, from_microseconds
from comis_plugins.query_understanding.times.calendar import days_later, midnight
from comis_plugins.query_understanding.times.expression import Expression, Question
from comis_plugins.query_understanding.times.relative import relative_dates
from comis_plugins.query_understanding.times.stated import stated_dates
from comis_plugins.query_understanding.times.today import Today
from comis_plugins.query_understanding.times.vocabulary import NUMBERS, WEEKDAYS, alternatives

PATTERNS: Mapping[str, str] = {
    "before": r"\b(?:before|prior\s+to|earlier\s+than)\s+(?:the\s+)?$",
    "until": r"\b(?:until|till|up\s+to|by|no\s+later\s+than)\s+(?:the\s+)?$",
    "after": r"\b(?:after|later\s+than|following)\s+(?:the\s+)?$",
    "since": r"\b(?:since|starting(?:\s+from)?)\s+(?:the\s+)?$",
    "near": rf"\b(?:(?P<count>\d{{1,3}}|{alternatives(NUMBERS)})\s+)?(?P<unit>day|week|month|year"
    rf"|{alternatives(WEEKDAYS)})s?\s+(?:(?P<before>before|prior\s+to|preceding)|after|following)\s+(?:the\s+)?$",
    "joint": r"\s*(?:to|and|until|till|through|-|–|—)\s*(?:the\s+)?",
    "range": r"\s*(?:to|until|till|through|-|–|—)\s*(?:the\s+)?",
    "lead": r"\b(?:between|from)\s+(?:the\s+)?$",
    "ahead": r"\b(?:will|won't|going\s+to|plan(?:s|ned|ning)?|scheduled|upcoming|shall|due)\b|['’]ll\b",
    "behind": r"\b(?:did|was|were|had|has|have|happened|been|said|told|went|(?!planned|scheduled)\w{3,}ed)\b",
}
"""Those that end in $ are looked for in front of an expression, joint and range between two."""

LEAD_LENGTH = 48
"""So many characters in front of an expression are looked at."""

UNIT_DAYS: Mapping[str, int] = {"day": 1, "week": 7, "month": 30, "year": 365}


@attrs.frozen
class Days:
    """First and last day; None is open."""

    first: date | None
    last: date | None

    @property
    def is_open(self) -> bool:
        """Whether it has no beginning or no end."""
        return self.first is None or self.last is None


@functools.cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(PATTERNS[name])


def window_of(question: Question, *, now: int, zone: tzinfo, zone_name: str, hard: bool) -> TimeWindow | None:
    """The window that a question names, or None; arguments as for `time_window`.

    Dates that stand for themselves go before those that count from today, exact ones before wider ones: "last week, as
    mentioned on 6 November 2023" is that day. What is left of several becomes the time from the first to the last.
    """
    low = question.low
    future = _pattern("ahead").search(low) is not None and _pattern("behind").search(low) is None
    today = Today(from_microseconds(now).astimezone(zone), zone_name, future)
    found = stated_dates(question, today) or relative_dates(question, today)
    return _on_the_time_line(_meant(low, found), zone, hard) if found else None


def _meant(text: str, found: Sequence[Expression]) -> Days:
    """What all expressions together name. text: in small letters."""
    ranges = _with_ranges(text, found)
    exactness = max(expression.exactness for expression, _ in ranges)
    every = [
        Days(expression.span.first, expression.span.last) if is_range else _opened(text, expression)
        for expression, is_range in ranges
        if expression.exactness == exactness
    ]
    closed = [days for days in every if not days.is_open]
    firsts = [days.first for days in closed or every if days.first is not None]
    lasts = [days.last for days in closed or every if days.last is not None]
    # Of open ones "after A and before B" holds both; closed ones reach from the first to the last.
    if closed:
        return Days(min(firsts), max(lasts))
    return Days(max(firsts, default=None), min(lasts, default=None))


def _with_ranges(text: str, found: Sequence[Expression]) -> list[tuple[Expression, bool]]:
    """The expressions, two that are joined to a range as one; and whether it is a range."""
    merged: list[tuple[Expression, bool]] = []
    for expression in found:
        if merged and _is_range(text, merged[-1][0], expression):
            earlier = merged.pop()[0]
            whole = Expression(
                earlier.start,
                expression.end,
                earlier.span.joined(expression.span),
                max(earlier.exactness, expression.exactness),
            )
            merged.append((whole, True))
        else:
            merged.append((expression, False))
    return merged


def _is_range(text: str, one: Expression, other: Expression) -> bool:
    if _pattern("range").fullmatch(text, one.end, other.start):
        return True
    lead = _pattern("lead").search(text[max(0, one.start - LEAD_LENGTH) : one.start])
    return lead is not None and _pattern("joint").fullmatch(text, one.end, other.start) is not None


def _opened(text: str, expression: Expression) -> Days:
    """An expression with the word in front of it: before, until, after, since; "the week before"."""
    lead = text[max(0, expression.start - LEAD_LENGTH) : expression.start]
    first, last = expression.span.first, expression.span.last
    near = _pattern("near").search(lead)
    if near is not None:
        return _near(near, first, last)
    if _pattern("before").search(lead):
        return Days(None, days_later(first, -1))
    if _pattern("until").search(lead):
        return Days(None, last)
    if _pattern("after").search(lead):
        return Days(days_later(last, 1), None)
    return Days(first, None) if _pattern("since").search(lead) else Days(first, last)


def _near(match: re.Match[str], first: date, last: date) -> Days:
    """So many days, weeks ... before or after; the day itself belongs to it, for that is when one tells of it."""
    unit, count = match["unit"], match["count"] or "1"
    number = int(count) if count.isdigit() else NUMBERS[count]
    is_before = match["before"] is not None
    if unit in WEEKDAYS:
        away = WEEKDAYS.index(unit) - (first if is_before else last).weekday()
        days = (-away) % 7 or 7 if is_before else away % 7 or 7
    else:
        days = number * UNIT_DAYS[unit]
    return Days(days_later(first, -days), last) if is_before else Days(first, days_later(last, days))


def _on_the_time_line(days: Days, zone: tzinfo, hard: bool) -> TimeWindow | None:
    """From the first midnight to the one after the last day, in the asker's zone.

    None if nothing limits it, and if a question contradicts itself: "before May, after May".
    """
    start = None if days.first is None else midnight(days.first, zone)
    after = None if days.last is None else days_later(days.last, 1)
    end = None if after is None else midnight(after, zone)
    if (start is None and end is None) or (start is not None and end is not None and start >= end):
        return None
    return TimeWindow(start=start, end=end, hard=hard)
