"""Facts that were corrected: the older statement has the words of the question, the newer one says it another way.

How the newer one is known to be newer is drawn by lot: `supersedes`, the same `key`, or triples of one subject (by name
or alias) and a predicate that has one value at a time (`PREDICATES`, for `rag.conflict.functionalPredicates`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import attrs

from synthetic.names import Cast
from synthetic.writing import Draft, shuffled, some_moment

CASES = 4
START = datetime(2023, 1, 9, tzinfo=UTC)
DAYS = 900
TIMES = 3
"""How often each kind of fact stands in a case, about other people."""
CORRECTED_TWICE = 0.3
"""Share of facts with two corrections."""


@attrs.frozen
class Fact:
    """Something about {p} that has one value {v} at a time. near: what is said of {p} in the same words."""

    predicate: str
    question: str
    older: str
    newer: tuple[str, str]
    values: tuple[str, ...]
    near: tuple[str, ...]


FACTS = (
    Fact(
        "works_at", "Where does {p} work?", "{p} works at {v}, in the front office.",
        ("{p} has started over at {v}.", "Since the spring {p} earns a living with {v}."),
        ("Halvorsen Optics", "the harbour board", "Tilia Seeds", "the county archive"),
        ("{p} cycles to work.", "{p} finds work dull in January."),
    ),
    Fact(
        "lives_in", "In which town does {p} live?", "{p} lives in the town of {v}, above a bakery.",
        ("{p} has moved on to {v}.", "Post for {p} goes to {v} now."),
        ("Gimo", "Larkhill", "Osterby", "Pennac"),
        ("{p} knows every town along the river.", "{p} would like to live by the sea."),
    ),
    Fact(
        "phone", "What is the phone number of {p}?", "The phone number of {p} is {v}.",
        ("To reach {p}, dial {v} instead.", "{p} answers at {v} these days."),
        ("555 0142", "555 0199", "555 0107", "555 0163"),
        ("{p} forgot the phone at the sauna.", "The number of phone calls made {p} nervous."),
    ),
    Fact(
        "drives", "Which car does {p} drive?", "{p} drives a car made by {v}.",
        ("{p} traded it in for a {v}.", "In front of the house of {p} stands a {v}."),
        ("Tatra", "Borgward", "Lancia", "Wartburg"),
        ("{p} cannot drive a car at night.", "{p} washes the car every Saturday."),
    ),
    Fact(
        "doctor", "Who is the doctor of {p}?", "The doctor of {p} is {v}.",
        ("{p} is treated by {v} from now on.", "{p} has changed over to {v} at the health centre."),
        ("Dr Abelin", "Dr Marchetti", "Dr Osei", "Dr Zwart"),
        ("{p} wanted to be a doctor.", "{p} brought the doctor a cake."),
    ),
    Fact(
        "breakfast", "What does {p} eat for breakfast?", "For breakfast {p} eats {v}.",
        ("{p} begins the day on {v} nowadays.", "It is {v} for {p} in the mornings."),
        ("porridge", "toast with anchovies", "cold pizza", "grapefruit"),
        ("{p} eats out on Fridays.", "{p} reads the paper at breakfast."),
    ),
    Fact(
        "rent", "How much rent does {p} pay?", "{p} pays a rent of {v} euros.",
        ("The landlord of {p} now gets {v} euros.", "By the new contract {p} owes {v} euros a month."),
        ("640", "815", "970", "1120"),
        ("{p} pays the rent in cash.", "{p} is late with the rent."),
    ),
    Fact(
        "instrument", "Which instrument does {p} play?", "{p} plays an instrument: the {v}.",
        ("{p} has taken up the {v}.", "In the band one hears {p} on the {v}."),
        ("bassoon", "mandolin", "viola", "trombone"),
        ("{p} plays chess.", "{p} restores an old instrument for a museum."),
    ),
    Fact(
        "parking", "In which parking space does {p} park?", "{p} parks in parking space {v}.",
        ("Bay {v} is the one for {p} now.", "{p} was given {v} in the garage."),
        ("A7", "B12", "C3", "D20"),
        ("{p} got a fine for parking.", "{p} needs more space for boxes."),
    ),
    Fact(
        "diet", "What kind of diet does {p} follow?", "{p} follows a {v} diet.",
        ("{p} cooks {v} only, as of late.", "On the advice of a cousin {p} went {v}."),
        ("vegan", "gluten-free", "ketogenic", "pescatarian"),
        ("{p} does not follow football.", "{p} says every diet is boring."),
    ),
    Fact(
        "school", "Which school do the children of {p} go to?", "The children of {p} go to school at {v}.",
        ("The kids of {p} are pupils of {v} this year.", "{v} is where {p} brings the little ones."),
        ("Birkeskole", "Saint Odile", "the Quayside Academy", "Lindenhof"),
        ("The children of {p} like to sing.", "{p} hated school."),
    ),
    Fact(
        "meeting_day", "On which day is the weekly meeting of {p}?", "The weekly meeting of {p} is on {v}.",
        ("The team of {p} gathers each {v} instead.", "{p} has put the round to {v}."),
        ("Monday", "Tuesday", "Wednesday", "Thursday"),
        ("{p} was late for the meeting.", "A day at sea calms {p}."),
    ),
    Fact(
        "bank", "At which bank does {p} have an account?", "{p} has an account at the bank {v}.",
        ("The savings of {p} lie with {v} now.", "{p} has moved everything to {v}."),
        ("Nordhaus", "Credi Verde", "Three Rivers", "Alpina"),
        ("{p} sat on the bank of the canal.", "The account {p} gave of the trip was long."),
    ),
    Fact(
        "supervisor", "Who supervises {p}?", "{p} is supervised by {v}.",
        ("{p} answers to {v} after the reshuffle.", "{v} signs the holiday slips of {p} now."),
        ("Mrs Ekwall", "Mr Duarte", "Ms Inoue", "Mr Pokorny"),
        ("{p} supervises three trainees.", "{p} is supervised on video, like everybody."),
    ),
    Fact(
        "gym", "When does {p} go to the gym?", "{p} goes to the gym {v}.",
        ("{p} lifts weights {v} by now.", "{p} trains {v} since the accident."),
        ("before dawn", "at lunch", "after nine at night", "on weekends"),
        ("{p} lost a towel at the gym.", "{p} goes to the opera twice a year."),
    ),
    Fact(
        "dose", "What is the dose of the tablets of {p}?", "The dose of the tablets of {p} is {v} milligrams.",
        ("{p} has to take {v} milligrams from today.", "The pharmacist put {p} on {v} milligrams."),
        ("10", "15", "25", "40"),
        ("{p} forgets the tablets on holidays.", "A dose of sleep is what {p} needs."),
    ),
    Fact(
        "favourite_colour", "What is the favourite colour of {p}?", "The favourite colour of {p} is {v}.",
        ("{p} fell for {v} this winter.", "{p} wears nothing but {v} now."),
        ("teal", "ochre", "crimson", "lilac"),
        ("{p} has a favourite mug.", "{p} cannot tell one colour from another."),
    ),
    Fact(
        "backup", "Where does {p} keep the backup disks?", "{p} keeps the backup disks in {v}.",
        ("{p} has carried them all over to {v}.", "If disks are needed: {p} says {v}."),
        ("a safe", "the garden shed", "a drawer at the office", "the wine cellar"),
        ("{p} keeps hens.", "{p} made a backup on Sunday."),
    ),
    Fact(
        "language", "Which language is {p} learning?", "{p} is learning a language: {v}.",
        ("{p} has enrolled for {v} instead.", "One hears {p} mumble {v} words on the bus."),
        ("Basque", "Swahili", "Welsh", "Korean"),
        ("{p} is learning to weld.", "The language of {p} is rude at times."),
    ),
    Fact(
        "partner", "Who is {p} married to?", "{p} is married to {v}.",
        ("{p} shares a home with {v} after the divorce.", "{p} and {v} tied the knot in May."),
        ("Leopold", "Annika", "Cyril", "Beatrix"),
        ("{p} married early.", "{p} cried when the neighbours got married."),
    ),
    Fact(
        "size", "What shoe size does {p} wear?", "{p} wears shoe size {v}.",
        ("{p} bought boots in {v}, and they fit.", "The feet of {p} need a {v} after all."),
        ("38", "40", "42", "44"),
        ("{p} wears no shoes at home.", "The size of the crowd scared {p}."),
    ),
    Fact(
        "flight", "Which flight is {p} booked on?", "{p} is booked on flight {v}.",
        ("{p} was put onto {v} by the airline.", "{p} will arrive with {v} instead."),
        ("KX 311", "LV 82", "QT 907", "RM 44"),
        ("{p} is afraid of every flight.", "{p} booked a table for nine."),
    ),
    Fact(
        "browser", "Which browser does {p} use?", "{p} uses the browser {v}.",
        ("{p} has switched over to {v}.", "On the new laptop {p} opens {v}."),
        ("Falkon", "Vivaldi", "Epiphany", "Konqueror"),
        ("{p} uses two screens.", "The browser of {p} has ninety tabs."),
    ),
    Fact(
        "team", "Which football team does {p} support?", "{p} supports the football team {v}.",
        ("{p} has a season ticket for {v} now.", "The scarf of {p} is that of {v}."),
        ("Rovers", "Sporting", "Dynamo", "Wanderers"),
        ("{p} broke a toe at football.", "{p} supports a family of swifts."),
    ),
)  # fmt: skip

PREDICATES = tuple(fact.predicate for fact in FACTS)

Statement = dict[str, Any]


def drafts(seed: int) -> Iterator[Draft]:
    """The cases of the set."""
    for number in range(CASES):
        chance = random.Random(f"supersession {seed} {number}")
        yield _case(f"case-{number + 1}", chance)


def _case(name: str, chance: random.Random) -> Draft:
    draft, cast = Draft("supersession", name), Cast(chance)
    for fact in chance.sample(FACTS * TIMES, TIMES * len(FACTS)):
        _add(draft, fact, cast.person(), chance)
    # What is replaced has to be stored before what replaces it.
    draft = shuffled(draft, chance)
    draft.memories.sort(key=lambda row: row["created_at"])
    return draft


def _add(draft: Draft, fact: Fact, person: str, chance: random.Random) -> None:
    corrections = 2 if chance.random() < CORRECTED_TWICE else 1
    values = chance.sample(fact.values, corrections + 1)
    forms = (fact.older, *chance.sample(fact.newer, corrections))
    moments = sorted(some_moment(chance, START, DAYS) for _ in forms)
    said = _say(chance.choice(("supersedes", "key", "triple")), fact, person, values, chance)
    last: str | None = None
    for place, (form, moment) in enumerate(zip(forms, moments, strict=True)):
        fields = said[place]
        if fields.pop("replaces", False):
            fields["supersedes"] = [last]
        # Two statements of one minute would have no order.
        moment += timedelta(seconds=place)
        last = draft.remember(form.format(p=person, v=values[place]), created_at=moment, occurred_at=moment, **fields)
    for sentence in fact.near:
        moment = some_moment(chance, START, DAYS)
        draft.remember(sentence.format(p=person), created_at=moment, occurred_at=moment)
    assert last is not None
    draft.ask(fact.question.format(p=person), last, category=_category(said))


def _say(how: str, fact: Fact, person: str, values: list[str], chance: random.Random) -> list[Statement]:
    """What is said of each statement, so that the last one is known to count."""
    if how == "supersedes":
        return [{"replaces": place > 0} for place in range(len(values))]
    if how == "key":
        return [{"key": f"{person.lower()}/{fact.predicate}"} for _ in values]
    alias = person[:3] + "chen"
    names = [chance.choice((person, alias)) for _ in values]
    triples = [
        {"kind": "triple", "name": name, "predicate": fact.predicate, "value": value}
        for name, value in zip(names, values, strict=True)
    ]
    known_as = {"kind": "alias", "name": alias, "value": person}
    return [{"annotations": [known_as, triple]} for triple in triples]


def _category(said: list[Statement]) -> str:
    return "key" if "key" in said[0] else "triple" if "annotations" in said[0] else "supersedes"
