"""What went on at the same time: an episode is an event and others near it in time that share no word with it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import attrs

from synthetic.names import Cast
from synthetic.writing import Draft, shuffled, some_moment

CASES = 5
START = datetime(2022, 2, 1, tzinfo=UTC)
DAYS = 1000
COMPANIONS = 3
"""Events beside the one that is asked about; they are the gold."""
SPREAD_DAYS = 1.5
"""How far from it they may lie."""
BACKGROUND = 90
"""Other events of a case, on any day."""


@attrs.frozen
class Anchor:
    """An event of {p} in {place} and how a question names it; `near` are distractors in its words, on other days."""

    event: str
    phrase: str
    near: tuple[str, ...]


ANCHORS = (
    Anchor(
        "The boiler in {place} gave up in the middle of the night.",
        "the night the boiler in {place} gave up",
        ("The boiler in {place} was swept and serviced.", "{p} asked for three offers for a boiler in {place}."),
    ),
    Anchor(
        "{p} defended the thesis on glaciers.",
        "the day {p} defended the thesis",
        ("{p} handed in the thesis on glaciers.", "{p} lectured on glaciers in {place}."),
    ),
    Anchor(
        "The flood took the wooden bridge at {place}.",
        "the flood at {place}",
        ("After the last flood {place} built a dyke.", "The bridge at {place} got a new railing."),
    ),
    Anchor(
        "{p} married in the town hall of {place}.",
        "the wedding of {p} in the town hall of {place}",
        ("{p} tried on a dress for the wedding.", "The town hall of {place} was painted."),
    ),
    Anchor(
        "{p} broke a wrist on the ice rink in {place}.",
        "the broken wrist of {p}",
        ("{p} learned to skate on the ice rink in {place}.", "The wrist of {p} has a tattoo of a swallow."),
    ),
    Anchor(
        "The new tram line to {place} had its first ride.",
        "the first ride of the tram line to {place}",
        ("Roadworks for the tram line to {place} began.", "{p} collects tickets of the tram in {place}."),
    ),
    Anchor(
        "{p} sold the bakery in {place} after thirty years.",
        "the sale of the bakery of {p} in {place}",
        ("The bakery in {place} won a prize for rye bread.", "{p} opened the bakery at five every morning."),
    ),
    Anchor(
        "Thieves emptied the gallery in {place}.",
        "the theft from the gallery in {place}",
        ("The gallery in {place} showed portraits of fishermen.", "{p} guards the gallery in {place} on Sundays."),
    ),
    Anchor(
        "{p} was elected to the council of {place}.",
        "the election of {p} to the council of {place}",
        ("{p} wrote to the council of {place} about noise.", "The council of {place} meets in the gym."),
    ),
    Anchor(
        "The servers in {place} were moved to the new cellar.",
        "the move of the servers in {place}",
        ("The servers in {place} got more memory.", "{p} bottled wine in the cellar in {place}."),
    ),
    Anchor(
        "{p} gave birth to twins in {place}.",
        "the birth of the twins of {p}",
        ("The twins of {p} started school.", "{p} bought a pram for twins in {place}."),
    ),
    Anchor(
        "A storm tore the roof off the theatre in {place}.",
        "the storm that hit the theatre in {place}",
        ("The theatre in {place} rehearsed a play about a storm.", "{p} laid slates on the roof in {place}."),
    ),
    Anchor(
        "{p} retired from the lighthouse at {place}.",
        "the day {p} retired from the lighthouse at {place}",
        ("{p} painted the lighthouse at {place} white.", "The lighthouse at {place} can be visited."),
    ),
    Anchor(
        "{p} crashed the van into the gate in {place}.",
        "the crash of {p} with the van in {place}",
        ("{p} had the van inspected in {place}.", "The gate in {place} squeaks."),
    ),
    Anchor(
        "The orchestra of {place} played its last concert under {p}.",
        "the last concert of the orchestra of {place} under {p}",
        ("The orchestra of {place} went on tour.", "{p} tuned the harp for a concert in {place}."),
    ),
    Anchor(
        "{p} finished the quilt for the fair in {place}.",
        "the day {p} finished the quilt",
        ("{p} cut patches for the quilt.", "The fair in {place} has a quilt contest."),
    ),
    Anchor(
        "Wolves were seen on the golf course of {place}.",
        "the wolves on the golf course of {place}",
        ("The golf course of {place} got nine more holes.", "{p} wrote a song about wolves."),
    ),
    Anchor(
        "The dam above {place} was opened for the first time in years.",
        "the opening of the dam above {place}",
        ("{p} hiked to the dam above {place}.", "An engineer tapped on the dam above {place}."),
    ),
    Anchor(
        "{p} lost the passport at the border near {place}.",
        "the loss of the passport of {p}",
        ("{p} renewed the passport in {place}.", "The border near {place} runs through a barn."),
    ),
    Anchor(
        "The museum ship of {place} ran aground.",
        "the grounding of the museum ship of {place}",
        ("The museum ship of {place} got new sails.", "{p} slept aboard the museum ship of {place}."),
    ),
)  # fmt: skip

EVENTS = (
    "{a} had a tooth pulled.", "{a} changed the winter tyres.", "{a} paid back the loan from {b}.",
    "{a} planted garlic along the fence.", "{a} stayed on the sofa of {b}.", "{a} ran out of insulin and borrowed some.",
    "{a} quit smoking once more.", "{a} translated a manual for pumps.", "{a} beat {b} at chess in nineteen moves.",
    "{a} found mould behind the wardrobe.", "{a} adopted a one-eyed cat.", "{a} cancelled the gym membership.",
    "{a} dyed her hair copper.", "{a} got a speeding fine of eighty euros.", "{a} cooked goulash for eleven guests.",
    "{a} repaired the accordion of {b}.", "{a} switched to a night shift.", "{a} failed the sailing exam.",
    "{a} read a eulogy for an uncle.", "{a} wrote to the landlord about the lift.", "{a} harvested the quinces.",
    "{a} swapped phones with {b} by mistake.", "{a} tried needle felting.", "{a} donated blood.",
    "{a} taught {b} to whistle with two fingers.", "{a} lost a suitcase with samples.", "{a} started on antibiotics.",
    "{a} hung curtains with {b}.", "{a} bid on a grandfather clock.", "{a} caught a pike of nine kilos.",
    "{a} installed a water meter.", "{a} wore a borrowed suit to an interview.", "{a} returned the drill to {b}.",
    "{a} mended the net of the trampoline.", "{a} watched a lunar eclipse.", "{a} had the hives checked for mites.",
    "{a} deleted all old mails.", "{a} sprained an ankle at volleyball.", "{a} ordered firewood for two households.",
    "{a} unclogged the sink with {b}.", "{a} mailed a parcel to Peru.", "{a} signed a lease with {b}.",
    "{a} glued the handle of the teapot.", "{a} joined the volunteer firefighters.", "{a} ironed forty napkins.",
    "{a} argued with {b} about the hedge.", "{a} took the parrot to the vet.", "{a} spotted an owl in the chimney.",
)  # fmt: skip

QUESTIONS = (
    "What else happened around the time of {phrase}?",
    "What was going on in the days of {phrase}?",
    "Is there anything else from about then: {phrase}?",
)


def drafts(seed: int) -> Iterator[Draft]:
    """The cases of the set; every anchor stands twice in each, about other people and places."""
    for number in range(CASES):
        chance = random.Random(f"temporal {seed} {number}")
        yield shuffled(_case(f"case-{number + 1}", chance), chance)


def _case(name: str, chance: random.Random) -> Draft:
    draft, cast = Draft("temporal", name), Cast(chance)
    for anchor in chance.sample(ANCHORS * 2, 2 * len(ANCHORS)):
        _add(draft, anchor, cast, chance)
    for _ in range(BACKGROUND):
        _happen(draft, cast, chance, some_moment(chance, START, DAYS))
    return draft


def _add(draft: Draft, anchor: Anchor, cast: Cast, chance: random.Random) -> None:
    names = {"p": cast.person(), "place": cast.place()}
    moment = some_moment(chance, START, DAYS)
    draft.remember(anchor.event.format(**names), occurred_at=moment)
    for sentence in anchor.near:
        draft.remember(sentence.format(**names), occurred_at=some_moment(chance, START, DAYS))
    companions = [
        _happen(draft, cast, chance, moment + timedelta(days=chance.uniform(-SPREAD_DAYS, SPREAD_DAYS)))
        for _ in range(COMPANIONS)
    ]
    question = chance.choice(QUESTIONS).format(phrase=anchor.phrase.format(**names))
    draft.ask(question, *companions, category="same days")


def _happen(draft: Draft, cast: Cast, chance: random.Random, moment: datetime) -> str:
    event = chance.choice(EVENTS).format(a=cast.person(), b=cast.person())
    return draft.remember(event, occurred_at=moment.replace(microsecond=0))
