"""Notes that answer a request equally well by their words, some of which were used whenever it was made before.

Earlier turns asked in other words, on other days, and were reported: what was shown, and what of it was cited or stands
in the answer. `asked again` asks for those that were used. Two kinds of question must not be drawn to what was used:
`one of the others` names the detail of a note that never was, and `used for something else` has words in common with a
note that often was, for requests of another kind.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from synthetic.pastimes import PASTIMES, Pastime, Way
from synthetic.writing import Draft, some_moment

CASES = 10
START = datetime(2024, 2, 5, tzinfo=UTC)
NOTED_DAYS = 300
"""Notes are taken in these days, before the first turn."""
ASKED_DAYS = 200
"""And turns reported in those after them."""
NOW = START + timedelta(days=NOTED_DAYS + ASKED_DAYS + 1)

FAVOURITES = 2
"""Notes of a pastime that are used; they are the gold of `asked again`."""
TURNS = (3, 6)
"""How often a pastime was asked about, at least and at most."""
SHOWN = 0.8
"""How often a favourite is among what was recalled."""
USED = 0.75
"""How often it is used when it is."""
BESIDE = 5
"""Notes that were recalled beside the favourites, and ignored."""
CITED = 0.5
"""Share of turns that cite; the others answer in words."""

ANSWERS = ("How about {v}?", "I would go for {v}.", "Last time it was {v}, so again {v}.", "Best is {v}, I think.")


def drafts(seed: int) -> Iterator[Draft]:
    """The cases of the set; every pastime stands in each, with other favourites."""
    for number in range(CASES):
        chance = random.Random(f"habits {seed} {number}")
        yield _case(f"case-{number + 1}", chance)


def _case(name: str, chance: random.Random) -> Draft:
    draft = Draft("habits", name)
    written = [(pastime, way) for pastime in PASTIMES for way in (*pastime.ways, None)]
    chance.shuffle(written)
    ids: dict[tuple[str, str], str] = {}
    for pastime, way in written:
        moment = some_moment(chance, START, NOTED_DAYS)
        if way is not None:
            ids[pastime.question, way.cue] = draft.remember(pastime.note.format(v=way.text), created_at=moment)
            continue
        ids[pastime.question, "often"] = draft.remember(pastime.often, created_at=moment)
        ids[pastime.question, "rare"] = draft.remember(pastime.rare, created_at=moment)
    for pastime in PASTIMES:
        own = {cue: id for (question, cue), id in ids.items() if question == pastime.question}
        _live(draft, pastime, own, chance)
    return draft


def _live(draft: Draft, pastime: Pastime, ids: dict[str, str], chance: random.Random) -> None:
    """Report the turns of a pastime, and ask."""
    ways = list(pastime.ways)
    chance.shuffle(ways)
    favourites, others = ways[:FAVOURITES], ways[FAVOURITES:]
    # The last one is never shown: it is what the second question is about.
    unknown = others.pop()
    for number in range(chance.randint(*TURNS)):
        shown = [way for way in favourites if chance.random() < SHOWN]
        used = [way for way in shown if chance.random() < USED]
        # Each favourite was used at least once.
        sure = favourites[number : number + 1]
        shown, used = [*shown, *_absent(sure, shown)], [*used, *_absent(sure, used)]
        recalled = shown + chance.sample(others, BESIDE)
        chance.shuffle(recalled)
        _report(draft, chance, chance.choice(pastime.before), recalled, used, ids)
    for _ in range(chance.randint(*TURNS)):
        beside = [ids[way.cue] for way in chance.sample(others, 2)]
        draft.report(
            chance.choice(pastime.often_before), [ids["often"], *beside], cited=[ids["often"]], at=_moment(chance)
        )
    draft.ask(pastime.question, *(ids[way.cue] for way in favourites), category="asked again", now=NOW)
    draft.ask(pastime.which.format(cue=unknown.cue), ids[unknown.cue], category="one of the others", now=NOW)
    draft.ask(pastime.rarely, ids["rare"], category="used for something else", now=NOW)


def _absent(ways: Sequence[Way], known: Sequence[Way]) -> list[Way]:
    return [way for way in ways if way not in known]


def _report(
    draft: Draft, chance: random.Random, text: str, recalled: Sequence[Way], used: Sequence[Way], ids: dict[str, str]
) -> None:
    shown, moment = [ids[way.cue] for way in recalled], _moment(chance)
    if used and chance.random() < CITED:
        draft.report(text, shown, cited=[ids[way.cue] for way in used], at=moment)
        return
    said = [chance.choice(ANSWERS).format(v=way.text) for way in used]
    draft.report(text, shown, answer=" ".join(said) or "Nothing of that fits today.", at=moment)


def _moment(chance: random.Random) -> datetime:
    return some_moment(chance, START + timedelta(days=NOTED_DAYS), ASKED_DAYS)
