"""What is said over and over in slightly other words, in a store that keeps each of them, and what it buries.

`all there is`: a question about a thing is answered by three memories that say different things of it, and one more
thing is said of it again and again. `much alike`: the answer is four memories of nearly the same words, beside others in
the question's words; whoever spreads the head must not lose them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import attrs

from synthetic.names import PEOPLE
from synthetic.writing import Draft, shuffled, some_moment

CASES = 10
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
DAYS = 200
"""Within so many days all was said."""
RESTATED = 14
"""How often one thing is said of a topic."""
FACTS = 3
"""Other things that are said of it, once each."""


@attrs.frozen
class Topic:
    """A thing of which one of `cores` with one of `tails` is said again and again; `facts` say something else of it."""

    question: str
    cores: tuple[str, ...]
    tails: tuple[str, ...]
    facts: tuple[str, ...]

    def restatements(self) -> list[str]:
        """Every way of saying it."""
        return [core + tail for core in self.cores for tail in self.tails]


@attrs.frozen
class Row:
    """Memories of one form that differ in {v}, all of which answer.

    near: others in the question's words, some about somebody, {x}; none is like another.
    """

    question: str
    form: str
    values: tuple[str, ...]
    near: tuple[str, ...]


TOPICS = (
    Topic(
        "What is there to know about the dishwasher?",
        ("The dishwasher leaks", "The dishwasher is dripping", "Water runs out of the dishwasher"),
        (" again.", " onto the tiles, as always.", ", I had to mop.", " whenever it is full.", " once more, how annoying.", "."),
        ("The warranty of the dishwasher ends in June.", "The dishwasher takes the blue tablets only.", "Mr Olsen repairs the dishwasher for forty euros.", "The manual of the dishwasher is in the top drawer."),
    ),
    Topic(
        "What should a guest know about the dog?",
        ("The dog barked at the postman", "The dog went for the postman", "The postman was scared by our dog"),
        (" again.", " this morning.", ", third time this week.", " at the gate, as usual.", ", he swore.", "."),
        ("The dog gets half a tablet with supper.", "The dog must never have grapes.", "The dog sleeps with the radio on.", "The vet of the dog is in Pine Road."),
    ),
    Topic(
        "Tell me what we know about the upstairs neighbours.",
        ("The neighbours upstairs were loud", "Noise from the upstairs neighbours", "The upstairs neighbours had the music up"),
        (" again.", " until two.", ", I could not sleep.", " last night, terrible.", ", nobody opened the door.", "."),
        ("The upstairs neighbours have a spare key of ours.", "The neighbours upstairs move out in May.", "The upstairs neighbours are both paramedics.", "The neighbours upstairs lent us the ladder."),
    ),
    Topic(
        "What do I need to know about the staging cluster?",
        ("The staging cluster is down", "The staging cluster does not answer", "Nobody reaches the staging cluster"),
        (" again.", ", had to restart it.", " since the deployment.", ", the usual.", " for an hour now.", "."),
        ("The certificates of the staging cluster are renewed by hand.", "The staging cluster is wiped on Sundays.", "Logs of the staging cluster go to the bucket heron.", "The owner of the staging cluster is the data team."),
    ),
    Topic(
        "What is known about the client in Ghent?",
        ("The client in Ghent complained about the invoice", "The Ghent client found a mistake in the invoice", "A complaint of the client in Ghent, the invoice"),
        (" again.", ", by mail.", ", and was rude.", " for the second quarter.", ", we answered politely.", "."),
        ("The client in Ghent pays within sixty days.", "The contract with the client in Ghent ends in autumn.", "The client in Ghent wants all documents in Dutch.", "At the client in Ghent, Mrs Claes decides."),
    ),
    Topic(
        "What is to be considered with the printer on the second floor?",
        ("The printer on the second floor is jammed", "Paper jam in the second floor printer", "The second floor printer has a jam"),
        (" again.", ", tray two.", ", somebody help.", " since lunch.", ", I gave up.", "."),
        ("The printer on the second floor prints on both sides unless told otherwise.", "The toner of the second floor printer is ordered from Kessler.", "The second floor printer asks for the code 0420.", "The second floor printer must be switched off over the holidays."),
    ),
    Topic(
        "What should I keep in mind about grandmother?",
        ("Grandmother could not find her glasses", "The glasses of grandmother were gone", "Grandmother was looking for her glasses"),
        (" again.", ", they lay in the fridge.", " all morning.", ", poor thing.", " when I called.", "."),
        ("Grandmother takes the white pill before meals.", "The doctor sees grandmother every second Tuesday.", "Grandmother is allergic to penicillin.", "Grandmother must not climb the stairs alone."),
    ),
    Topic(
        "What do we have to know about the rented van?",
        ("The rented van will not start", "The rented van did not start", "Trouble starting the rented van"),
        (" again.", " in the cold.", ", we pushed it.", ", battery I guess.", " this morning.", "."),
        ("The rented van takes diesel, not petrol.", "The deposit for the rented van is three hundred euros.", "The rented van is due back with a full tank.", "The rented van is too tall for the garage."),
    ),
    Topic(
        "What is there to say about the greenhouse?",
        ("There are slugs in the greenhouse", "Slugs got into the greenhouse", "I picked slugs in the greenhouse"),
        (" again.", ", by the dozen.", " after the rain.", ", on the lettuce.", " late in the evening.", "."),
        ("The greenhouse is aired at noon.", "The key of the greenhouse hangs by the hose.", "Tomatoes in the greenhouse were sown in the last week of March.", "The greenhouse belongs to the school."),
    ),
    Topic(
        "What should a substitute know about class six?",
        ("Class six was noisy", "Such noise in class six", "Class six would not be quiet"),
        (" again.", ", nothing got done.", " in the third lesson.", ", I had to shout.", " after sports.", "."),
        ("Class six writes a test on fractions on Thursday.", "In class six Milo needs a seat at the front.", "Class six has half of its books in the cupboard.", "Parents of class six want mails, not calls."),
    ),
    Topic(
        "What is important about the boat?",
        ("The boat has taken in water", "Water in the boat", "I bailed water out of the boat"),
        (" again.", ", two buckets.", " at the stern.", " after the storm.", ", nothing serious.", "."),
        ("The insurance of the boat was cancelled.", "The boat must leave its berth by October.", "The motor of the boat wants oil with the petrol.", "The papers of the boat are at the notary."),
    ),
    Topic(
        "What have we learned about the vendor of the sensors?",
        ("The vendor of the sensors delivers late", "The sensors came late from the vendor", "A delay at the vendor of the sensors"),
        (" again.", ", by a week.", ", no excuse given.", " this month too.", ", as expected.", "."),
        ("The vendor of the sensors gives ten percent from fifty pieces.", "The vendor of the sensors was bought by a rival.", "Sensors of the vendor drift below zero degrees.", "Support of the vendor of the sensors speaks French only."),
    ),
)  # fmt: skip

ROWS = (
    Row("What did we pay the gardener for?", "We paid the gardener for {v}.",
        ("the hedge", "two apple trees", "the new lawn", "a day of weeding", "the pond"),
        ("{x} paid the gardener late.", "{x} paid for lunch.", "We paid the gardener of {x} a visit.", "The gardener greeted {x}.",
         "The gardener wears a straw hat.", "What we paid for the shed was too much.", "A gardener won the village lottery.", "We paid the fine for the hose.")),
    Row("Which cities did Lena visit?", "Lena visited the city of {v}.",
        ("Porto", "Split", "Bergamo", "Lund", "Gdansk"),
        ("Lena visited {x} in the city.", "{x} visited the museum.", "Lena phoned {x} from the city hall.", "{x} came for a visit to Lena.",
         "Lena has a sister in a city in the north.", "Visits to Lena end at nine.", "Lena visited an aunt in the country.", "The city gave Lena a grant.")),
    Row("Which books did I lend to Sam?", "I lent a book to Sam: {v}.",
        ("The Waves", "Ulysses", "Dubliners", "Emma", "Villette"),
        ("{x} lent Sam a book on bees.", "{x} lent a drill to Sam.", "I lent the book of {x} to nobody.", "Sam booked a table for {x}.",
         "Sam writes a book on locks.", "I lent nothing but money to Sam so far this year.", "The book that Sam dropped was wet.", "Sam books trains for a living.")),
    Row("Which medicines does Dad take?", "Dad takes a medicine against {v}.",
        ("gout", "high pressure", "reflux", "hay fever", "migraine"),
        ("Dad takes the bus with {x}.", "Dad saw {x} take a medicine.", "Dad took {x} to the fair.", "The medicine of {x} tastes of mint, said Dad.",
         "Dad studied medicine for a term.", "Dad takes a nap at two.", "Dad mixed up the medicine of the cat.", "Dad took photographs of storks.")),
    Row("Which bugs were reported in the parser?", "A bug in the parser was reported: {v}.",
        ("tabs are lost", "empty lists crash", "dates lose the zone", "quotes are doubled", "long lines hang"),
        ("{x} never reported a bug in the parser.", "{x} reported sick.", "The parser was explained to {x}.", "{x} found a bug in the soup.",
         "The parser is written in Rust.", "Bugs are reported by mail.", "No bug was reported in the printer.", "The parser reads nine formats.")),
    Row("What did the inspector object to?", "The inspector objected to {v}.",
        ("the ladder", "a blocked exit", "the cables", "old extinguishers", "a missing rail"),
        ("The inspector had coffee with {x}.", "Nobody told {x} what the inspector objects to.", "The inspector knows {x} from school.", "An object of {x} was found.",
         "The inspector comes in spring.", "Nobody objected to the late start.", "The inspector lost a badge.", "An inspector of trams was fined.")),
    Row("Which subscriptions does the studio have?", "The studio has a subscription to {v}.",
        ("a font library", "two newspapers", "a stock of sounds", "a map service", "a film archive"),
        ("The studio of {x} has high windows.", "{x} found a subscription form in the studio.", "The studio was cleaned by {x}.", "{x} has lunch in the studio.",
         "The studio is rented by the hour.", "A subscription to the opera is dear.", "The studio smells of paint.", "The subscription of the library ran out.")),
    Row("What is the choir going to sing?", "The choir is going to sing {v}.",
        ("a motet", "a sea shanty", "two canons", "a requiem", "a lullaby"),
        ("{x} left the choir.", "{x} is going to sing in another choir.", "The choir is going on a trip with {x}.", "{x} sings in the shower, not in the choir.",
         "The choir has forty members.", "Going to sing in the rain was a mistake.", "The choir was founded in a pub.", "The bells are going to ring.")),
    Row("Which exercises did the coach prescribe?", "The coach prescribed the exercise {v}.",
        ("plank", "wall sit", "calf raise", "bird dog", "side bend"),
        ("The coach shouted at {x}.", "{x} forgot the exercise that the coach prescribed.", "The doctor prescribed exercise to {x}.", "Glasses were prescribed to {x}.",
         "The coach has a limp.", "An exercise for the fire brigade is planned.", "The coach prescribed silence before the match.", "Exercise books were given to the coach.")),
    Row("What does the landlord forbid?", "The landlord forbids {v}.",
        ("pets", "satellite dishes", "grills on the balcony", "bicycles in the hall", "subletting"),
        ("The landlord lives next to {x}.", "{x} wrote to the landlord.", "The landlord cannot forbid what {x} cooks.", "The landlord raised the rent of {x}.",
         "The landlord collects clocks.", "The rules of the pool forbid diving.", "The landlord has a twin.", "The letter of the landlord was returned.")),
    Row("Which stocks did the club sell?", "The club sold its stocks of {v}.",
        ("a brewery", "two shipyards", "a tyre maker", "a railway", "a mine"),
        ("{x} sold stocks to the club.", "{x} sold a moped.", "The shop of {x} has cheese in stock.", "The club elected {x}.",
         "The club sells cake at home games.", "Stocks fell in autumn.", "The club was founded by tailors.", "The kiosk has sold its stock of ice.")),
    Row("Who has a key to the workshop?", "{v} has a key to the workshop.",
        ("The caretaker", "Aunt Mina", "The apprentice", "The fire brigade", "Old Bert"),
        ("{x} held a workshop.", "{x} lost the key to the workshop.", "The workshop was swept by {x}.", "The key to success, says {x}, is sleep.",
         "The workshop has a skylight.", "The key of the piano sticks.", "A workshop on glazing was full.", "A key was found at the bus stop.")),
)  # fmt: skip

ROW_LENGTH = 4
"""Memories of a row that a case has."""


def drafts(seed: int) -> Iterator[Draft]:
    """The cases of the set; every topic and row stands in each, with other memories."""
    for number in range(CASES):
        chance = random.Random(f"chatter {seed} {number}")
        yield shuffled(_case(f"case-{number + 1}", chance), chance)


def _case(name: str, chance: random.Random) -> Draft:
    draft = Draft("chatter", name)
    for topic in TOPICS:
        for sentence in chance.sample(topic.restatements(), RESTATED):
            _say(draft, sentence, chance)
        gold = [_say(draft, sentence, chance) for sentence in chance.sample(topic.facts, FACTS)]
        draft.ask(topic.question, *gold, category="all there is", now=NOW)
    for row in ROWS:
        gold = [_say(draft, row.form.format(v=value), chance) for value in chance.sample(row.values, ROW_LENGTH)]
        for sentence in row.near:
            _say(draft, sentence.format(x=chance.choice(PEOPLE)), chance)
        draft.ask(row.question, *gold, category="much alike", now=NOW)
    return draft


def _say(draft: Draft, sentence: str, chance: random.Random) -> str:
    return draft.remember(sentence, created_at=some_moment(chance, NOW - timedelta(days=DAYS), DAYS))
