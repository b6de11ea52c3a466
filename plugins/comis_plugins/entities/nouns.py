"""German, which writes every noun with a capital: there a word after an article is no name."""

from __future__ import annotations

import functools
import re

from comis_plugins.entities.scanning import word_runs

_TELLTALE = "und nicht ist ich das ein eine einen mit auf für sich auch wir der habe hat wird war dem den"
_DETERMINERS = (
    r"d(?:er|ie|as|en|em|es)|(?:ein|kein|mein|dein|sein|ihr|unser|euer|eur)(?:e[nmrs]?)?|(?:dies|jed|welch|manch|viel|alle)"
    r"(?:e[nmrs]?)?|im|am|zum|zur|beim|vom|ins|ans|aufs|etwas|nichts|kaum|wenig|zwei|drei|vier|fünf|\d+"
)
_REACH = 12
"""Characters in which the longest determiner and the space behind it lie."""


@functools.cache
def _telltale() -> frozenset[str]:
    return frozenset(_TELLTALE.split())


@functools.cache
def _determiner() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_DETERMINERS})\s+$", re.IGNORECASE)


def capitalises_nouns(text: str) -> bool:
    """Whether a text is German, by two different words that are hardly ever anything else."""
    return len(_telltale().intersection(word_runs(text))) > 1


def follows_a_determiner(text: str, start: int) -> bool:
    """Whether an article, a possessive or a number stands before a place of the text."""
    return _determiner().search(text[max(0, start - _REACH) : start]) is not None
