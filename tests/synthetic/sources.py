"""Claims about one matter from sources that are not trusted alike, without a key.

`from the operator`: what the operator laid down (`system`) and what people said in conversations (`learned`) differ.
`from people`: one conversation and pages, mails and the like (`external`) differ; who wants to see those at all allows
them (`rag.includeTrustLevels`). `people alone` and `pages alone` ask for what the less trusted source of the two alone
says, beside memories in its words that are trusted more; they must not push it aside.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from synthetic.claims import MATTERS, Matter
from synthetic.writing import Draft, shuffled, some_moment

CASES = 10
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
DAYS = 300
"""Within so many days all was recorded."""
CLAIMS = 8
"""Claims about a matter; one of them is from the better source."""
LEVELS = {
    "from the operator": ("system", "learned", "people alone"),
    "from people": ("learned", "external", "pages alone"),
}
"""Category -> trust of the claim that is asked for, that of the others, and what the trap is called."""


def drafts(seed: int) -> Iterator[Draft]:
    """The cases of the set; every matter stands in each, with other claims, half of them of each category."""
    for number in range(CASES):
        chance = random.Random(f"sources {seed} {number}")
        yield shuffled(_case(f"case-{number + 1}", chance), chance)


def _case(name: str, chance: random.Random) -> Draft:
    draft = Draft("sources", name)
    categories = list(LEVELS) * (len(MATTERS) // len(LEVELS))
    chance.shuffle(categories)
    for matter, category in zip(MATTERS, categories, strict=True):
        _claim(draft, matter, category, chance)
    return draft


def _claim(draft: Draft, matter: Matter, category: str, chance: random.Random) -> None:
    better, worse, trap = LEVELS[category]
    right, *others = matter.claims(CLAIMS, chance)
    gold = draft.remember(right, trust=better, created_at=_moment(chance))
    for claim in others:
        draft.remember(claim, trust=worse, created_at=_moment(chance))
    draft.ask(matter.question, gold, category=category, now=NOW)
    rare = draft.remember(matter.rare, trust=worse, created_at=_moment(chance))
    for sentence in matter.near:
        draft.remember(sentence, trust=better, created_at=_moment(chance))
    draft.ask(matter.rarely, rare, category=trap, now=NOW)


def _moment(chance: random.Random) -> datetime:
    return some_moment(chance, NOW - timedelta(days=DAYS), DAYS)
