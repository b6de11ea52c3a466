"""Single facts that are asked for in their own words, in other words, and in their own words misspelt.

`told` in `synthetic.wordings` are written by hand. A case is either notes without anything but text, or a chat between
`user` and `assistant`, a session a fact. Lures have words of the questions and answer none.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from synthetic.wordings import PEOPLE, replies, told
from synthetic.writing import Draft, shuffled, some_moment

START = datetime(2023, 3, 1, tzinfo=UTC)
DAYS = 500
OPENINGS = (
    "Good morning!", "Can you help me to word an email?", "I have ten minutes before my next meeting.",
    "What a day, everything takes twice as long.", "Let us go on with the list from yesterday.",
    "Please proofread this paragraph for me.", "Do you remember the spreadsheet we made?", "It is pouring outside again.",
    "I need an idea for a present.", "Give me a joke to start with.", "Which film should we see tonight?",
    "I could not find the button you described.", "Translate 'thank you' into Finnish, please.",
)  # fmt: skip

ASSENTS = (
    "Of course, go ahead.", "Sure, what is it about?", "Happy to help with that.", "Certainly. Tell me more.", "Yes, gladly.",
    "Let us start.", "I am listening.", "No problem at all.", "Good to hear from you.", "With pleasure.",
)  # fmt: skip


def drafts(seed: int) -> Iterator[Draft]:
    """The cases: notes of each person, and chats."""
    chance = random.Random(seed)
    for person in PEOPLE:
        yield shuffled(_asked(_notes(person), person, chance), chance)
        if replies(person):
            yield _asked(_chat(person, chance), person, chance)


def _notes(person: str) -> Draft:
    draft = Draft("paraphrase", f"notes-{person}")
    for each in told(person):
        draft.remember(each.fact)
    for each in told(person):
        draft.remember(each.lure)
    return draft


def _chat(person: str, chance: random.Random) -> Draft:
    draft = Draft("paraphrase", f"chat-{person}")
    every = list(zip(told(person), replies(person), strict=True))
    chance.shuffle(every)
    lures = chance.sample([each.lure for each, _ in every], len(every))
    moments = sorted(some_moment(chance, START, DAYS) for _ in every)
    for number, ((each, reply), lure, moment) in enumerate(zip(every, lures, moments, strict=True)):
        said = chance.choice(OPENINGS), chance.choice(ASSENTS), each.fact, reply, lure
        for turn, content in enumerate(said):
            draft.remember(
                content,
                sender="assistant" if turn % 2 else "user",
                session=f"s{number + 1}",
                turn=turn,
                created_at=moment + timedelta(minutes=turn),
            )
    return draft


def _asked(draft: Draft, person: str, chance: random.Random) -> Draft:
    gold = {row["content"]: row["id"] for row in draft.memories}
    for each in told(person):
        draft.ask(each.other, gold[each.fact], category="other words")
        draft.ask(each.same, gold[each.fact], category="same words")
        draft.ask(misspelt(each.same, chance), gold[each.fact], category="misspelt")
    return draft


def misspelt(question: str, chance: random.Random) -> str:
    """Two neighbouring letters inside each of the two longest words change places."""
    words = question.split()
    longest = sorted(range(len(words)), key=lambda place: -len(words[place]))[:2]
    for place in longest:
        word = words[place]
        at = chance.randrange(1, max(2, len(word.rstrip("?")) - 2))
        words[place] = word[:at] + word[at + 1] + word[at] + word[at + 2 :] if at + 1 < len(word) else word
    return " ".join(words)
