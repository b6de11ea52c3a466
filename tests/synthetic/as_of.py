"""Questions about the past: what was recorded at a moment, and what had happened by then.

`rewritten`: the text has been updated since. `gone`: it has expired or been evicted since. `corrected`: something else
was recorded since. `happened later`: reports of one thing follow each other, and the last one before the moment counts.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import attrs

from synthetic.names import Cast
from synthetic.writing import Draft, some_moment

CASES = 4
START = datetime(2024, 1, 8, tzinfo=UTC)
NOW = datetime(2026, 1, 5, tzinfo=UTC)
STEP_DAYS = 120
"""About so long a version stands."""
REPORTS = 22
"""Reports of one thing."""


@attrs.frozen
class Note:
    """A note on something in {place} with a changing value. near: what else is said of it in the same words."""

    text: str
    question: str
    values: tuple[str, ...]
    near: tuple[str, ...]


NOTES = (
    Note(
        "The key to the cabin in {place} hangs {v}.", "Where does the key to the cabin in {place} hang?",
        ("behind the shutter", "in the woodshed", "under the third pot", "at the neighbour's"),
        ("The cabin in {place} sleeps six.", "A spare key to the cabin in {place} was made."),
    ),
    Note(
        "The gate code in {place} is {v}.", "What is the gate code in {place}?",
        ("4471", "9026", "1835", "7710"),
        ("The gate in {place} sticks in the frost.", "The dress code in {place} is strict."),
    ),
    Note(
        "In {place} the bins are emptied on {v}.", "When are the bins emptied in {place}?",
        ("Mondays", "Tuesdays", "Thursdays", "Fridays"),
        ("The bins in {place} attract foxes.", "In {place} the pool is emptied for the winter."),
    ),
    Note(
        "The caretaker in {place} is {v}.", "Who is the caretaker in {place}?",
        ("old Mr Brandt", "Mrs Silvestre", "a student called Lew", "the sexton"),
        ("The caretaker in {place} has a ladder.", "{place} looks for a caretaker of the cemetery."),
    ),
    Note(
        "The budget for the roof in {place} is {v} euros.", "How large is the budget for the roof in {place}?",
        ("twelve thousand", "nineteen thousand", "thirty thousand", "eight thousand"),
        ("Pigeons sit on the roof in {place}.", "The budget for the school in {place} was cut."),
    ),
    Note(
        "The staging server in {place} is called {v}.", "What is the staging server in {place} called?",
        ("heron", "plover", "bittern", "curlew"),
        ("The staging server in {place} was rebooted.", "The cat in {place} is called Mops."),
    ),
    Note(
        "The deadline for the {place} tender is {v}.", "What is the deadline for the {place} tender?",
        ("the third of May", "the tenth of June", "the last of June", "mid July"),
        ("Four firms answered the {place} tender.", "Somebody missed a deadline in {place}."),
    ),
    Note(
        "The train to {place} leaves from platform {v}.", "From which platform does the train to {place} leave?",
        ("2", "5", "9", "11"),
        ("The train to {place} has a dining car.", "A platform for divers floats off {place}."),
    ),
    Note(
        "The password hint for {place} is {v}.", "What is the password hint for {place}?",
        ("first bicycle", "grandmother's village", "a brand of skis", "the lame horse"),
        ("The password for {place} is long.", "There was a hint of snow in {place}."),
    ),
    Note(
        "Vegetables in {place} come from {v}.", "Where do the vegetables in {place} come from?",
        ("the monastery", "a rooftop farm", "two brothers", "the prison garden"),
        ("Vegetables in {place} are dear in March.", "Tourists in {place} come by boat."),
    ),
    Note(
        "The choir in {place} rehearses at {v}.", "At what time does the choir in {place} rehearse?",
        ("half past six", "eight", "noon", "a quarter past seven"),
        ("The choir in {place} lacks tenors.", "The theatre in {place} rehearses a farce."),
    ),
    Note(
        "The wifi in {place} is named {v}.", "What is the name of the wifi in {place}?",
        ("Tortoise", "Umbrella", "Kettle", "Lantern"),
        ("The wifi in {place} is slow upstairs.", "A street in {place} is named after a baker."),
    ),
    Note(
        "The lease in {place} ends in {v}.", "When does the lease in {place} end?",
        ("two years", "March", "September", "five months"),
        ("The lease in {place} has forty pages.", "The road in {place} ends at a quarry."),
    ),
    Note(
        "The chair of the board in {place} is {v}.", "Who chairs the board in {place}?",
        ("a dentist", "the retired pilot", "the youngest member", "nobody for now"),
        ("A chair broke at the board in {place}.", "The board in {place} meets on a ship."),
    ),
    Note(
        "Parcels for {place} go to {v}.", "Where do parcels for {place} go?",
        ("the kiosk", "the fire station", "flat nine", "the back door"),
        ("A parcel for {place} got wet.", "Buses for {place} go every hour."),
    ),
)  # fmt: skip

REPORTED = (
    ("The reservoir of {place} stands at {v} percent.", "At how many percent does the reservoir of {place} stand?"),
    ("The pass above {place} has {v} centimetres of snow.", "How much snow is on the pass above {place}?"),
    ("The queue for flats in {place} is {v} names long.", "How long is the queue for flats in {place}?"),
    ("Bread costs {v} cents in {place}.", "What does bread cost in {place}?"),
    ("{v} beds are taken at the clinic of {place}.", "How many beds are taken at the clinic of {place}?"),
    ("The tower of {place} leans by {v} millimetres.", "By how much does the tower of {place} lean?"),
)


def drafts(seed: int) -> Iterator[Draft]:
    """The cases of the set."""
    for number in range(CASES):
        chance = random.Random(f"as_of {seed} {number}")
        yield _case(f"case-{number + 1}", chance)


def _case(name: str, chance: random.Random) -> Draft:
    draft, cast = Draft("as_of", name), Cast(chance)
    kinds = (_rewritten, _gone, _corrected)
    for kind in kinds:
        for note in NOTES:
            kind(draft, note, cast.place(), chance)
    for text, question in REPORTED * 2:
        _reported(draft, text, question, cast.place(), chance)
    draft.memories.sort(key=lambda row: row["created_at"])
    return draft


def _rewritten(draft: Draft, note: Note, place: str, chance: random.Random) -> None:
    """One memory with three versions; the question asks for the first or the second."""
    values = chance.sample(note.values, 3)
    moments = _steps(chance, len(values))
    first = draft.remember(note.text.format(place=place, v=values[0]), created_at=moments[0])
    ids = [first] + [
        draft.remember(note.text.format(place=place, v=value), created_at=moment, updates=first)
        for value, moment in zip(values[1:], moments[1:], strict=True)
    ]
    asked = chance.choice((0, 1))
    _ask(draft, note, place, ids[asked], _between(chance, moments[asked], moments[asked + 1]), "rewritten")
    _beside(draft, note, place, chance)


def _gone(draft: Draft, note: Note, place: str, chance: random.Random) -> None:
    """A memory that has expired or been evicted since; another value was recorded later, with no word of the first."""
    start, end, later = _steps(chance, 3)
    how = chance.choice(("expires_at", "evicted_at"))
    before, after = chance.sample(note.values, 2)
    name = draft.remember(note.text.format(place=place, v=before), created_at=start, **{how: end})
    draft.remember(note.text.format(place=place, v=after), created_at=later)
    _ask(draft, note, place, name, _between(chance, start, end), "gone")
    _beside(draft, note, place, chance)


def _corrected(draft: Draft, note: Note, place: str, chance: random.Random) -> None:
    """A memory that others replaced later; the question asks for what counted before."""
    values = chance.sample(note.values, 3)
    moments = _steps(chance, len(values))
    ids: list[str] = []
    for value, moment in zip(values, moments, strict=True):
        replaced = {"supersedes": ids[-1:]} if ids else {}
        ids.append(draft.remember(note.text.format(place=place, v=value), created_at=moment, **replaced))
    asked = chance.choice((0, 1))
    _ask(draft, note, place, ids[asked], _between(chance, moments[asked], moments[asked + 1]), "corrected")
    _beside(draft, note, place, chance)


def _reported(draft: Draft, text: str, question: str, place: str, chance: random.Random) -> None:
    """Reports about every month, recorded in one go; what counts is when each was true."""
    moments = [START + timedelta(days=31 * number + chance.randrange(20)) for number in range(REPORTS)]
    values = chance.sample(range(11, 99), REPORTS)
    recorded = some_moment(chance, NOW - timedelta(days=60), 30)
    ids = [
        draft.remember(text.format(place=place, v=value), created_at=recorded, occurred_at=moment)
        for value, moment in zip(values, moments, strict=True)
    ]
    asked = chance.randrange(REPORTS // 2)
    moment = _between(chance, moments[asked], moments[asked + 1])
    draft.ask(question.format(place=place), ids[asked], category="happened later", event_as_of=moment, now=moment)


def _steps(chance: random.Random, count: int) -> list[datetime]:
    """Moments about `STEP_DAYS` apart."""
    start = some_moment(chance, START, STEP_DAYS)
    return [start + timedelta(days=STEP_DAYS * place + chance.randrange(STEP_DAYS // 2)) for place in range(count)]


def _between(chance: random.Random, start: datetime, end: datetime) -> datetime:
    return start + (end - start) * chance.uniform(0.1, 0.9)


def _ask(draft: Draft, note: Note, place: str, gold: str, moment: datetime, category: str) -> None:
    question = note.question.format(place=place)
    draft.ask(question, gold, category=category, record_as_of=moment.replace(microsecond=0), now=NOW)


def _beside(draft: Draft, note: Note, place: str, chance: random.Random) -> None:
    for sentence in note.near:
        draft.remember(sentence.format(place=place), created_at=some_moment(chance, START, 300))
