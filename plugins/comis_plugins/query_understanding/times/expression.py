"""Time expressions in a text: what was asked, and how patterns claim stretches of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TypeVar

import attrs

from comis_core.model.shown import Compared
from comis_plugins.query_understanding.times.calendar import Span
from comis_plugins.query_understanding.times.vocabulary import FOREIGN_MONTHS, MONTHS, SEASONS, TRIGGERS, WEEKDAYS

T = TypeVar("T")

TO_DAY, TO_MONTH, TO_YEAR, VAGUE = 3, 2, 1, 0
"""How exact an expression is; in a question with several the most exact ones count."""

_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_NUMERIC = re.compile(r"\d[-/.]\d")


@attrs.frozen(eq=False, repr=False)
class Expression(Compared):
    """text[start:end] names `span`."""

    start: int
    end: int
    span: Span
    exactness: int


@attrs.frozen(slots=False, eq=False, repr=False)
class Question(Compared):
    """The text of a question. low: the same in small letters, place by place, which patterns read."""

    text: str

    @cached_property
    def low(self) -> str:
        """The text in small letters, as long as the text."""
        low = self.text.lower()
        if len(low) == len(self.text):
            return low
        return "".join(small if len(small := character.lower()) == 1 else character for character in self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words in small letters."""
        return frozenset(_WORD.findall(self.low))

    @cached_property
    def traits(self) -> frozenset[str]:
        """What there is in it that patterns need: digit, numeric (8/5), ideograph, month, season, weekday."""
        marks = {
            "": True,
            "digit": _DIGIT.search(self.low) is not None,
            "numeric": _NUMERIC.search(self.low) is not None,
            "ideograph": "年" in self.low,
            "month": not (MONTHS.keys() | FOREIGN_MONTHS.keys()).isdisjoint(self.words),
            "season": not SEASONS.keys().isdisjoint(self.words),
            "weekday": not self.words.isdisjoint(WEEKDAYS),
        }
        return frozenset(mark for mark, is_there in marks.items() if is_there)

    @property
    def may_say_when(self) -> bool:
        """Whether it can have a time expression at all."""
        return not TRIGGERS.isdisjoint(self.words) or "digit" in self.traits


def claimed(
    patterns: Iterable[tuple[str, re.Pattern[str], T]], question: Question
) -> Iterator[tuple[re.Match[str], T]]:
    """What the patterns find in a question; a stretch that one has claimed is not looked at by the next.

    patterns: (trait of the question without which it finds nothing, the pattern, what it stands for).
    """
    taken: list[tuple[int, int]] = []
    for trait, pattern, meaning in patterns:
        if trait in question.traits:
            for match in pattern.finditer(question.low):
                if all(match.end() <= start or match.start() >= end for start, end in taken):
                    taken.append(match.span())
                    yield match, meaning
