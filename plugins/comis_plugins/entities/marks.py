"""Names that other signs than capitals show: quotations, brackets, hashtags, handles, addresses, headings."""

from __future__ import annotations

from collections.abc import Iterator

from comis_core.text import fold_name
from comis_plugins.entities import scanning
from comis_plugins.entities.spans import Mention, is_a_date
from comis_plugins.entities.words import common, function_words

_LONGEST_TITLE = 8
"""Words of a quotation or a heading that may be a name."""
_LONGEST_UNCASED = 40
"""Characters of a quotation without capitals."""
_ENDS_A_SENTENCE = ".!?,;:…。！？，、；"
_PARTS_A_SENTENCE = frozenset("。！？，；؟،")
_LONGEST_ADDRESS = 200
_ARTICLES = ("the ", "a ", "an ")


def marked(text: str) -> Iterator[Mention]:
    """Every name that a sign marks. text: with plain apostrophes and spaces."""
    if scanning.may_have_addresses(text):
        yield from _addresses(text)
    if '"' in text or "``" in text or not text.isascii():
        quotations = scanning.groups(scanning.quoted(), text)
        yield from (_titled(name) for name in quotations if _is_a_title(name))
    if not text.isascii():
        bracketed = scanning.groups(scanning.bracketed(), text)
        yield from (_titled(name) for name in bracketed if not _has_case(name) and _is_a_title(name))
    yield from _heading(text)


def _addresses(text: str) -> Iterator[Mention]:
    for found in scanning.addressed().finditer(text):
        kind, name = found.lastgroup, found[0].rstrip(".,;:!?")
        if kind == "url":
            name = name.partition("://")[2].removeprefix("www.").partition("#")[0].partition("?")[0].rstrip("/")
            yield _titled(name.partition("/")[0].partition(":")[0])
        elif kind == "domain":
            name = name.removeprefix("www.")
        elif kind == "tag":
            name = name[1:]
        yield _titled(name[:_LONGEST_ADDRESS])


def _is_a_title(name: str) -> bool:
    """Whether a quotation is a name and not something said: a few words that begin with a capital or have no case."""
    words = name.split()
    if not words or len(words) > _LONGEST_TITLE or name[-1] in _ENDS_A_SENTENCE or name.strip() != name:
        return False
    if not _has_case(name):
        return len(name) <= _LONGEST_UNCASED and _PARTS_A_SENTENCE.isdisjoint(name) and _says_something(name)
    return (words[0][0].isupper() or words[0][0].isdigit()) and _says_something(name)


def _has_case(name: str) -> bool:
    return name.lower() != name.upper()


def _says_something(name: str) -> bool:
    key = fold_name(name)
    words = key.split()
    empty = all(word in common() or word in function_words() or not any(map(str.isalpha, word)) for word in words)
    return len(key) > 1 and not empty and not is_a_date(key)


def _heading(text: str) -> Iterator[Mention]:
    """A short first line that is no sentence names what stands below it."""
    line, newline, rest = text.partition("\n")
    line = line.strip(" #*=\t\r")
    if not newline or not rest.strip() or not 0 < len(line.split()) <= _LONGEST_TITLE:
        return
    is_capitalised = scanning.name_pattern(scanning.alphabet_of(line)).match(line) is not None
    if line[-1] not in _ENDS_A_SENTENCE and is_capitalised and _says_something(line):
        yield _titled(line)


def _titled(name: str) -> Mention:
    """A name that counts without the article that it may begin with."""
    for article in _ARTICLES:
        if name[: len(article)].lower() == article and name[len(article) :].strip():
            name = name[len(article) :].strip()
    return Mention(name, fold_name(name))
