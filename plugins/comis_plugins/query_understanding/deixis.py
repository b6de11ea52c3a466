"""Who is meant by I and by you in a question about a talk with an assistant.

A user who asks "What did you recommend?" wants what the assistant said; one who asks "Where do I keep my key?" wants
what he told it himself. In English.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

from comis_core.senders import ASSISTANT, Roles
from comis_core.text import fold_name

_ADVERB = r"(?:\s+(?:\w+ly|once|first|also|just|then|last|already|never|ever|earlier))?"

_REQUEST = (
    r"\b(?:can|could|will|would|shall|may|might|do|don['’]t)\s+you(?:\s+(?:please|kindly|just|also))*"
    r"\s+\w+(?:\s+(?:up|out|together|back|down))?"
)
"""What the assistant is to do now: "can you tell me" says nothing of what it said."""

_MINE = (
    r"\b(?:did|have|had)\s+(?:I|we)\b"
    rf"|\bI(?:['’](?:ve|d))?(?:\s+(?:have|had))?{_ADVERB}\s+(?:told|said|mentioned|gave|given|asked|wrote|written)\b"
)
"""What the asker said: "did I mention that you"."""

_HOW_TO = r"\bhow\s+(?:do|would|might|to)\b(?:\s+(?:I|we))?|\b(?:should|can|could|may)\s+(?:I|we)\b"
"""Advice is asked for, as it was before; "how do I get rid of moss" is about nobody."""

_PAST = (
    "told|said|gave|taught|wrote|came|made|put|chose|set|found|sent|showed|drew|laid|thought|meant|brought|ran|read|went"
    "|given|written|shown|spoke|spelt|built|picked|cut|quoted"
)
"""Past tenses, regular ones aside, of what an assistant does in a talk."""

_NOT_PAST = "need|feed|speed|exceed|proceed|succeed|bleed|indeed|embed"
"""Words that end like a past tense and are none."""

_SAYINGS = (
    r"\bdid\s+you\s+(?!(?:know|remember|recall|notice|see|hear|get|keep|save|store)\b)\w+"
    rf"|\byou(?:['’](?:d|ve)|\s+had|\s+have)?{_ADVERB}\s+(?!(?:{_NOT_PAST})\b)(?:\w+ed|{_PAST})\b"
    r"|\b(?:were\s+you|you\s+were)\s+\w+ing\b"
    r"|\byour\s+(?:advice|suggestions?|recommendations?|tips?|tricks?|answers?|explanations?|plan|list|estimate|reply"
    r"|response|words|examples?|ideas?|versions?|draft|recipe|formula|method|calculations?|summary)\b"
)
_TOLD = (
    "tell|told|ask(?:ed)?|answer(?:ed)?|advised?|recommend(?:ed)?|promised?|offer(?:ed)?|give|gave|given|show(?:ed|n)?"
    "|remind(?:ed)?|warn(?:ed)?|sen[dt]|teach|taught"
)
"""Verbs whose object is whom one speaks to."""

_TO_SOMEBODY = (
    rf"\b(?P<who>you|I|we)(?:['’](?:d|ve)|\s+had|\s+have)?{_ADVERB}"
    rf"\s+(?:(?:{_TOLD})|\w+(?:\s+\w+){{0,2}}\s+(?:to|for))\s+\Z"
)
"""What stands before whom the assistant or the asker spoke to: "did you tell", "I recommended to"."""

_FIRST_PERSON = r"\b(?:I|me|my|mine|myself|we|us|our|ours|ourselves)\b"


@functools.cache
def _pattern(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE)


def meant(text: str, senders: Iterable[str], asker: str | None, roles: Roles) -> tuple[str, ...]:
    """The senders whose words are wanted; none where no assistant speaks, or an assistant asks.

    senders: of the scope. asker: who asks, if he is known. roles: who of them is a person and who a machine, as the
        scope has it (`Roles.beside`).
    """
    everyone = sorted(senders)
    assistants = tuple(sender for sender in everyone if roles.machine(sender) == ASSISTANT)
    if not assistants or (asker and roles.machine(asker)):
        return ()
    rest = _pattern(_REQUEST).sub(" ", text)
    if _pattern(_SAYINGS).search(rest) and not _pattern(_MINE).search(rest):
        return assistants
    if _pattern(_FIRST_PERSON).search(rest) and not _pattern(_HOW_TO).search(rest):
        return _asking([sender for sender in everyone if not roles.machine(sender)], asker, roles)
    return ()


def tellers(text: str, start: int, senders: Iterable[str], asker: str | None, roles: Roles) -> tuple[str, ...]:
    """Who spoke to the one that is named from `start` on, if that is I or you: "What did you tell Ben?"."""
    spoken = _pattern(_TO_SOMEBODY).search(text, 0, start)
    if spoken is None:
        return ()
    if spoken["who"].casefold() == "you":
        return tuple(sender for sender in meant(text, senders, asker, roles) if roles.machine(sender))
    return tuple(sender for sender in sorted(senders) if asker and fold_name(sender) == fold_name(asker))


def _asking(people: Sequence[str], asker: str | None, roles: Roles) -> tuple[str, ...]:
    """The asker among the people: in his spellings, else the only one, unless that has another name."""
    if asker:
        known = fold_name(asker)
        spelled = tuple(sender for sender in people if fold_name(sender) == known)
        if spelled or (roles.is_named(asker) and any(map(roles.is_named, people))):
            return spelled
    return tuple(people) if len(people) == 1 else ()
