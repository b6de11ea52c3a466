"""Stemming: one Snowball stemmer a script, the configured language's for its own script."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType

import regex
import Stemmer

from comis_core.text.folding import fold
from comis_core.text.irregular import irregular_forms

# ISO 639 codes by which Snowball knows its languages.
_CODES: Mapping[str, str] = MappingProxyType({
    "arabic": "ar ara",
    "armenian": "hy hye arm",
    "basque": "eu eus baq",
    "catalan": "ca cat",
    "czech": "cs ces cze",
    "danish": "da dan",
    "dutch": "nl nld dut",
    "english": "en eng",
    "esperanto": "eo epo",
    "estonian": "et est",
    "finnish": "fi fin",
    "french": "fr fra fre",
    "german": "de deu ger",
    "greek": "el ell gre",
    "hindi": "hi hin",
    "hungarian": "hu hun",
    "indonesian": "id ind",
    "irish": "ga gle",
    "italian": "it ita",
    "lithuanian": "lt lit",
    "nepali": "ne nep",
    "norwegian": "no nor nb nn",
    "persian": "fa fas per",
    "polish": "pl pol",
    "portuguese": "pt por",
    "romanian": "ro ron rum",
    "russian": "ru rus",
    "serbian": "sr srp",
    "sesotho": "st sot",
    "spanish": "es spa esl",
    "swedish": "sv swe",
    "tamil": "ta tam",
    "turkish": "tr tur",
    "yiddish": "yi yid",
})

# The scripts that a stemmer reads, where it is not Latin alone.
_SCRIPTS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "arabic": ("Arabic",),
    "armenian": ("Armenian",),
    "greek": ("Greek",),
    "hindi": ("Devanagari",),
    "nepali": ("Devanagari",),
    "persian": ("Arabic",),
    "russian": ("Cyrillic",),
    "serbian": ("Cyrillic", "Latin"),
    "tamil": ("Tamil",),
    "yiddish": ("Hebrew",),
})

# Read when nothing else is configured for the script. Hebrew is missing: what Snowball offers for it stems Yiddish.
_DEFAULTS = ("english", "arabic", "armenian", "greek", "hindi", "russian", "tamil")


ENGLISH = frozenset({"english", "porter"})
"""Snowball's names for stemmers of English."""


def canonical_language(language: str) -> str:
    """The Snowball name of `language`, which is such a name or an ISO 639 code, in any case.

    Raises:
        ValueError: Snowball has no stemmer for it; the message lists those it has.
    """
    wanted = language.casefold()
    names: list[str] = Stemmer.algorithms()
    name = next((name for name, codes in _CODES.items() if wanted in codes.split()), wanted)
    if name not in names:
        raise ValueError(f"no stemmer for the language {language!r}; choose one of {', '.join(sorted(names))}")
    return name


def script_languages(language: str) -> Mapping[str, str]:
    """The language whose stemmer reads each script, by script; `language` takes the place of its script's default."""
    return {script: name for name in (*_DEFAULTS, language) for script in _SCRIPTS.get(name, ("Latin",))}


@functools.cache
def _scripts() -> regex.Pattern[str]:
    scripts = sorted({"Latin", *(script for scripts in _SCRIPTS.values() for script in scripts)})
    return regex.compile("|".join(rf"(?P<{script}>\p{{{script}}})" for script in scripts), regex.V1)


def script_of(word: str) -> str | None:
    """The script of the first letter of `word`, as named by Unicode; None if no stemmer reads it."""
    if word.isascii() and word[:1].isalpha():
        return "Latin"
    found = _scripts().search(word)
    return found.lastgroup if found else None


def stem(word: str, language: str | None) -> str:
    """The folded stem of a casefolded word in `language` (a Snowball name), or the folded word if that is None.

    Stemmed twice, with the marks and then without them: endings that show by an accent go in the first pass, and the
    second brings what is left to where the spelling without accents comes to. Irregular English forms become the word
    that they are forms of first.

    A stemmer has inner state and must not be shared between threads; a new one costs less than a microsecond, so each
    call has its own.
    """
    if language is None:
        return fold(word)
    if language in ENGLISH:
        word = irregular_forms().get(word, word)
    stem_word: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord
    return fold(stem_word(fold(stem_word(word))))
