"""Causes and effects in different words: what the question says leads to one end of an edge, the answer is the other."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime

import attrs

from synthetic.names import Cast
from synthetic.writing import Draft, shuffled, some_moment

CASES = 4
START = datetime(2025, 1, 6, tzinfo=UTC)
DAYS = 300

TOLD_TOGETHER = 0.4
"""Share of chains whose two ends name the place or the person of the other: words alone may then find both."""


@attrs.frozen
class Chain:
    """A cause by {q}, its effect on {p} in {place}, and what people ask.

    why: asks for the cause in words of the effect. then: asks for the effect in words of the cause. near, echo:
    distractors in words of the effect and of the cause.
    """

    cause: str
    effect: str
    why: str
    then: str
    near: tuple[str, ...]
    echo: tuple[str, ...]


CHAINS = (
    Chain(
        "{q} left the freezer door ajar after locking up.",
        "The shop in {place} threw away its whole stock of ice cream.",
        "Why did the shop in {place} throw away the ice cream?",
        "What came of {q} leaving the freezer door ajar?",
        ("The shop in {place} sells ice cream only in summer.", "{p} tried every ice cream in the shop in {place}."),
        ("{q} bought a second freezer for the garage.", "The freezer door got a new rubber seal from {p}."),
    ),
    Chain(
        "{q} swapped two labels in the seed trays.",
        "Pumpkins came up in the greenhouse of {p} this spring.",
        "Why did pumpkins come up in the greenhouse of {p}?",
        "What followed from {q} swapping the labels in the seed trays?",
        ("{p} heats the greenhouse from November on.", "{p} carved pumpkins with the neighbours."),
        ("{q} writes all labels in green ink.", "{q} gave away the spare seed trays."),
    ),
    Chain(
        "A marathon closed the ring road, and {q} had not checked.",
        "{p} missed the ferry from {place} by an hour.",
        "Why did {p} miss the ferry from {place}?",
        "What was the result of the marathon that {q} had not checked for?",
        ("The ferry from {place} has a new captain.", "{p} gets seasick on every ferry."),
        ("{q} ran the marathon in under four hours.", "The ring road will have a cycle lane, says {q}."),
    ),
    Chain(
        "{q} renewed the certificate on the old machine only.",
        "Nobody in {place} could log in on Monday morning.",
        "Why could nobody in {place} log in on Monday?",
        "What went wrong after {q} renewed the certificate?",
        ("On Monday the office in {place} gets its coffee delivered.", "{p} asked for a log of all visits to {place}."),
        ("{q} framed the certificate of the course.", "The old machine of {q} went to the museum."),
    ),
    Chain(
        "{q} told the caterer about the wrong allergy.",
        "{p} ate nothing but bread at the wedding in {place}.",
        "Why did {p} eat only bread at the wedding in {place}?",
        "What did {q} cause by telling the caterer about the wrong allergy?",
        ("{p} bakes bread for the market in {place}.", "The wedding in {place} had a brass band."),
        ("{q} is a caterer for film crews.", "The allergy of {q} is against hazelnuts."),
    ),
    Chain(
        "A stork built its nest on the pole behind the barn of {q}.",
        "The village of {place} was without electricity for two evenings.",
        "Why was {place} without electricity?",
        "What did the stork on the pole behind the barn of {q} bring about?",
        ("The electricity in {place} comes from the river.", "In the evenings the village of {place} sings in the square."),
        ("{q} painted the barn red.", "{q} photographed a stork on the marsh."),
    ),
    Chain(
        "{q} rounded the beam lengths up to whole metres.",
        "The stairs of the library in {place} had to be built twice.",
        "Why were the stairs of the library in {place} built twice?",
        "What happened because {q} rounded the beam lengths?",
        ("The library in {place} opens twice a week at night.", "{p} fell on the stairs in {place}."),
        ("{q} measures in feet and inches.", "A beam in the kitchen of {q} is three metres long."),
    ),
    Chain(
        "{q} poured the descaler into the wrong tank.",
        "The coffee at the office of {p} tasted of vinegar for days.",
        "Why did the coffee at the office of {p} taste of vinegar?",
        "What resulted when {q} poured descaler into the wrong tank?",
        ("{p} drinks no coffee after four.", "The office of {p} smells of fresh paint."),
        ("{q} has a fish tank with a leak.", "{q} poured concrete for the terrace."),
    ),
    Chain(
        "{q} forgot to set the alarm to winter time.",
        "The choir of {place} waited outside a locked church.",
        "Why did the choir of {place} wait outside the church?",
        "What came of {q} not setting the alarm to winter time?",
        ("The choir of {place} has forty members.", "The church of {place} gets a new organ, and {p} pays for it."),
        ("{q} set off the alarm with burnt toast.", "In winter {q} teaches skiing."),
    ),
    Chain(
        "{q} ordered ten thousand sheets in the smaller size.",
        "The school in {place} handed out exams that nobody could read.",
        "Why could nobody read the exams of the school in {place}?",
        "What were the consequences of the sheets that {q} ordered?",
        ("The school in {place} moved its exams to May.", "{p} reads to the children of {place} on Fridays."),
        ("{q} ordered new sheets for the guest room.", "The smaller size fits {q} better."),
    ),
    Chain(
        "{q} fed the dog a whole box of chocolates.",
        "{p} spent the night at the animal hospital in {place}.",
        "Why did {p} spend a night at the animal hospital in {place}?",
        "What happened after {q} fed the dog chocolates?",
        ("The hospital in {place} looks for night nurses.", "{p} adopted an animal from the shelter in {place}."),
        ("{q} won a box of chocolates.", "The dog of {q} is afraid of bicycles."),
    ),
    Chain(
        "{q} parked the crane on the soft side of the yard.",
        "The bridge in {place} opens three months later than planned.",
        "Why does the bridge in {place} open three months late?",
        "What did it lead to that {q} parked the crane on the soft side?",
        ("{p} jumped off the bridge in {place} on a rope.", "The market in {place} opens at six."),
        ("{q} learned to fold a paper crane.", "{q} sweeps the yard on Saturdays."),
    ),
    Chain(
        "{q} copied last year's price list into the catalogue.",
        "{p} had to sell forty lamps at a loss.",
        "Why did {p} sell lamps at a loss?",
        "What was the outcome of {q} copying last year's price list?",
        ("{p} repairs lamps from old ships.", "{p} took the loss of the match badly."),
        ("{q} collects catalogues of stamps.", "Last year {q} made a list of all birds in the park."),
    ),
    Chain(
        "{q} sawed through a root of the old lime tree.",
        "The playground in {place} is fenced off until autumn.",
        "Why is the playground in {place} fenced off?",
        "What has it caused that {q} sawed through a root?",
        ("The playground in {place} has a swing for wheelchairs.", "{p} fenced in the hens in autumn."),
        ("{q} drinks tea of lime blossom.", "{q} climbed the old tree as a child."),
    ),
    Chain(
        "{q} packed the winter tents without drying them.",
        "{p} slept in the minibus on the trip to {place}.",
        "Why did {p} sleep in the minibus?",
        "What happened because {q} packed the tents without drying them?",
        ("{p} drives the minibus of the club.", "On the trip to {place} somebody snored."),
        ("{q} sells tents by the lake.", "{q} packed for the winter holidays in ten minutes."),
    ),
    Chain(
        "{q} spelled the name of the bank with one letter too few.",
        "The deposit for the flat in {place} arrived a month late, and {p} lost it.",
        "Why did {p} lose the flat in {place}?",
        "What did it cost that {q} spelled the name of the bank wrong?",
        ("{p} painted the flat in {place} yellow.", "A flat in {place} costs more by the month."),
        ("{q} wrote a letter to the bank.", "{q} spelled a word of nineteen letters in the quiz."),
    ),
    Chain(
        "{q} switched the humidifier of the archive off for the weekend.",
        "Three violins of the quartet in {place} cracked.",
        "Why did violins of the quartet in {place} crack?",
        "What damage did it do that {q} switched off the humidifier?",
        ("The quartet in {place} plays Haydn on Thursday.", "{p} inherited three violins."),
        ("{q} works in the archive on weekends.", "{q} has a humidifier in the bedroom."),
    ),
    Chain(
        "{q} mixed up the two doses on the ward plan.",
        "{p} was kept under observation in {place} for two more days.",
        "Why was {p} kept under observation in {place}?",
        "What followed when {q} mixed up the doses?",
        ("{p} kept bees in {place}.", "The observation tower in {place} is closed for two days."),
        ("{q} painted the ward in light blue.", "{q} plans to leave the ward in June."),
    ),
    Chain(
        "{q} burned the pruned branches on a windy afternoon.",
        "The motorway near {place} was closed because of smoke.",
        "Why was the motorway near {place} closed?",
        "What did it lead to that {q} burned branches on a windy day?",
        ("The motorway near {place} has a toll station.", "{p} gave up smoke and drink."),
        ("{q} prunes roses in February.", "The bank has two branches near {q}."),
    ),
    Chain(
        "{q} set the spam filter to strict before the holidays.",
        "{p} never saw the invitation to speak in {place}.",
        "Why did {p} never see the invitation to speak?",
        "What was the effect of {q} setting the spam filter to strict?",
        ("{p} speaks four languages.", "The invitation to {place} was printed on silk."),
        ("{q} changes the coffee filter daily.", "{q} was strict about screens in the holidays."),
    ),
    Chain(
        "{q} watered the cactus every day in December.",
        "{p} came home to {place} to a smell of rot in the hall.",
        "Why was there a smell of rot in the hall of {p}?",
        "What was the end of it that {q} watered the cactus daily?",
        ("The hall of {p} has a tiled floor.", "{p} came home from {place} with a cold."),
        ("{q} has a cactus from Mexico.", "{q} swims every day, also in December."),
    ),
    Chain(
        "{q} unplugged the wrong rack during the fire drill.",
        "The tickets for the concert in {place} were sold twice over.",
        "Why were tickets for the concert in {place} sold twice?",
        "What happened because {q} unplugged the wrong rack?",
        ("{p} won tickets for the concert in {place}.", "The concert in {place} lasted four hours."),
        ("{q} hung the coats on a rack.", "{q} leads the fire drill at school."),
    ),
    Chain(
        "{q} drew the goal lines a metre too far apart.",
        "The cup final in {place} has to be played again.",
        "Why must the cup final in {place} be played again?",
        "What came of the lines that {q} drew?",
        ("The final in {place} was shown in the cinema.", "{p} broke a cup from {place}."),
        ("{q} drew the goal keeper in pencil.", "{q} hung lines for the washing a metre apart."),
    ),
    Chain(
        "{q} sealed the attic window with foam.",
        "Forty swifts nested in the bedroom of {p} instead.",
        "Why did swifts nest in the bedroom of {p}?",
        "What was the consequence of {q} sealing the window with foam?",
        ("{p} painted the bedroom in grey.", "{p} counts swifts over {place} in May."),
        ("{q} moved into the attic.", "{q} took a bath with a lot of foam."),
    ),
)  # fmt: skip

EVERYDAY = (
    "{q} lent {p} a ladder.", "{p} and {q} walked around the lake of {place}.", "{q} prefers trains to planes.",
    "{p} signed up for a pottery class in {place}.", "{q} turned forty and had a quiet evening.",
    "{p} found a coin from 1911 in {place}.", "{q} reads crime novels in the bath.", "{p} moved the piano with {q}.",
)  # fmt: skip

HUB = "It rained for nine days without a break."
"""A cause of many things, none of them asked for."""


def drafts(seed: int) -> Iterator[Draft]:
    """The cases of the set; every chain stands twice in each, about other people."""
    for number in range(CASES):
        chance = random.Random(f"causal {seed} {number}")
        yield shuffled(_case(f"case-{number + 1}", chance), chance)


def _case(name: str, chance: random.Random) -> Draft:
    draft, cast = Draft("causal", name), Cast(chance)
    hub = draft.remember(HUB, created_at=some_moment(chance, START, DAYS))
    for chain in chance.sample(CHAINS * 2, 2 * len(CHAINS)):
        _add(draft, chain, cast, hub, chance)
    return draft


def _add(draft: Draft, chain: Chain, cast: Cast, hub: str, chance: random.Random) -> None:
    names = {"p": cast.person(), "q": cast.person(), "place": cast.place()}

    def remember(sentence: str) -> str:
        return draft.remember(sentence.format(**names), created_at=some_moment(chance, START, DAYS))

    together = chance.random() < TOLD_TOGETHER
    cause = remember(chain.cause + " {p} of {place} had to hear of it." * together)
    effect = remember(chain.effect + " {q} had something to do with it." * together)
    others = [remember(sentence) for sentence in (*chain.near, *chain.echo, *chance.sample(EVERYDAY, 2))]
    draft.link(cause, effect, chance.choice((1.0, 0.9, 0.8)))
    # What somebody once suspected, and what the weather is blamed for.
    draft.link(cause, chance.choice(others), chance.choice((0.2, 0.3)))
    draft.link(hub, chance.choice(others), 0.5)
    draft.ask(chain.why.format(**names), cause, category="why")
    draft.ask(chain.then.format(**names), effect, category="what came of it")
