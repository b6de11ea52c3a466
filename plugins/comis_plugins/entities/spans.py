"""Capitalised spans of a text, and how sure it is that each is a name."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from comis_core.model.shown import Compared
from comis_core.text import fold_name
from comis_plugins.entities.nouns import capitalises_nouns, follows_a_determiner
from comis_plugins.entities.scanning import capitalised
from comis_plugins.entities.words import around_dates, common, dates, function_words, leading, shouted, things

_CONTRACTED = frozenset(("m", "re", "ve", "ll", "d", "t"))
"""What stands behind the apostrophe of I'm, you're, don't: no name is written so."""
_GOES_ON = frozenset(",;)]}/&%$€£'\"”»")
"""Signs behind which a sentence goes on."""
_OPENS = " \t\"'(“„«[{*_`"
"""Signs that may stand between the end of a sentence and the first word of the next."""
_LONGEST_WORDS = 10
"""Words of a name."""
_LONGEST_CAPITALS = 6
"""Letters of an acronym; longer words all in capitals are shouted."""
_MEANING_NOTHING = ("ing", "ness", "tion", "tions")
"""Endings of common nouns and verb forms that open sentences."""


@attrs.frozen(eq=False, repr=False)
class Mention(Compared):
    """A name as it is written. sure: its capital can have no other reason, such as the beginning of a sentence."""

    name: str
    key: str
    """The folded name."""
    sure: bool = True


def spans(text: str) -> Iterator[Mention]:
    """The names that capitals show, in the order of the text. text: with plain apostrophes and spaces.

    A text without a small letter shows none.
    """
    if text == text.upper():
        return
    openers = common()
    nouns = None
    for found in capitalised(text):
        written = found[0]
        if written.lower() in openers:
            continue
        if " " not in written:
            nouns = capitalises_nouns(text) if nouns is None else nouns
            if nouns and follows_a_determiner(text, found.start()):
                continue
        opens = _opens_a_sentence(text, found.start())
        for words in _parted(written):
            yield from _named(words, opens)
            opens = False


def _opens_a_sentence(text: str, start: int) -> bool:
    while start and text[start - 1] in _OPENS:
        start -= 1
    if not start:
        return True
    before = text[start - 1]
    return not (before.isalnum() or before in _GOES_ON)


def _parted(written: str) -> Iterator[list[str]]:
    """The words of a span, parted where a possessive or a contraction ends a name."""
    words = written.split()
    if "'" not in written and "I" not in words:
        yield words
        return
    run: list[str] = []
    for word in words:
        head, apostrophe, tail = word.rpartition("'")
        if (apostrophe and tail in _CONTRACTED) or word == "I":
            yield run
            run = []
        elif apostrophe and tail in ("s", ""):
            yield [*run, head]
            run = []
        else:
            run.append(word)
    yield run


def _named(words: list[str], opens: bool) -> Iterator[Mention]:
    """The name in a run of words, if there is one. opens: the first of them opens a sentence."""
    alone, openers = opens, leading() if opens else function_words("english")
    while words and (words[0].lower() if words[0].isascii() else fold_name(words[0])) in openers:
        words, alone = words[1:], False
    if words and (words[0].islower() or words[-1].islower()):
        words = _without_joiners(words)
    if not words or len(words) > _LONGEST_WORDS:
        return
    name = " ".join(words)
    if "." in name:
        name = " ".join([word.replace(".", "") if word[-1:] == "." or word[1:2] == "." else word for word in words])
    key = fold_name(name)
    if len(words) > 1:
        if not is_a_date(key) and not _is_shouted(words):
            yield Mention(name, key)
    elif _may_be_a_name(name, key):
        yield Mention(name, key, sure=not alone or _has_inner_sign(name))


def _without_joiners(words: list[str]) -> list[str]:
    start, end = 0, len(words)
    while start < end and words[start].islower():
        start += 1
    while start < end and words[end - 1].islower():
        end -= 1
    return words[start:end]


def is_a_date(key: str) -> bool:
    """Whether a folded name is made of dates, numbers and what stands around them."""
    return all(word in dates() or word in around_dates() or not word.strip("0123456789.,:/-") for word in key.split())


def _is_shouted(words: list[str]) -> bool:
    if not all(word.isupper() for word in words):
        return False
    return len(words) > 2 or any(fold_name(word) in common() for word in words)


def _may_be_a_name(name: str, key: str) -> bool:
    if len(key) < 2 or key in dates() or key in common():
        return False
    if name.isupper() and name.isalpha():
        return len(name) <= _LONGEST_CAPITALS and key not in shouted()
    return key not in function_words()


def _has_inner_sign(name: str) -> bool:
    """Capitals or digits inside, which no word has for opening a sentence."""
    rest = name[1:]
    if rest.isalpha() and rest.islower():
        return False
    return any(sign.isupper() or sign.isdigit() for sign in rest)


def is_a_plain_word(key: str) -> bool:
    """Whether a word that has a capital only where it opens a sentence is more likely no name."""
    return key.endswith(_MEANING_NOTHING) or (len(key) > 8 and key.endswith("ly")) or key in things()
