"""Who is meant by I and by you in a question about a talk with an assistant.

A user who asks "What did you recommend?" wants what the assistant said; one who asks "Where do I keep my key?" wants
what he told it himself. In English.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

from comis_core.senders import ASSISTANT, is_named, machine
from comis_core.text.folding import casefold, fold

_PAST = (
    "told|said|gave|taught|wrote|came|made|put|chose|set|found|sent|showed|drew|laid|thought|meant|brought|ran|read|went"
    "|given|written|shown|spoke|spelt|built|picked|cut|did|got|led|kept|quoted"
)
"""Past tenses, regular ones aside, of what an assistant does in a talk."""

_PRESENT_IN_ED = "need|feed|speed|exceed|proceed|succeed|bleed"

_SAYINGS = (
    r"\bdid you (?!know|remember|recall|notice|see|hear|get|keep|save|store)\w+"
    r"|\byou(?:['’](?:d|ve)| had| have)?(?: (?:\w+ly|once|first|also|just|then|last))?"
    rf" (?!(?:{_PRESENT_IN_ED})\b)(?:\w+ed|{_PAST})\b"
    r"|\byou(?:['’]d| would| were| are)? (?:\w+ing|advise|suggest|recommend)\b"
    r"|\byour (?:advice|suggestions?|recommendations?|tips?|answers?|explanations?|plan|list|estimate|reply|response"
    r"|words|examples?|ideas?|versions?|draft|recipe|formula|method|calculations?|summary)\b"
)
_FIRST_PERSON = r"\b(?:I|me|my|mine|myself|we|us|our|ours|ourselves)\b"


@functools.cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(_SAYINGS, re.IGNORECASE), re.compile(_FIRST_PERSON, re.IGNORECASE)


def meant(text: str, senders: Iterable[str], asker: str | None) -> tuple[str, ...]:
    """The senders whose words are wanted; none where no assistant speaks, or an assistant asks.

    senders: of the scope. asker: who asks, if he is known.
    """
    everyone = sorted(senders)
    assistants = [sender for sender in everyone if machine(sender) == ASSISTANT]
    if not assistants or (asker and machine(asker)):
        return ()
    sayings, first_person = _patterns()
    if sayings.search(text):
        return tuple(assistants)
    return _asking([sender for sender in everyone if not machine(sender)], asker) if first_person.search(text) else ()


def _asking(people: Sequence[str], asker: str | None) -> tuple[str, ...]:
    """The asker among the people: in his spellings, else the only one, unless that has another name."""
    if asker:
        known = fold(casefold(asker))
        spelled = tuple(sender for sender in people if fold(casefold(sender)) == known)
        if spelled or (is_named(asker) and any(map(is_named, people))):
            return spelled
    return tuple(people) if len(people) == 1 else ()
