"""Dates that stand for themselves: "5 May 2023", "in May", "2023-05-08", "8/5/2023", "2023年5月8日", "summer 2021"."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping

from comis_plugins.query_understanding.times.calendar import Span, a_day, a_month, a_year
from comis_plugins.query_understanding.times.expression import (
    TO_DAY,
    TO_MONTH,
    TO_YEAR,
    Expression,
    Question,
    claimed,
)
from comis_plugins.query_understanding.times.today import Today
from comis_plugins.query_understanding.times.vocabulary import (
    CLEAR_MONTHS,
    FOREIGN_MONTHS,
    MONTHS,
    ORDINALS,
    SEASONS,
    VAGUE_MONTHS,
    alternatives,
)

Given = Mapping[str, str]
"""The named groups of a match that caught something."""

Reader = Callable[[Given, int | None, Today], Span | None]
"""The span that a match names. Its arguments: the groups, the year if any is said, today."""

_GOES_ON = re.compile(r"\s+[a-z]")


def stated_dates(question: Question, today: Today) -> list[Expression]:
    """Every stated date of a question, in order. A year that one date leaves out is the one that the others name."""
    found = sorted(claimed(_patterns(), question), key=lambda found: found[0].start())
    years = {year for match, _ in found if (year := _year(match)) is not None}
    common = years.pop() if len(years) == 1 else None
    expressions: list[Expression] = []
    for match, (reader, exactness) in found:
        last_end = expressions[-1].end if expressions else -1
        if not _is_a_date(match, question.text, last_end):
            continue
        given = {name: value for name, value in match.groupdict().items() if value is not None}
        year = _year(match)
        span = reader(given, common if year is None else year, today)
        if span is not None:
            start = min(match.start(name) for name in given if name != "joint")
            expressions.append(Expression(start, match.end(), span, exactness))
    return expressions


def _is_a_date(match: re.Match[str], text: str, last_end: int) -> bool:
    """Not where "and June" follows no date, nor where a small "may" is no month: "at 5 may come"."""
    groups = match.groupdict()
    if groups.get("joint") is not None and not 0 <= match.start() - last_end <= 1:
        return False
    if groups.get("name") != "may" or groups.get("day") is None or _year(match) is not None:
        return True
    is_bare = match[0].endswith("may") or match[0][-1:].isdigit()
    return text[match.start("name")] == "M" or not (is_bare and _GOES_ON.match(match.string, match.end()))


def _year(match: re.Match[str]) -> int | None:
    groups = match.groupdict()
    if groups.get("year") is not None:
        return int(match["year"])
    if groups.get("short") is None:
        return None
    return int(match["short"]) + (2000 if int(match["short"]) < 70 else 1900)


# -- readers


def _numeric_day(given: Given, year: int | None, today: Today) -> Span | None:
    """8/5/2023: the fifth of August where the month goes first and both can be one, else the eighth of May."""
    one, two = int(given["one"]), int(given["two"])
    month_first = two > 12 or (today.month_first and given.get("sign", "/") == "/" and one <= 12)
    month, day = (one, two) if month_first else (two, one)
    return None if year is None else a_day(year, month, day)


def _digits(given: Given, year: int | None, today: Today) -> Span | None:
    if year is None:
        return None
    if "month" not in given:
        return a_year(year)
    month = int(given["month"])
    return a_day(year, month, int(given["day"])) if "day" in given else a_month(year, month)


def _day_of_month(given: Given, year: int | None, today: Today) -> Span | None:
    month, first, last = _month(given["name"]), _number(given["day"]), _number(given.get("later", given["day"]))

    def days(year: int) -> Span | None:
        one, other = a_day(year, month, first), a_day(year, month, last)
        return None if one is None or other is None else one.joined(other)

    return today.nearest(days) if year is None else days(year)


def _named_month(given: Given, year: int | None, today: Today) -> Span | None:
    month = _month(given["name"])
    if year is not None:
        return a_month(year, month)
    return today.nearest(lambda year: a_month(year, month), given.get("which", ""))


def _season(given: Given, year: int | None, today: Today) -> Span | None:
    return None if year is None else season(year, given["season"], today)


def _year_alone(given: Given, year: int | None, today: Today) -> Span | None:
    return None if year is None else a_year(year)


def _day_alone(given: Given, year: int | None, today: Today) -> Span | None:
    return today.nearest_month_day(int(given["day"]))


def season(year: int, name: str, today: Today) -> Span | None:
    """The three months of the season that begins in a year; south of the equator half a year apart."""
    begins = (SEASONS[name] - 1 + (6 if today.southern else 0)) % 12
    first, last = a_month(year, begins + 1), a_month(year + (begins + 2) // 12, (begins + 2) % 12 + 1)
    return None if first is None or last is None else first.joined(last)


def _month(name: str) -> int:
    return MONTHS[name] if name in MONTHS else FOREIGN_MONTHS[name]


def _number(text: str) -> int:
    return int(text) if text.isdigit() else ORDINALS[text]


# -- patterns, over small letters

_MONTH = rf"(?P<name>{alternatives({**MONTHS, **FOREIGN_MONTHS})})\b"
_DAY = rf"(?P<day>\d{{1,2}}|{alternatives(ORDINALS)})(?:st|nd|rd|th|er|º|ª|\.)?"
_LATER_DAY = r"(?:\s*(?:-|–|—|to|and|until|till|through)\s*(?P<later>\d{1,2})(?:st|nd|rd|th)?)?"
_OF = r"(?:of\s+|de\s+|del\s+)?"
_YEAR = rf"(?:,?\s*{_OF}(?P<year>\d{{4}})(?!\d|:))?"
_WHICH = r"(?P<which>last|past|this|next|coming)"
_JOINT = r"(?P<joint>and|or|to|through)"
_LEAD = r"(?:in|during|of|since|by|until|till|before|after|between|from|early|late|mid)"
_NOT_A_VERB = r"(?!\s+(?:i|you|we|he|she|it|they|be|have|not|or\s+may)\b)"
_ALONE = r"(?<![\d./-])"
_ENDS = r"(?![-/.]?\d)"
_SIGN = r"(?P<sign>[-/.])"

PATTERNS: tuple[tuple[str, str, Reader, int], ...] = (
    ("numeric", rf"{_ALONE}(?P<year>\d{{4}}){_SIGN}(?P<month>\d\d?)(?P=sign)(?P<day>\d\d?){_ENDS}", _digits, TO_DAY),
    ("numeric", rf"{_ALONE}(?P<one>\d\d?){_SIGN}(?P<two>\d\d?)(?P=sign)(?P<year>\d{{4}}){_ENDS}", _numeric_day, TO_DAY),
    ("numeric", rf"{_ALONE}(?P<one>\d\d?)/(?P<two>\d\d?)/(?P<short>\d\d){_ENDS}", _numeric_day, TO_DAY),
    ("numeric", rf"{_ALONE}(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2]){_ENDS}", _digits, TO_MONTH),
    ("ideograph", r"(?P<year>\d{4})\s*年\s*(?P<month>\d\d?)\s*月\s*(?P<day>\d\d?)\s*[日号號]", _digits, TO_DAY),
    ("ideograph", r"(?P<year>\d{4})\s*年\s*(?P<month>\d\d?)\s*月", _digits, TO_MONTH),
    ("ideograph", r"(?P<year>\d{4})\s*年", _digits, TO_YEAR),
    ("month", rf"(?<![\w.:]){_DAY}{_LATER_DAY}(?:\s+(?:of|de|di))?[\s-]+{_MONTH}\.?{_YEAR}", _day_of_month, TO_DAY),
    ("month", rf"\b{_MONTH}\.?\s+(?:the\s+)?{_DAY}{_LATER_DAY}(?![\d:]|\s?[ap]\.?m\b){_YEAR}", _day_of_month, TO_DAY),
    ("month", rf"\b{_MONTH}\.?(?:,?\s+{_OF}(?P<year>\d{{4}})|\s+['’](?P<short>\d\d))\b", _named_month, TO_MONTH),
    ("month", rf"\b(?:{_WHICH}\s+)?(?P<name>{alternatives(CLEAR_MONTHS)})\b", _named_month, TO_MONTH),
    (
        "month",
        rf"\b(?:{_WHICH}|{_JOINT}|{_LEAD})[\s-]+(?P<name>{alternatives(VAGUE_MONTHS)})\b{_NOT_A_VERB}",
        _named_month,
        TO_MONTH,
    ),
    ("season", rf"\b(?P<season>{alternatives(SEASONS)})(?:\s+of)?\s+(?P<year>\d{{4}})\b", _season, TO_MONTH),
    (
        "digit",
        rf"\b(?:{_JOINT}|for|{_LEAD})(?:\s+the)?(?:\s+year)?[\s-]+(?P<year>1[5-9]\d\d|20\d\d)\b(?![-/.]\d)",
        _year_alone,
        TO_YEAR,
    ),
    ("digit", r"\bon\s+the\s+(?P<day>\d\d?)(?:st|nd|rd|th)\b", _day_alone, TO_DAY),
)  # fmt: skip
"""(trait that a question needs, pattern, reader, exactness), in the order in which they may claim a stretch."""


@functools.cache
def _patterns() -> tuple[tuple[str, re.Pattern[str], tuple[Reader, int]], ...]:
    return tuple((trait, re.compile(pattern), (reader, exactness)) for trait, pattern, reader, exactness in PATTERNS)
