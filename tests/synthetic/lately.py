"""Entries of a log that was read in late, day by day and out of order: only the event time says what is going on.

`going on`: a thing has an entry every day, every few days or every week; the last one counts. `coming up`: of the
appointments of one kind the next one counts, which lies ahead. `long ago`: an event of years ago is asked for, and
newer events with the same words do not answer; they must not push it aside. No question names a day: one that does is
answered by its date.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import attrs

from synthetic.names import PEOPLE, Cast
from synthetic.writing import Draft, shuffled, some_moment

CASES = 10
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
READ_DAYS = 20
"""The log was read in within so many days."""
CADENCES = (1, 3, 7)
"""Days from entry to entry of a thing that is going on."""
ENTRIES = 20
APPOINTMENT_DAYS = 30
"""About so many from one appointment to the next."""
APPOINTMENTS = 14
"""The last two of them lie ahead."""
LONG_AGO_DAYS = (500, 1500)
"""How long ago old events were, at the latest and at the earliest."""
NEWER_DAYS = 120
"""Within so many days their lures were."""
ABOUT = 3
"""Lures made from each sentence, about other people."""


@attrs.frozen
class Thing:
    """A thing with entries over time; each of `forms` says how it is {v}, made of one of each of `parts`."""

    question: str
    forms: tuple[str, ...]
    parts: tuple[tuple[str, ...], tuple[str, ...]]

    def entries(self, count: int, chance: random.Random) -> list[str]:
        """So many different ones, each in a form drawn by lot."""
        values = [first + second for first in self.parts[0] for second in self.parts[1]]
        return [chance.choice(self.forms).format(v=value) for value in chance.sample(values, count)]


@attrs.frozen
class Event:
    """An event of {p}. near: newer events in its words, of {p} and another one, {x}."""

    question: str
    event: str
    near: tuple[str, ...]


GOING_ON = (
    Thing(
        "Who is on standby for the pumps?",
        ("On standby for the pumps: {v}.", "{v} on standby, pumps.", "The standby for the pumps went over to {v} this morning."),
        (("Abel", "Birgit", "Curt", "Doris", "Egon"), (" and Falk", " and Gerda", ", phone two", " with the trainee", ", alone")),
    ),
    Thing(
        "What is the crew working on?",
        ("The crew is working on {v}.", "Crew at work on {v}.", "According to the site book the crew began to work on {v}."),
        (("the north wall", "the stairs", "the drains", "the attic", "the cornice"), (", second coat", ", rough work", ", after a delay", ", with scaffolding", ", measuring")),
    ),
    Thing(
        "How is the patient in bed nine?",
        ("Patient in bed nine: {v}.", "The patient in bed nine is {v}.", "Round at seven, the patient in bed nine was found {v}."),
        (("feverish", "pale", "awake", "weak", "cheerful"), (" and hungry", ", no pain", ", coughing", ", short of breath", " and restless")),
    ),
    Thing(
        "Where is the exhibition being shown?",
        ("The exhibition is shown in {v}.", "Exhibition: now shown in {v}.", "The lorry has come, and the exhibition is being shown in {v}."),
        (("the old mill", "the town library", "a barn", "the customs hall", "the academy"), (" of Aarau", " of Bled", " of Chur", " of Drama", " of Elva")),
    ),
    Thing(
        "Which chapter is the reading circle at?",
        ("The reading circle is at {v}.", "Reading circle: chapter {v}.", "We met at the usual place, and the reading circle has come to {v}."),
        (("the storm", "the trial", "the ball", "the shipwreck", "the letter"), (", first half", ", the end", ", read aloud", ", skipped a page", ", twice")),
    ),
    Thing(
        "What is on the menu at the hostel?",
        ("On the menu at the hostel: {v}.", "The hostel has {v} on the menu.", "The board at the hostel was wiped, and on the menu there is {v}."),
        (("lentils", "trout", "dumplings", "leek tart", "stew"), (" with chard", " and rice", " with beets", ", then plums", " and salad")),
    ),
    Thing(
        "Which server carries the backups?",
        ("The backups are carried by the server {v}.", "Backups: server {v}.", "After the switch at night the server that carries the backups is {v}."),
        (("argon", "boron", "cobalt", "dubnium", "erbium"), ("-1", "-2", "-3", "-4", "-5")),
    ),
    Thing(
        "How high is the river at the lock?",
        ("The river at the lock is {v} high.", "River, at the lock: {v}.", "The gauge at the lock was read, and the river is {v} high."),
        (("two metres", "three metres", "four metres", "five metres", "six metres"), (" ten", " twenty", " thirty", " forty", " fifty")),
    ),
)  # fmt: skip

COMING_UP = (
    Thing(
        "When does {p} see the physiotherapist?",
        ("{p} sees the physiotherapist {v}.", "Physiotherapist for {p}, {v}.", "It was agreed on the phone that {p} sees the physiotherapist {v}."),
        (("at eight", "at ten", "at noon", "at three", "at five"), (", bring a towel", ", room two", ", by bus", ", back and neck", ", last of six")),
    ),
    Thing(
        "Where does {p} give a lecture?",
        ("{p} gives a lecture in {v}.", "Lecture of {p}: {v}.", "The poster has been printed, {p} gives a lecture in {v}."),
        (("the aula", "the planetarium", "the crypt", "hall six", "the rowing club"), (" on bats", " on tides", " on comets", " on yeast", " on knots")),
    ),
    Thing(
        "With whom does {p} have an interview?",
        ("{p} has an interview with {v}.", "Interview of {p} with {v}.", "The office confirmed that {p} has an interview with {v}."),
        (("a glazier", "a judge", "a novelist", "a bishop", "a diver"), (" from Graz", " from Hull", " from Ivrea", " from Jena", " from Kotor")),
    ),
    Thing(
        "What does {p} bring to the potluck?",
        ("{p} brings {v} to the potluck.", "Potluck, {p}: {v}.", "By the list on the door it is {v} that {p} brings to the potluck."),
        (("olives", "a quiche", "flatbread", "a pie", "beans"), (" with thyme", " with feta", ", a large one", " without nuts", " and a jug")),
    ),
)  # fmt: skip

LONG_AGO = (
    Event(
        "Where did {p} pass the driving test?", "{p} passed the driving test on an airfield.",
        ("{p} congratulated {x}, who passed the driving test.", "{p} took {x} to the driving test.", "{p} passed {x} on the way to a test.", "{p} was driving {x} to school."),
    ),
    Event(
        "What did {p} win at the fair?", "At the fair {p} won a goose.",
        ("{p} saw {x} win at the fair.", "{p} went to the fair with {x}.", "{p} said that {x} won at the fair again.", "{p} won a bet against {x}."),
    ),
    Event(
        "Who taught {p} to swim?", "A retired sailor taught {p} to swim.",
        ("{p} taught {x} to swim.", "{p} went for a swim with {x}.", "{p} taught {x} a card trick.", "{p} said that swimming can be taught, said {x}."),
    ),
    Event(
        "In which play did {p} act at school?", "{p} acted in a play about bees at school.",
        ("{p} saw {x} act in a play at school.", "{p} played football with {x} at school.", "{p} acted as if {x} were not there.", "{p} saw a school play with {x}."),
    ),
    Event(
        "What did {p} break on the honeymoon?", "On the honeymoon {p} broke a toe.",
        ("{p} heard that {x} broke an arm on the honeymoon.", "{p} asked about the honeymoon of {x}.", "{p} broke the news of the honeymoon to {x}.", "{p} broke a promise to {x}."),
    ),
    Event(
        "Which ship did {p} sail to Iceland on?", "{p} sailed to Iceland on a ship named Petrel.",
        ("{p} saw {x} sail off to Iceland on a ship.", "{p} sailed around the bay with {x}.", "{p} read of Iceland to {x}.", "{p} sailed a model ship with {x}."),
    ),
    Event(
        "What did {p} study before law?", "{p} studied geology before law.",
        ("{p} met {x}, who studied music before law.", "{p} had dinner with {x} before the study group.", "{p} met the mother-in-law of {x}.", "{p} studied the law on hedges with {x}."),
    ),
    Event(
        "Where did {p} find the meteorite?", "{p} found the meteorite in a gravel pit.",
        ("{p} did not believe that {x} found a meteorite.", "{p} showed {x} a film on meteorites.", "{p} found {x} in the crowd.", "{p} drew a meteorite for {x}."),
    ),
    Event(
        "Who painted the portrait of {p}?", "The portrait of {p} was painted by a blind monk.",
        ("{p} painted a portrait of {x}.", "{p} hung a portrait of {x}.", "{p} bought paint for {x}.", "{p} laughed at the portrait that {x} painted."),
    ),
    Event(
        "What did {p} inherit from the aunt?", "From the aunt {p} inherited a barrel organ.",
        ("{p} envied {x}, who inherits from an aunt.", "{p} talked with {x} about what one inherits.", "{p} took the aunt of {x} to the station.", "{p} visited the aunt of {x}."),
    ),
    Event(
        "At what did {p} cheat in the exam?", "{p} cheated in the exam at Latin verbs.",
        ("{p} saw {x} cheat in the exam.", "{p} accused {x} of cheating at cards.", "{p} examined the bike of {x}.", "{p} wished {x} luck in the exam."),
    ),
    Event(
        "Which peak did {p} climb in Peru?", "{p} climbed the peak Huascaran in Peru.",
        ("{p} watched a film with {x} on climbing a peak in Peru.", "{p} got a hat from Peru for {x}.", "{p} saw the peak of the mountain with {x}.", "{p} climbs indoors with {x}."),
    ),
)  # fmt: skip


def drafts(seed: int) -> Iterator[Draft]:
    """The cases of the set."""
    for number in range(CASES):
        chance = random.Random(f"lately {seed} {number}")
        yield shuffled(_case(f"case-{number + 1}", chance), chance)


def _case(name: str, chance: random.Random) -> Draft:
    draft, cast = Draft("lately", name), Cast(chance)
    for thing in GOING_ON:
        _go_on(draft, thing, chance)
    for thing in COMING_UP:
        _come_up(draft, thing, cast.person(), chance)
    for event in LONG_AGO:
        _happen(draft, event, cast.person(), chance)
    return draft


def _go_on(draft: Draft, thing: Thing, chance: random.Random) -> None:
    cadence = chance.choice(CADENCES)
    last = some_moment(chance, NOW - timedelta(days=cadence), cadence)
    ids = [
        _read(draft, entry, last - timedelta(days=cadence * number), chance)
        for number, entry in enumerate(thing.entries(ENTRIES, chance))
    ]
    draft.ask(thing.question, ids[0], category="going on", now=NOW)


def _come_up(draft: Draft, thing: Thing, person: str, chance: random.Random) -> None:
    upcoming = some_moment(chance, NOW, APPOINTMENT_DAYS)
    ids = [
        _read(draft, entry.format(p=person), upcoming + timedelta(days=APPOINTMENT_DAYS * (1 - number)), chance)
        for number, entry in enumerate(_about(thing).entries(APPOINTMENTS, chance))
    ]
    draft.ask(thing.question.format(p=person), ids[1], category="coming up", now=NOW)


def _about(thing: Thing) -> Thing:
    """The same with the person left open when a value is put in."""
    return attrs.evolve(thing, forms=tuple(form.replace("{p}", "{{p}}") for form in thing.forms))


def _happen(draft: Draft, event: Event, person: str, chance: random.Random) -> None:
    late, early = LONG_AGO_DAYS
    then = some_moment(chance, NOW - timedelta(days=early), early - late)
    gold = _read(draft, event.event.format(p=person), then, chance)
    others = [other for other in PEOPLE if other != person]
    for sentence in event.near:
        for other in chance.sample(others, ABOUT):
            moment = some_moment(chance, NOW - timedelta(days=NEWER_DAYS), NEWER_DAYS)
            _read(draft, sentence.format(p=person, x=other), moment, chance)
    draft.ask(event.question.format(p=person), gold, category="long ago", now=NOW)


def _read(draft: Draft, entry: str, occurred: datetime, chance: random.Random) -> str:
    # What has happened was written down afterwards, an appointment at any time.
    began = NOW - timedelta(days=READ_DAYS)
    start = max(began, occurred) if occurred < NOW else began
    read = some_moment(chance, start, (NOW - start) / timedelta(days=1))
    return draft.remember(entry, occurred_at=occurred, created_at=read)
