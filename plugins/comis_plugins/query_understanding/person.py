"""The question as the person it is about would say it.

People speak of themselves in the first person, and a sentence encoder puts every turn that *calls* a name next to a
question that has the name in it. Asked "Where do I live?" it finds what Ana says of herself.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from comis_plugins.query_understanding.participants import Mention, people

ENGLISH = (
    r"['’](?:s|re|d|ll|ve)\b|n['’]t\b|\b(?:who|whose|what|when|where|which|why|how|is|are|was|were|did|does|has|have|had"
    r"|would|can|could|should|do|she|they|their|his|the|of|for|with|about|and)\b"
)
"""A question with one of these words is taken for English."""

_FIRST = (
    (r"\b(?:her|his|their)\b(?=\s+\w)", "my"),
    (r"\b(?:she|he|they)\b", "I"),
    (r"\b(?:hers|theirs)\b", "mine"),
    (r"\b(?:herself|himself|themselves|themself)\b", "myself"),
    (r"\b(?:him|them|her|his)\b", "me"),
)
_FIRST_AGREES = (
    (r"\b([Dd])oes I\b", r"\1o I"),
    (r"\b[Ii]s I\b", "am I"),
    (r"\b([Hh])as I\b", r"\1ave I"),
    (r"\bwere I\b", "was I"),
    (r"\bare I\b", "am I"),
    (r"\bI (?:is|are)\b", "I am"),
    (r"\bI has\b", "I have"),
    (r"\bI does\b", "I do"),
    (r"\bI were\b", "I was"),
)
_SECOND_AGREES = (
    (r"\byou has\b", "you have"),
    (r"\byou is\b", "you are"),
    (r"\b[Hh]as you\b", "have you"),
    (r"\b[Ii]s you\b", "are you"),
    (r"\b([Dd])oes you\b", r"\1o you"),
)
_PLURAL = ((r"\bthey\b", "we"), (r"\btheir\b", "our"), (r"\bthem\b", "us"))

_SAYING = r"\b(?:say|says|said|saying|tell|tells|told|telling|mention(?:s|ed|ing)?|talk(?:s|ed)?|speaks?|spoke)\b"
"""Verbs of saying: whatever repeats somebody's words has them, whoever the question is about."""

_CONJUNCTION = r"\s*(?:,|\band\b|\bor\b|&)\s*(?:\b(?:and|or)\b\s*)?"

Rules = tuple[tuple[re.Pattern[str], str], ...]


@functools.cache
def _rules() -> dict[str, Rules]:
    every = {
        "first": (_FIRST, re.IGNORECASE),
        "first agrees": (_FIRST_AGREES, 0),
        "second agrees": (_SECOND_AGREES, 0),
        "plural": (_PLURAL, re.IGNORECASE),
    }
    return {name: tuple((re.compile(old, flags), new) for old, new in rules) for name, (rules, flags) in every.items()}


@functools.cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(ENGLISH, re.IGNORECASE), re.compile(_CONJUNCTION, re.IGNORECASE)


@functools.cache
def _saying() -> re.Pattern[str]:
    return re.compile(_SAYING, re.IGNORECASE)


def without(text: str, mentions: Sequence[Mention]) -> str:
    """The text without these mentions and their possessive endings; the text itself if no word would be left."""
    rest = _replaced(text, mentions, lambda mention: " ")
    return rest if any(map(str.isalnum, rest)) else text


def without_saying(text: str) -> str:
    """The text of a question about somebody's words without the verbs of saying; English."""
    return _saying().sub(" ", text)


def dense_text(text: str, mentions: Sequence[Mention], *, addressed: bool = False) -> str:
    """What is embedded for a question that mentions people.

    One: in the first person. Two joined ("Ana and Ben"): in the first person plural. Two otherwise: the first mentioned
    says I and calls the other one you. Three or more: as it is. In another language than English names are left out.
    addressed: the first mentioned is whom the asker talks with, and is you; another one stays as he is called.
    """
    named = people(mentions)
    if not named or len(named) > 2:
        return text
    if not _patterns()[0].search(text):
        return without(text, mentions)
    if not any(map(str.isalnum, _replaced(text, mentions, lambda mention: " "))):
        return text
    if len(named) == 1 and addressed:
        return in_second_person(text, mentions)
    if len(named) == 1:
        return _in_first_person(_replaced(text, mentions, lambda mention: "my" if mention.is_possessive else "I"))
    plural = _plural(text, mentions)
    if plural is not None:
        return plural
    if addressed:
        return in_second_person(text, [mention for mention in mentions if mention.name is named[0]])
    return _addressed(text, mentions)


def in_second_person(text: str, mentions: Sequence[Mention]) -> str:
    """The text as it would be said to whom it mentions: "What did you say?"."""
    called = _replaced(text, mentions, lambda mention: "your" if mention.is_possessive else "you")
    return _applied("second agrees", called)


def _in_first_person(text: str) -> str:
    return _applied("first agrees", _applied("first", text))


def _plural(text: str, mentions: Sequence[Mention]) -> str | None:
    """The text with every joined pair as we or our; None when there is none."""
    pieces, done = [], 0
    for one, other in pairwise(mentions):
        joint = _patterns()[1].fullmatch(text, one.tail, other.start)
        if other.name is not one.name and joint is not None:
            pieces += [text[done : one.start], "our" if other.is_possessive else "we"]
            done = other.tail
    return _applied("plural", "".join(pieces) + text[done:]) if pieces else None


def _addressed(text: str, mentions: Sequence[Mention]) -> str:
    """The first mentioned speaks to the other."""
    first = mentions[0].name

    def pronoun(mention: Mention) -> str:
        if mention.name is first:
            return "my" if mention.is_possessive else "I"
        return "your" if mention.is_possessive else "you"

    return _in_first_person(_applied("second agrees", _replaced(text, mentions, pronoun)))


def _replaced(text: str, mentions: Sequence[Mention], by: Callable[[Mention], str]) -> str:
    pieces, done = [], 0
    for mention in mentions:
        pieces += [text[done : mention.start], by(mention)]
        done = mention.tail
    return "".join(pieces) + text[done:]


def _applied(rules: str, text: str) -> str:
    for pattern, replacement in _rules()[rules]:
        text = pattern.sub(replacement, text)
    return text
