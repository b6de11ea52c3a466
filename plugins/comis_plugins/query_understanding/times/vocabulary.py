"""The words of dates: months, weekdays, seasons, numbers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MONTHS: Mapping[str, int] = MappingProxyType({
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
})  # fmt: skip

CLEAR_MONTHS = ("january", "february", "july", "september", "october", "november", "december")
"""Months that mean nothing else, so that they need no word before them."""

VAGUE_MONTHS = ("march", "april", "may", "june", "august")
"""Months that are also names, verbs or adjectives: without a number they need a word of time before them."""

FOREIGN_MONTHS: Mapping[str, int] = MappingProxyType({
    name: number
    for number, names in enumerate(
        (
            "januar janvier enero gennaio janeiro januari января январь",
            "februar février fevrier febrero febbraio fevereiro februari февраля февраль",
            "märz maerz marzo março maart марта март",
            "avril abril aprile апреля апрель",
            "mai mayo maggio maio mei мая май",
            "juni juin junio giugno junho июня июнь",
            "juli juillet julio luglio julho июля июль",
            "août aout agosto augustus августа август",
            "septembre septiembre setiembre settembre setembro сентября сентябрь",
            "oktober octobre octubre ottobre outubro октября октябрь",
            "novembre noviembre novembro ноября ноябрь",
            "dezember décembre decembre diciembre dicembre dezembro декабря декабрь",
        ),
        1,
    )
    for name in names.split()
})
"""Months in German, French, Spanish, Italian, Portuguese, Dutch and Russian; they count beside a number only.

French mars is left out: beside a number it is more often the planet.
"""

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

SEASONS: Mapping[str, int] = MappingProxyType({"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12})
"""The month with which a season begins in the north, as meteorologists count."""

_COUNTED = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_RANKED = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth "
    "twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
)

NUMBERS: Mapping[str, int] = MappingProxyType({
    **{word: value for value, word in enumerate(_COUNTED.split(), 1)},
    "a": 1,
    "an": 1,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "hundred": 100,
})

ORDINALS: Mapping[str, int] = MappingProxyType({word: value for value, word in enumerate(_RANKED.split(), 1)})

TRIGGERS = frozenset((
    *MONTHS, *WEEKDAYS, *SEASONS, "yesterday", "today", "tonight", "tomorrow", "ago", "last", "past", "previous",
    "this", "current", "next", "coming", "upcoming", "weekend", "from",
))  # fmt: skip
"""A question without a digit and without one of these has no time expression."""


def alternatives(words: Mapping[str, object] | tuple[str, ...]) -> str:
    """A pattern for any of the words, longer ones first."""
    return "(?:" + "|".join(sorted(words, key=lambda word: (-len(word), word))) + ")"
