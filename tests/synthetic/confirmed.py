"""Claims about one matter, of which one was heard from several people and the others from one each.

A host that notices when something is said again counts it (`proof_count`) instead of storing it again. `confirmed` asks
for the claim with the most proofs. `said once` asks for what a single memory says, beside memories in its words that
were confirmed as often; they must not push it aside.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from synthetic.claims import MATTERS, Matter
from synthetic.writing import Draft, shuffled, some_moment

CASES = 10
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
DAYS = 90
"""Within so many days all was told."""
CLAIMS = 8
"""Claims about a matter; one of them is confirmed."""
PROOFS = (4, 12)
"""How often what is confirmed was heard, at least and at most."""
CONFIDENCE = (0.6, 1.0)
"""Of everything, at least and at most."""


def drafts(seed: int) -> Iterator[Draft]:
    """The cases of the set; every matter stands in each, with other claims."""
    for number in range(CASES):
        chance = random.Random(f"confirmed {seed} {number}")
        yield shuffled(_case(f"case-{number + 1}", chance), chance)


def _case(name: str, chance: random.Random) -> Draft:
    draft = Draft("confirmed", name)
    for matter in MATTERS:
        _claim(draft, matter, chance)
        _say_once(draft, matter, chance)
    return draft


def _claim(draft: Draft, matter: Matter, chance: random.Random) -> None:
    confirmed, twice, *others = matter.claims(CLAIMS, chance)
    gold = draft.remember(confirmed, **_told(chance, chance.randint(*PROOFS)))
    draft.remember(twice, **_told(chance, 2))
    for claim in others:
        draft.remember(claim, **_told(chance, 1))
    draft.ask(matter.question, gold, category="confirmed", now=NOW)


def _say_once(draft: Draft, matter: Matter, chance: random.Random) -> None:
    gold = draft.remember(matter.rare, **_told(chance, 1))
    for sentence in matter.near:
        draft.remember(sentence, **_told(chance, chance.randint(*PROOFS)))
    draft.ask(matter.rarely, gold, category="said once", now=NOW)


def _told(chance: random.Random, proofs: int) -> dict[str, Any]:
    moment = some_moment(chance, NOW - timedelta(days=DAYS), DAYS)
    return {"created_at": moment, "proof_count": proofs, "confidence": round(chance.uniform(*CONFIDENCE), 2)}
