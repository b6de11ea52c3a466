"""Names that other signs than capitals show: quotations, brackets, hashtags, handles, addresses, headings."""

from __future__ import annotations

from collections.abc import Iterator

from comis_core.text import fold_name
from comis_plugins.entities.scanning import addressed, alphabet_of, bracketed, capitalised, groups, may_have_addresses, quoted
from comis_plugins.entities.spans import Mention
from comis_plugins.entities.words import common, dates

_LONGEST_QUOTE = 8
_LONGEST_HEADING = 8
_ENDS_A_SENTENCE = ".!?,;:…。！？，、"
_LONGEST_ADDRESS = 200


def marked(text: str) -> Iterator[Mention]:
    """Every name that a sign marks. text: with plain apostrophes and spaces."""
    if may_have_addresses(text):
        yield from _addresses(text)
    if '"' in text or "``" in text or not text.isascii():
        for name in groups(quoted(), text):
            if _is_a_title(name):
                yield Mention(name, fold_name(name))
    if not text.isascii():
        for name in groups(bracketed(), text):
            if not _has_case(name) and not name.endswith(tuple(_ENDS_A_SENTENCE)):
                yield Mention(name, fold_name(name))
    yield from _heading(text)


def _addresses(text: str) -> Iterator[Mention]:
    for found in addressed().finditer(text):
        kind, name = found.lastgroup, found[0].rstrip(".,;:!?")
        if kind == "url":
            name = name.partition("://")[2].removeprefix("www.").rstrip("/")
            host = name.partition("/")[0].partition("?")[0].partition(":")[0]
            yield Mention(host, fold_name(host))
            name = name.partition("#")[0].partition("?")[0].rstrip("/")
        elif kind == "domain":
            name = name.removeprefix("www.")
        elif kind == "tag":
            name = name[1:]
        yield Mention(name[:_LONGEST_ADDRESS], fold_name(name[:_LONGEST_ADDRESS]))


def _is_a_title(name: str) -> bool:
    """Whether a quotation is a name and not something said: a few words that begin with a capital or have no case."""
    words = name.split()
    if not words or len(words) > _LONGEST_QUOTE or name[-1] in _ENDS_A_SENTENCE or not name.strip() == name:
        return False
    if not _has_case(name):
        return len(name) <= 40
    if not words[0][0].isupper() and not words[0][0].isdigit():
        return False
    return not all(word in common() or word in dates() for word in fold_name(name).split())


def _has_case(name: str) -> bool:
    return name.lower() != name.upper()


def _heading(text: str) -> Iterator[Mention]:
    """A short first line that is no sentence names what stands below it."""
    line, newline, rest = text.partition("\n")
    line = line.strip(" #*=")
    words = line.split()
    if not newline or not rest.strip() or not 0 < len(words) <= _LONGEST_HEADING or line[-1] in _ENDS_A_SENTENCE:
        return
    if not any(sign.isalpha() for sign in line) or not capitalised(alphabet_of(line)).match(line):
        return
    key = fold_name(line)
    if not all(word in common() or word in dates() or word.isdigit() for word in key.split()):
        yield Mention(line, key)
