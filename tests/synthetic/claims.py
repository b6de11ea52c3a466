"""Matters of a workplace about which more than one thing is said, for sets in which something decides between claims."""

from __future__ import annotations

import random
from collections.abc import Sequence

import attrs


@attrs.frozen
class Matter:
    """A matter of which each claim says a value {v}, in one of `forms`.

    rarely: a question that `rare` answers, and nothing else. near: what else is said in that question's words.
    """

    question: str
    forms: tuple[str, ...]
    values: tuple[str, ...]
    rarely: str
    rare: str
    near: tuple[str, ...]

    def claims(self, count: int, chance: random.Random) -> Sequence[str]:
        """So many claims of different values, each in a form drawn by lot."""
        return [chance.choice(self.forms).format(v=value) for value in chance.sample(self.values, count)]


MATTERS = (
    Matter(
        "How long in advance must holidays be requested?",
        ("Holidays must be requested {v} in advance.", "Request your holidays {v} in advance.",
         "Whoever wants holidays has to request them {v} in advance, as I heard."),
        ("two days", "five days", "a week", "ten days", "two weeks", "three weeks", "a month", "six weeks", "a quarter", "half a year"),
        "How can requested holidays be cancelled?", "Requested holidays are cancelled with a call to Mrs Tamm.",
        ("The holidays that half of the office requested were cancelled.", "Requested holidays can be seen by all.", "The porter cancelled the holidays.", "Cancelled holidays must be requested anew."),
    ),
    Matter(
        "When does the canteen close on Fridays?",
        ("The canteen closes at {v} on Fridays.", "On Fridays the canteen is open until {v} and then closes.",
         "Fridays it is {v} when the canteen closes, so be quick."),
        ("one", "a quarter past one", "half past one", "two", "half past two", "three", "noon", "four", "a quarter to three", "five"),
        "What does the canteen serve on the first Friday of Lent?", "On the first Friday of Lent the canteen has herring.",
        ("The canteen serves soup first.", "On the first Friday of May the canteen serves the guests of the mayor.", "In Lent the canteen closes early.", "On Friday the canteen served the first cherries."),
    ),
    Matter(
        "Up to which sum may orders be placed without approval?",
        ("Orders up to {v} euros may be placed without approval.", "Without approval, orders may be placed up to a sum of {v} euros.",
         "You may order up to {v} euros without approval, everybody does."),
        ("50", "80", "100", "150", "250", "300", "400", "500", "750", "1000"),
        "Who gives approval for orders from abroad?", "Approval for orders from abroad comes from the customs desk.",
        ("Approval for orders is given on paper.", "Orders from abroad go out at noon.", "Who orders from abroad gives an address.", "Orders from the shop were given approval later."),
    ),
    Matter(
        "Who unlocks the loading dock at weekends?",
        ("{v} unlocks the loading dock at weekends.", "At weekends the loading dock is unlocked by {v}.",
         "For the loading dock call {v} at weekends, who comes and unlocks it."),
        ("the porter", "Mr Haag", "the gardener", "Mrs Lunde", "the shift leader", "a trainee", "the night guard", "Ms Bodnar", "the fire warden", "the driver"),
        "How wide is the gate of the loading dock?", "The gate of the loading dock measures four metres.",
        ("The loading dock got a new gate.", "The wide gate fell off at the loading dock.", "The loading dock has a wide ramp.", "The gate of the dock squeaks."),
    ),
    Matter(
        "Where do visitors park their cars?",
        ("Visitors park their cars {v}.", "Cars of visitors are parked {v}.",
         "If visitors come, tell them to park their cars {v}, please."),
        ("behind the silo", "along the canal", "on deck two", "by the chapel", "under the bridge", "at the depot", "next to the pond", "on the gravel", "in Mill Street", "opposite the baker"),
        "How many visitors come to the open day?", "To the open day some four hundred visitors come.",
        ("Visitors come by the side door.", "Many visitors come late in the day.", "The door stays open when visitors come.", "On the open day visitors came with dogs."),
    ),
    Matter(
        "Which form is needed for a business trip?",
        ("Form {v} is needed for a business trip.", "A business trip needs form {v}.",
         "Before a business trip one fills in form {v}, or so they say."),
        ("A3", "B7", "C12", "D4", "E9", "F20", "G1", "H6", "K15", "R2"),
        "Who books the train for a business trip?", "The train for a business trip is booked by the travel office.",
        ("A business trip by train takes longer.", "The train for the trip was late.", "The business trip to the fair was booked twice.", "Mrs Roth booked a train and then no business trip."),
    ),
    Matter(
        "How long are recordings of calls kept?",
        ("Recordings of calls are kept for {v}.", "Calls are recorded, and the recordings kept {v}.",
         "We keep the recordings of all calls for {v} and not a day more."),
        ("thirty days", "three months", "a year", "two weeks", "ninety days", "six months", "forty-eight hours", "ten years", "a week", "two quarters"),
        "Who may listen to recordings of calls?", "Only the auditors listen to recordings of calls.",
        ("Recordings of calls are hard to listen to.", "Recordings of the choir are fun to listen to.", "Trainees may listen in on calls.", "Listen to the recordings before the calls."),
    ),
    Matter(
        "What is the extension of the help desk?",
        ("The extension of the help desk is {v}.", "The help desk has the extension {v}.",
         "Dial {v}, that is the extension of the help desk, I think."),
        ("11", "23", "42", "57", "68", "70", "85", "91", "330", "404"),
        "Since when does the help desk have a chat?", "A chat has been at the help desk since April.",
        ("The help desk likes to chat.", "The chat of the help desk is down since Monday.", "The help desk has moved upstairs.", "Somebody at the help desk left the chat."),
    ),
    Matter(
        "On which day is waste paper collected?",
        ("Waste paper is collected on {v}.", "They collect the waste paper each {v}.",
         "Put out the waste paper, for it is collected on {v} at dawn."),
        ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Saturdays", "the first Monday", "the last Tuesday", "the tenth", "the first Friday", "Sundays"),
        "What does the waste paper firm charge for a container?", "A container costs ninety euros at the waste paper firm.",
        ("The waste paper container is full.", "A container of the waste paper firm tipped over.", "The firm wants a paper container.", "The waste paper firm was charged with fraud."),
    ),
    Matter(
        "In which room is the first aid kit?",
        ("The first aid kit is in {v}.", "Look in {v}, the first aid kit is there.",
         "If somebody bleeds, run to {v}, for that is the room where the first aid kit is."),
        ("the lab", "room 12", "the mail room", "the cellar", "room 305", "the pantry", "the archive", "the gym", "room 8", "the lobby"),
        "Who teaches the first aid course?", "The first aid course is held by a nurse from the island.",
        ("The first aid course was cold.", "At the first aid course they teach with dolls.", "The intern teaches first aid to nobody.", "The first course was salad."),
    ),
    Matter(
        "How many years of warranty does the coffee machine have?",
        ("The coffee machine has {v} years of warranty.", "There are {v} years of warranty on the coffee machine.",
         "I am fairly sure that the warranty of the coffee machine was {v} years."),
        ("two", "three", "four", "five", "six", "seven", "eight", "ten", "twelve", "fifteen"),
        "How is the coffee machine descaled?", "Vinegar is good enough to get the coffee machine descaled.",
        ("The coffee machine was descaled on Monday.", "A descaled coffee machine is a happy one.", "Somebody painted the coffee machine.", "The machine for descaled water is not for coffee."),
    ),
    Matter(
        "Who approves overtime in the warehouse?",
        ("{v} approves overtime in the warehouse.", "Overtime in the warehouse is approved by {v}.",
         "Ask {v}, who approves all the overtime in the warehouse these days."),
        ("Mr Abreu", "Mrs Lindqvist", "the works council", "Ms Petrov", "the foreman", "Mr Castell", "the owner", "Mrs Yilmaz", "the dispatcher", "nobody"),
        "Which forklift in the warehouse has a heated seat?", "A heated seat is on the yellow forklift in the warehouse.",
        ("A forklift in the warehouse lost its seat.", "The warehouse is heated by the forge.", "The warehouse rents out a forklift.", "The seat of the forklift in the warehouse was heated with a lamp."),
    ),
)  # fmt: skip
