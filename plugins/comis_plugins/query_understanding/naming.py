"""Names that are also words: when May is a person, a month, or may.

A sender called May, Will or Mark is only meant where the word is written as a name and stands where no month and no
verb can stand.
"""

from __future__ import annotations

import functools
import re

_COMMON_WORDS = """
art angel ash august autumn bill bishop brook brooks carol cash chance charity chase chip christian clay cliff crystal
daisy dawn dean dick don drew duke earl eve faith fern forest frank friday gene ginger glen grace grant guy harmony
heather holly hope hunter iris ivy jade jay jewel josh joy june april king lance lane lily major march mark mason max
may melody mercy miles misty monday nick norm olive pat patience pearl peg penny piper poppy precious prince princess
queen randy ray reed rich river rob robin rocky rose ruby rusty sage sandy saturday skip sky spring star sterling stone
sue summer sunday sunny trip violet wade ward will willow winter wood woody
"""

WORDS = frozenset(_COMMON_WORDS.split())
"""Names that are common words of English, casefolded. A one-word name that is a stop word counts as one too."""

DATES = frozenset((
    "march", "april", "may", "june", "august", "spring", "summer", "autumn", "winter", "monday", "friday", "saturday",
    "sunday",
))  # fmt: skip
"""Those that name a time."""

_LEADS_TO_A_DATE = "in|during|since|until|till|this|last|next|early|late|mid|every|each|on"
_IN_A_DATE = rf"(?:\d(?:st|nd|rd|th)?(?:\s+of)?|\b(?:{_LEADS_TO_A_DATE}))[\s-]+"
_BEFORE_A_DATE = r",?\s+\d"

_VERBS = frozenset((
    "will", "may", "mark", "chase", "rob", "sue", "grant", "skip", "can", "bill", "drew", "trip", "hope", "do", "would",
    "might", "must", "shall", "should", "could",
))  # fmt: skip
"""Those with which a question can begin."""

_AS_A_NAME = (
    r"['’ʼ]|\s*(?:,|&|and\b|or\b)"
    r"|\s+(?:is|was|has|had|did|does|will|would|can|could|should|might|must|said|told|went|got|made|came|saw|gave|took"
    r"|likes?|loves?|wants?|lives?|works?|thinks?|says|[a-z]+ed)\b"
)


@functools.cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    return (
        re.compile(rf"{_IN_A_DATE}$", re.IGNORECASE),
        re.compile(_BEFORE_A_DATE),
        re.compile(_AS_A_NAME, re.IGNORECASE),
    )


def is_a_name(text: str, start: int, end: int, word: str) -> bool:
    """Whether text[start:end], a word of two meanings, is meant as a name. word: casefolded."""
    written = text[start:end]
    if not written[0].isupper() or text.isupper():
        return False
    in_a_date, before_a_date, as_a_name = _patterns()
    if word in DATES and (in_a_date.search(text[max(0, start - 16) : start]) or before_a_date.match(text, end)):
        return False
    opens = not text[:start].strip(" \t\n\"'“”‘’¿¡([{-–—*") or text[:start].rstrip()[-1:] in ".!?;:"
    return not (opens and word in _VERBS) or as_a_name.match(text, end) is not None
