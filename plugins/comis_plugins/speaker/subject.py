"""Whom a question is about, out of the participants that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from comis_core.model import Query
from comis_core.senders import Roles
from comis_core.text import fold_name
from comis_core.text.folding import casefold, fold

_CONJUNCTION = re.compile(r"(?:['’ʼ]s?)?\s*(?:,|&|\band\b|\bor\b)\s*(?:\b(?:and|or|both)\b\s*)?", re.IGNORECASE)


def subjects(query: Query, roles: Roles) -> Sequence[str]:
    """The senders whose own words are wanted, in every spelling that the scope has of them.

    One participant is the subject; an assistant is one, under whatever roles it speaks, unless its name is called.
    Of two, the first mentioned is ("What did Ana give Ben?"), unless they are joined
    ("What do Ana and Ben share?"): then both are. Three or more stand for nobody in particular.
    """
    people: dict[str, list[str]] = {}
    for sender in query.participants:
        kind = roles.machine(sender)
        called = kind and roles.is_named(sender) and is_named_in(query.text, [sender])
        people.setdefault(fold(casefold(sender)) if called or not kind else kind, []).append(sender)
    names = list(people)
    if not names or len(names) > 2:
        return ()
    if len(names) == 2 and _are_joined(fold(casefold(query.text)), *names):
        return query.participants
    return people[names[0]]


def is_named_in(text: str, senders: Iterable[str]) -> bool:
    """Whether a text has the name of one of the senders, and not only an I or a you."""
    said = fold_name(text)
    return any(_is_said(fold_name(sender), said) for sender in senders)


def _is_said(name: str, text: str) -> bool:
    """Whether a folded text has the name, as a word of its own where names are words: Al is not in "also"."""
    if not name.isascii():
        return name in text
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _are_joined(text: str, first: str, second: str) -> bool:
    """Whether a mention of the first is followed by nothing but a conjunction and the second."""
    at = text.find(first)
    while at >= 0:
        between = _CONJUNCTION.match(text, at + len(first))
        if between is not None and text.startswith(second, between.end()) and not text[at - 1 : at].isalnum():
            return True
        at = text.find(first, at + 1)
    return False
