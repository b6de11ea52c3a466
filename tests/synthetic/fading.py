"""What is told again and again as it changes, without a key and without a word about what it replaces.

`changes`: of some twenty statements that are months old and alike, and one of the last days, the last one counts.
`lasting`: a thing was told once, long ago, and newer memories with the same words do not answer; they must not push it
aside.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import attrs

from synthetic.names import PEOPLE, Cast
from synthetic.writing import Draft, shuffled, some_moment

CASES = 10
NOW = datetime(2026, 2, 2, 9, tzinfo=UTC)
OLDER = 22
"""Statements that no longer hold, a changing thing."""
OLDER_DAYS = (45, 700)
"""How long ago they were made, at the latest and at the earliest."""
RECENT_DAYS = 10
"""Within so many days the last one was."""
TOLD_DAYS = (400, 900)
"""How long ago lasting things were told."""
NEWER_DAYS = 300
"""Within so many days their lures were."""
ABOUT = 3
"""Memories made from each lure, about other people."""


@attrs.frozen
class Changing:
    """A thing that changes; each of `forms` says how it is {v}, made of one of each `parts`. near: what else is said."""

    question: str
    forms: tuple[str, ...]
    parts: tuple[tuple[str, ...], tuple[str, ...]]
    near: tuple[str, ...]


@attrs.frozen
class Lasting:
    """A thing about {p} that stays as it is. near: newer memories in its words, about {p} and another one, {x}."""

    question: str
    fact: str
    near: tuple[str, ...]


CHANGING = (
    Changing(
        "Where is the car parked?",
        ("The car is parked in {v}.", "I parked the car in {v}.", "Came home late, the car is parked in {v} this time."),
        (("Mill Lane", "Harbour Street", "the Kirchgasse", "Elm Road", "the yard"),
         (", by the kiosk", ", under the lime tree", ", opposite the school", " near the bakery", " at the corner")),
        ("The car needs new tyres.", "A parked car blocked the tram.", "The neighbour bought an electric car."),
    ),
    Changing(
        "In which room is the weekly meeting?",
        ("The weekly meeting is in room {v}.", "Room {v} for the weekly meeting.", "They moved us again, the weekly meeting is in room {v} this time."),
        (("Darwin", "Curie", "Hopper", "Lovelace", "Noether"),
         (" on the second floor", " in the annex", ", next to the lift", ", building C", " behind the canteen")),
        ("The weekly meeting was too long.", "The meeting of the parents is in the gym.", "Every room was painted white."),
    ),
    Changing(
        "What is left in the fridge?",
        ("Left in the fridge: {v}.", "In the fridge there is {v} left.", "Looked before going to bed, all that is left in the fridge is {v}."),
        (("half a cabbage", "some soup", "cold rice", "two peppers", "a slice of quiche"),
         (" and milk", " and three eggs", ", mustard and an onion", " and a jar of olives", " and butter")),
        ("The fridge hums at night.", "The left door of the fridge sticks.", "A fridge was offered on the notice board."),
    ),
    Changing(
        "What is the hint for the password of the guest network?",
        ("Hint for the password of the guest network: {v}.", "The guest network has a new password, hint: {v}.", "They changed the password of the guest network once more, the hint on the board is {v}."),
        (("first pet", "old street", "summer lake", "favourite band", "grandmother's cake"),
         (" and a year", ", backwards", ", no vowels", " plus the floor", " in capitals")),
        ("The guest network is slow.", "The password of the printer is on a label.", "A guest asked for the network."),
    ),
    Changing(
        "Which book is the reading circle on?",
        ("The reading circle is on the book {v}.", "Book of the reading circle: {v}.", "After a long vote the reading circle is on the book {v} until further notice."),
        (("The Glass", "A Winter", "My Last", "The Silent", "Nine"),
         (" Orchard", " Ferry", " Winters in Oslo", " Letters", " Neighbour")),
        ("The reading circle meets at Ana's.", "The book about bees was returned.", "Reading in bed hurts the neck."),
    ),
    Changing(
        "How far have I got with the thesis?",
        ("Got the thesis as far as {v}.", "With the thesis I have got to {v}.", "A tough day, but with the thesis I have now got as far as {v}."),
        (("chapter two", "chapter three", "chapter four", "the appendix", "the survey"),
         (", page ten", ", the second table", ", first draft", ", the footnotes", ", before the summary")),
        ("The thesis must be printed on both sides.", "The library is far from the bus.", "Somebody defended a thesis on moss."),
    ),
    Changing(
        "Who has the key to the cellar?",
        ("The key to the cellar is with {v}.", "{v} has the key to the cellar.", "In case somebody looks for the key to the cellar, {v} has it for the time being."),
        (("Mrs Okafor", "old Mr Lind", "the student", "the plumber", "the caretaker"),
         (" on the first floor", " next door", " from the shop", " across the yard", " upstairs")),
        ("The cellar is damp.", "The key to the attic broke.", "Wine is kept in the cellar."),
    ),
    Changing(
        "Which medicine does the cat get?",
        ("The cat gets {v} as medicine.", "Medicine for the cat: {v}.", "According to the vet the cat gets another medicine from today on, {v}."),
        (("drops", "the white pills", "an ointment", "syrup", "the powder"),
         (" twice a day", " with food", " for a week", ", half the dose", " in the evening")),
        ("The cat gets on with the dog.", "Medicine is sold behind the station.", "The cat sleeps in the bath."),
    ),
    Changing(
        "At which gate does the bus to the plant leave?",
        ("The bus to the plant leaves at gate {v}.", "Gate {v} for the bus to the plant.", "Because of the roadworks the bus to the plant leaves at gate {v} for now."),
        (("A", "B", "C", "D", "E"),
         ("1, at six", "2, ten past six", "3, half past six", "4, at seven", "5, quarter past")),
        ("The bus to the plant is always full.", "The gate of the garden squeaks.", "A plant stands in the bus shelter."),
    ),
    Changing(
        "What is the status of the order for the kitchen?",
        ("Status of the order for the kitchen: {v}.", "The order for the kitchen has the status {v}.", "Called the shop again, and the status of the order for the kitchen is {v}."),
        (("drawn", "sent", "confirmed", "delayed", "priced"),
         (", doors missing", ", no date", ", wrong colour", ", awaiting payment", ", tiles apart")),
        ("The kitchen has a tap that drips.", "An order of firewood came.", "The status lamp of the oven is red."),
    ),
    Changing(
        "Who is on call this weekend?",
        ("On call this weekend: {v}.", "This weekend {v} is on call.", "The list was swapped once more, so this weekend it is {v} who is on call."),
        (("Dr Weiss", "Dr Amadi", "Dr Solberg", "Dr Petit", "Dr Kaya"),
         (" with Jon", " with Mei", " with the new intern", " and Rosa", ", alone")),
        ("The weekend was rainy.", "A call from the bank came.", "The call of an owl woke us at the weekend."),
    ),
    Changing(
        "What does the scale say about my weight?",
        ("My weight on the scale: {v}.", "The scale says a weight of {v}.", "After the holidays I stepped on the scale again, and my weight is {v}."),
        (("81", "82", "83", "84", "85"),
         (".1 kilos", ".3 kilos", ".4 kilos", ".6 kilos, dressed", ".8 kilos, before breakfast")),
        ("The scale needs a battery.", "The weight of the parcel was wrong.", "The scale of the map is too small."),
    ),
)  # fmt: skip

LASTING = (
    Lasting(
        "When is the birthday of {p}?",
        "The birthday of {p} is the fourth of May.",
        ("{p} baked a cake for the birthday of {x}.", "{p} came late to the birthday of {x}.", "For the birthday of {x}, {p} wants to sing.", "{p} forgot the birthday of {x}."),
    ),
    Lasting(
        "Where was {p} born?",
        "{p} was born in Trondheim.",
        ("{p} was there when the child of {x} was born.", "{p} says {x} is a born teacher.", "{p} was born to dance, says {x}.", "The calf that {x} showed {p} was just born."),
    ),
    Lasting(
        "What is {p} allergic to?",
        "{p} is allergic to walnuts.",
        ("{p} jokes to be allergic to {x}.", "{p} asked whether {x} is allergic.", "{x} and {p} read about allergic children.", "{p} thinks the dog of {x} is allergic."),
    ),
    Lasting(
        "Which blood group does {p} have?",
        "{p} has blood group AB negative.",
        ("{p} gave blood together with {x}.", "{p} has joined the group of {x}.", "{p} and {x} have blood on their sleeves from the cherries.", "{p} leads a group for {x}."),
    ),
    Lasting(
        "What did {p} study?",
        "{p} studied forestry.",
        ("{p} studied the menu with {x}.", "{p} painted the study of {x}.", "A study that {x} sent to {p} was about sleep.", "{p} studied the map while {x} drove."),
    ),
    Lasting(
        "What is the maiden name of {p}?",
        "The maiden name of {p} is Castellani.",
        ("{p} forgot the name of the cousin of {x}.", "{p} found a name for the boat of {x}.", "{p} misspelled the name of {x}.", "{p} put the name of {x} on the list."),
    ),
    Lasting(
        "Who taught {p} to swim?",
        "It was an aunt who taught {p} to swim.",
        ("{p} went for a swim with {x}.", "{p} taught {x} to knit.", "{x} dared {p} to swim to the raft.", "{p} taught the parrot of {x} a word."),
    ),
    Lasting(
        "In which year did {p} marry?",
        "{p} married in the year 1998.",
        ("{p} spent the new year with {x}.", "{p} heard that {x} will marry.", "This year {p} and {x} planted leeks.", "{p} thinks {x} should marry at last."),
    ),
    Lasting(
        "What is the first language of {p}?",
        "The first language of {p} is Faroese.",
        ("{p} was the first to greet {x}.", "{p} likes the language of {x}.", "{p} came first in the race against {x}.", "A language course was given to {p} by {x}."),
    ),
    Lasting(
        "Which operation did {p} have as a child?",
        "As a child {p} had an operation on the left ear.",
        ("{p} looked after the child of {x}.", "{p} asked about the operation of {x}.", "{p} sent flowers to {x} after the operation.", "{p} took the child of {x} to the zoo."),
    ),
    Lasting(
        "What is {p} afraid of?",
        "{p} is afraid of lifts.",
        ("{p} is afraid that {x} will be late.", "{p} is not afraid of {x}.", "I am afraid {p} and {x} quarrelled.", "{p} asked why {x} is afraid."),
    ),
    Lasting(
        "Where did {p} do military service?",
        "{p} did military service in the mountain band.",
        ("{p} praised the service in the inn of {x}.", "{p} collects military buttons with {x}.", "{p} took the car to the service with {x}.", "The service desk sent {p} to {x}."),
    ),
)  # fmt: skip


def drafts(seed: int) -> Iterator[Draft]:
    """The cases of the set."""
    for number in range(CASES):
        chance = random.Random(f"fading {seed} {number}")
        yield shuffled(_case(f"case-{number + 1}", chance), chance)


def _case(name: str, chance: random.Random) -> Draft:
    draft, cast = Draft("fading", name), Cast(chance)
    for changing in CHANGING:
        _change(draft, changing, chance)
    for lasting in LASTING:
        _last(draft, lasting, cast.person(), chance)
    return draft


def _change(draft: Draft, changing: Changing, chance: random.Random) -> None:
    values = [first + second for first in changing.parts[0] for second in changing.parts[1]]
    *older, last = chance.sample(values, OLDER + 1)
    late, early = OLDER_DAYS
    for value in older:
        moment = some_moment(chance, NOW - timedelta(days=early), early - late)
        draft.remember(chance.choice(changing.forms).format(v=value), created_at=moment)
    for sentence in changing.near:
        draft.remember(sentence, created_at=some_moment(chance, NOW - timedelta(days=early), early))
    moment = some_moment(chance, NOW - timedelta(days=RECENT_DAYS), RECENT_DAYS)
    newest = draft.remember(chance.choice(changing.forms).format(v=last), created_at=moment)
    draft.ask(changing.question, newest, category="changes", now=NOW)


def _last(draft: Draft, lasting: Lasting, person: str, chance: random.Random) -> None:
    late, early = TOLD_DAYS
    told = some_moment(chance, NOW - timedelta(days=early), early - late)
    gold = draft.remember(lasting.fact.format(p=person), created_at=told)
    others = [other for other in PEOPLE if other != person]
    for sentence in lasting.near:
        for other in chance.sample(others, ABOUT):
            moment = some_moment(chance, NOW - timedelta(days=NEWER_DAYS), NEWER_DAYS)
            draft.remember(sentence.format(p=person, x=other), created_at=moment)
    draft.ask(lasting.question.format(p=person), gold, category="lasting", now=NOW)
