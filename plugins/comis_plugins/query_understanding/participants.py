"""Which senders of the scope a question names, and where."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs
import regex

from comis_core.model.shown import Compared, Shown
from comis_core.senders import Roles
from comis_core.text import Analyser
from comis_core.text.folding import casefold, fold
from comis_plugins.query_understanding.naming import WORDS, is_a_name

_POSSESSIVE = "'’ʼ"
_BINDERS = ("-", "_", "‐", "‑")


@attrs.frozen(repr=False)
class Name(Shown):
    """A person of the scope. words: the folded name. spellings: the senders that are written so."""

    words: tuple[str, ...]
    spellings: tuple[str, ...]
    is_word: bool
    """It is also a word of the language."""


@attrs.frozen(eq=False, repr=False)
class Mention(Compared):
    """text[start:end] is the name, text[end:tail] its possessive ending."""

    name: Name
    start: int
    end: int
    tail: int

    @property
    def is_possessive(self) -> bool:
        """Whether it says whose: "Ana's"."""
        return self.tail > self.end


@attrs.frozen(eq=False, repr=False)
class Names:
    """The named senders of a scope, by the first word of their name; names without word breaks apart."""

    spaced: Mapping[str, Sequence[Name]]
    unspaced: Sequence[Name]

    @classmethod
    def of(cls, senders: Iterable[str], analyser: Analyser, roles: Roles) -> Names:
        """From the senders of a scope; roles and senders without a letter or digit are left out."""
        people: dict[tuple[str, ...], list[str]] = {}
        for sender in sorted(senders):
            words = tuple(word for _, _, word in _words(sender))
            if words and roles.is_named(sender):
                people.setdefault(words, []).append(sender)
        spaced: dict[str, list[Name]] = {}
        unspaced = []
        for words, spellings in people.items():
            name = Name(words, tuple(spellings), _is_word(words, analyser))
            if len(words) == 1 and len(words[0]) > 1 and _unspaced().search(words[0]):
                unspaced.append(name)
            else:
                spaced.setdefault(words[0], []).append(name)
        longest_first = {first: sorted(names, key=lambda name: -len(name.words)) for first, names in spaced.items()}
        return cls(longest_first, unspaced)

    def mentions(self, text: str) -> list[Mention]:
        """Every mention in the text, in order. A longer name goes before a shorter one that begins alike."""
        found = list(self._spaced(text)) if self.spaced else []
        for name in self.unspaced:
            found += [Mention(name, at, end, end) for at, end in _occurrences(text, name.spellings)]
        return _apart(found) if self.unspaced else found

    def _spaced(self, text: str) -> Iterator[Mention]:
        words = _words(text)
        place = 0
        while place < len(words):
            mention = self._at(text, words, place)
            place += 1 if mention is None else len(mention.name.words)
            if mention is not None:
                yield mention

    def _at(self, text: str, words: Sequence[tuple[int, int, str]], place: int) -> Mention | None:
        for name in self.spaced.get(words[place][2], ()):
            said = words[place : place + len(name.words)]
            if tuple(word for _, _, word in said) != name.words:
                continue
            start, end = said[0][0], said[-1][1]
            if _is_part_of_a_word(text, start, end):
                continue
            if not name.is_word or is_a_name(text, start, end, name.words[0]):
                return Mention(name, start, end, _tail(text, end))
        return None


def _apart(mentions: Iterable[Mention]) -> list[Mention]:
    """In order, without those that lie inside another one."""
    apart: list[Mention] = []
    for mention in sorted(mentions, key=lambda mention: (mention.start, -mention.end)):
        if not apart or mention.start >= apart[-1].end:
            apart.append(mention)
    return apart


def people(mentions: Iterable[Mention]) -> list[Name]:
    """Who is mentioned, in order of first mention."""
    return list(dict.fromkeys(mention.name for mention in mentions))


@functools.cache
def _word() -> regex.Pattern[str]:
    return regex.compile(r"[\p{L}\p{M}\p{N}]+")


@functools.cache
def _unspaced() -> regex.Pattern[str]:
    return regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")


def _words(text: str) -> list[tuple[int, int, str]]:
    """(start, end, folded word) of every run of letters, marks and digits."""
    return [(found.start(), found.end(), _folded(found[0])) for found in _word().finditer(text)]


def _folded(word: str) -> str:
    if word.isascii():
        return word.lower()
    return fold(casefold(unicodedata.normalize("NFKC", word)))


def _is_word(words: tuple[str, ...], analyser: Analyser) -> bool:
    if len(words) > 1:
        return False
    return len(words[0]) == 1 or words[0] in WORDS or all(token.stop for token in analyser.analyse(words[0]).tokens)


def _is_part_of_a_word(text: str, start: int, end: int) -> bool:
    """Whether a hyphen or underscore binds what stands there to something else: "Ana-Maria", "ana_notes"."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    return (before[-1:] in _BINDERS and before[:1].isalnum()) or (after[:1] in _BINDERS and after[-1:].isalnum())


def _tail(text: str, end: int) -> int:
    """Where a possessive ending of what ends there ends: 's, or an apostrophe that no letter follows."""
    if text[end : end + 1] not in _POSSESSIVE or end >= len(text):
        return end
    tail = end + 2 if text[end + 1 : end + 2] in ("s", "S") else end + 1
    return end if text[tail : tail + 1].isalnum() else tail


def _occurrences(text: str, spellings: Iterable[str]) -> Iterator[tuple[int, int]]:
    for spelling in spellings:
        at = text.find(spelling)
        while at >= 0:
            yield at, at + len(spelling)
            at = text.find(spelling, at + len(spelling))
