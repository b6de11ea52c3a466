"""What kind of answer a question wants."""

from __future__ import annotations

import functools
import re

from comis_core.model import INTENTS

SURROUNDINGS = (
    r"\b(?:what\s+else\s+(?:happened|occurred|took\s+place|went\s+on|was\s+going\s+on)|meanwhile"
    r"|(?:around|about)\s+then|around\s+(?:the|that)\s+(?:same\s+)?time|about\s+that\s+time|in\s+the\s+days\s+(?:of|around)"
    r"|(?:was|were)\s+going\s+on\s+(?:in|around|during|at|when|while)|the\s+same\s+(?:day|days|week|weekend)\s+(?:as|that|when))\b"
)
REASONS = (
    r"\b(?:why|how\s+come|(?:the|a|any|some|what|which)\s+(?:causes?|reasons?|consequences?|results?|outcomes?|effects?)"
    r"|(?:reasons?|causes?)\s+(?:for|of|behind)|le(?:d|ads?)\s+to|brought\s+about|caused|resulted\s+(?:in|from)"
    r"|what\s+(?:came\s+(?:out\s+)?of|followed|became\s+of)|what\s+made\b.*\b(?:do|want|decide|leave|stop|quit|change))\b"
    r"|\b(?:warum|weshalb|wieso|pourquoi|por\s+qu[eé]|perché|почему|зачем|waarom)\b|لماذا|क्यों|为什么|為什麼|なぜ|どうして|왜"
)
TEMPORAL = (
    r"\b(?:when|(?:what|which)\s+(?:date|day|month|year|time|week)|how\s+long)\b"
    r"|\b(?:wann|quand|cuándo|quando|когда|wanneer)\b|متى|कब|什么时候|什麼時候|何时|何時|哪天|いつ|언제"
)
PREFERENCE = (
    r"\b(?:favou?rites?|prefer(?:s|red|ences?)?|likes?|liked|dislikes?|loves?|loved|enjoy(?:s|ed)?|hates?|hated|hobby"
    r"|hobbies|interests?|interested|passion(?:ate)?|fond|fan\s+of)\b"
)
ENUMERATION = (
    r"\b(?:how\s+(?:many|often)|list|all\s+(?:the|of|his|her|their|my|our)|(?:what|which)\s+(?:\w+\s+)?\w+[^s\W]s\b"
    r"|name\s+(?:the|all|some|every)|(?:kinds?|types?|sorts?)\s+of|both|in\s+common)\b"
)


@functools.cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    patterns = (SURROUNDINGS, REASONS, TEMPORAL, PREFERENCE, ENUMERATION)
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


def intent_of(text: str) -> str:
    """One of `INTENTS`: what else was then, why, when or how long, what somebody likes, several things, a fact.

    Why and when are recognised in a dozen languages, the others in English.
    """
    found = (intent for intent, pattern in zip(INTENTS, _patterns(), strict=False) if pattern.search(text))
    return next(found, INTENTS[-1])
