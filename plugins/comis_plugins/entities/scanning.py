"""Where a text writes a name: spans of capitalised words, quotations, hashtags, handles and addresses.

Every pattern has bounded repetition or none that can fail late, so that any text is read in time linear in its length.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

import attrs
import regex

from comis_plugins.entities.words import JOINERS, TITLES

# Each to one character, so that places in the text stay what they are.
_PLAIN = str.maketrans("’ʼ‘＇‐‑–\u00a0\u202f＠＃", "''''---  @#")

_MOST_BEFORE_A_CAPITAL = 3
"""So many small letters a word has before its first capital and is a name: iPhone, eBay."""


@attrs.frozen(eq=False, repr=False)
class Alphabet:
    """The character classes of a pattern, and the module whose syntax they are written in."""

    upper: str
    lower: str
    inside: str
    module: Any


ASCII = Alphabet("[A-Z]", "[a-z]", "[A-Za-z0-9_]", re)
EVERY = Alphabet(r"[\p{Lu}\p{Lt}]", r"\p{Ll}", r"[\p{L}\p{M}\p{N}_]", regex)


def alphabet_of(text: str) -> Alphabet:
    """The cheaper one where it is enough."""
    return ASCII if text.isascii() else EVERY


def plain(text: str) -> str:
    """The text with one apostrophe, one hyphen and one space, of the same length."""
    return text if text.isascii() else text.translate(_PLAIN)


def word_runs(text: str) -> list[str]:
    """The runs of letters, digits and underscores in a text."""
    if text.isascii():
        return text.encode().translate(_spaced()).decode().split()
    return re.findall(r"\w+", text)


@functools.cache
def _spaced() -> bytes:
    return bytes(code if chr(code).isalnum() or code == ord("_") else ord(" ") for code in range(128)) + bytes(128)


def capitalised(text: str) -> Iterator[Any]:
    """Matches of the runs of capitalised words in a text, from left to right.

    Only where there is a capital, and up to three letters before it, is the pattern tried: it cannot match elsewhere,
    and most of a text is in small letters.
    """
    alphabet = alphabet_of(text)
    name, end = name_pattern(alphabet), 0
    for capital in _capitals(alphabet).finditer(text):
        place = capital.start()
        if place < end:
            continue
        # Most stand behind a space, or at the beginning of the text.
        first = place if text[place - 1 : place] in " \n" else max(end, place - _MOST_BEFORE_A_CAPITAL)
        for start in range(first, place + 1):
            found = name.match(text, start)
            if found is not None:
                yield found
                end = found.end()
                break


@functools.cache
def _capitals(alphabet: Alphabet) -> Any:
    return alphabet.module.compile(alphabet.upper)


@functools.cache
def name_pattern(alphabet: Alphabet) -> Any:
    """A run of capitalised words, with what may stand between two words of one name."""
    upper, lower, inside = alphabet.upper, alphabet.lower, alphabet.inside
    titles = "|".join(title.capitalize() for title in sorted(TITLES))
    joiners = "|".join(sorted(JOINERS, key=len, reverse=True))
    initials = rf"(?:{upper}\.){{1,8}}(?:{upper}(?!{inside}))?"
    word = rf"(?:{upper}|{lower}{{1,{_MOST_BEFORE_A_CAPITAL}}}{upper}){inside}*(?:[-'&]{inside}+)*"
    name = rf"(?:(?:{titles})\.(?=[ ]{upper})|{initials}|{word})"
    return alphabet.module.compile(rf"(?<![\w@#/.'&-]){name}(?:[ ](?:(?:{joiners})[ ])?{name})*")


_QUOTES = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("``", "''"))
_BRACKETS = (("「", "」"), ("『", "』"), ("《", "》"), ("〈", "〉"), ("【", "】"), ("〔", "〕"), ("“", "”"))


@functools.cache
def quoted() -> re.Pattern[str]:
    """What stands in quotation marks on one line."""
    return re.compile("|".join(rf"{start}([^{start}{end}\n]{{2,80}}){end}" for start, end in _QUOTES))


@functools.cache
def bracketed() -> re.Pattern[str]:
    """What stands in the quotation marks and brackets that scripts without capitals put around names."""
    return re.compile("|".join(rf"{start}([^{start}{end}\n]{{1,40}}){end}" for start, end in _BRACKETS))


@functools.cache
def addressed() -> re.Pattern[str]:
    """URLs, e-mail addresses, domains, handles and hashtags, in that order of preference."""
    label = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?"
    domain = rf"(?:{label}\.){{1,8}}(?:{_TOP_LEVEL})(?![\w-])"
    return re.compile(
        r"(?P<url>https?://[^\s<>\"'`，。、）)\]}]{1,2000})"
        r"|(?P<email>(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}\b)"
        rf"|(?P<domain>(?<![\w@./-]){domain})"
        r"|(?P<handle>(?<![\w@/.])@[\w][\w.-]{0,62}\w)"
        r"|(?P<tag>(?<![\w#&/])#(?=\w*[^\W\d])\w{2,64})"
    )


@functools.cache
def _dotted() -> re.Pattern[str]:
    return re.compile(r"\.(?<=\w\.)[A-Za-z]{2}")


def may_have_addresses(text: str) -> bool:
    """A quick look, for most texts have none."""
    return "@" in text or "#" in text or "://" in text or _dotted().search(text) is not None


_TOP_LEVEL = (
    "com|org|net|edu|gov|int|mil|info|biz|io|ai|app|dev|me|tv|co|cloud|tech|online|site|xyz|shop|blog|wiki|page|to|gg|fm"
    "|us|uk|ca|au|nz|ie|de|fr|es|it|nl|be|ch|at|pt|se|no|dk|fi|pl|cz|ru|ua|tr|gr|il|in|cn|jp|kr|tw|hk|sg|br|mx|ar|za|eu"
)


def groups(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """What the one group of each match that took part holds."""
    return (found[found.lastindex] for found in pattern.finditer(text) if found.lastindex)
