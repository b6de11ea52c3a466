"""Who is named in a question, and whether what looks like a name is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.senders import Roles
from comis_core.text import Analyser
from comis_plugins.query_understanding.participants import Names, people
from comis_plugins.query_understanding.person import dense_text, without

ANALYSER = Analyser()


def named(text: str, *senders: str) -> tuple[str, ...]:
    """The senders that the text names, in order."""
    return tuple(spelling for name in people(names(*senders).mentions(text)) for spelling in name.spellings)


def names(*senders: str) -> Names:
    return Names.of(senders, ANALYSER, Roles())


def dense(text: str, *senders: str) -> str:
    return dense_text(text, names(*senders).mentions(text))


@pytest.mark.parametrize(
    ("text", "senders", "wanted"),
    [
        ("Where does Ana live?", ("Ana", "Ben"), ("Ana",)),
        ("where does ANA live?", ("Ana",), ("Ana",)),
        ("Ben met Ana", ("Ana", "Ben"), ("Ben", "Ana")),
        ("Ana and Ana's dog", ("Ana",), ("Ana",)),
        ("Where does Ana's sister live?", ("Ana",), ("Ana",)),
        ("Where does James' sister live?", ("James",), ("James",)),
        ("What about Banana and Anabel?", ("Ana",), ()),
        ("What did Ana-Maria say in ana_notes?", ("Ana",), ()),
        ("What did Ana-Maria say?", ("Ana-Maria", "Ana"), ("Ana-Maria",)),
        ("What did Ana Silva say to Ana?", ("Ana", "Ana Silva"), ("Ana Silva", "Ana")),
        ("What did ana  silva say?", ("Ana Silva",), ("Ana Silva",)),
        ("What did Zoe say?", ("Zoë",), ("Zoë",)),
        ("What did ana say?", ("ANA", "Ana"), ("ANA", "Ana")),
        ("What did ana@mail.org write?", ("ana@mail.org",), ("ana@mail.org",)),
        ("What did O'Neil say?", ("O'Neil",), ("O'Neil",)),
        ("What did the user ask the assistant?", ("user", "Assistant"), ()),
        ("Что сказала Анна?", ("Анна",), ("Анна",)),
        ("田中さんはどこに住んでいますか", ("田中", "田中太郎"), ("田中",)),
        ("田中太郎さんはどこに", ("田中", "田中太郎"), ("田中太郎",)),
        ("Where?", ("", "?!", " "), ()),
        ("", ("Ana",), ()),
    ],
)
def test_senders_are_found_as_whole_words_in_order_of_mention(
    text: str, senders: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    assert named(text, *senders) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "What did May say?",
        "Is it May's birthday?",
        "May's birthday, when is it?",
        "May said what?",
        "May and Ben met where?",
        "Who met May on 3 March?",
    ],
)
def test_a_participant_called_may_is_meant(text: str) -> None:
    assert named(text, "May") == ("May",)


@pytest.mark.parametrize(
    "text",
    [
        "May I ask something?",
        "May we go? May Ben come?",
        "What may happen?",
        "What happened in May?",
        "What happened on 5 May 2023?",
        "What happened on May 5?",
        "What happened in May 2023?",
        "Since May nobody called.",
        "What happened on the 5th of May?",
        "WHAT MAY HAPPEN?",
    ],
)
def test_a_month_and_a_verb_are_nobody(text: str) -> None:
    assert named(text, "May") == ()


@pytest.mark.parametrize(
    ("text", "sender", "is_meant"),
    [
        ("What will happen?", "Will", False),
        ("Will Ana come?", "Will", False),
        ("Will you come?", "Will", False),
        ("What did Will say?", "Will", True),
        ("Will said what?", "Will", True),
        ("Will's car is where?", "Will", True),
        ("Where is Ana? Will she come?", "Will", False),
        ("Mark the date!", "Mark", False),
        ("Where does Mark live?", "Mark", True),
        ("Did Ana mark the date?", "Mark", False),
        ("Does Rose like a rose?", "Rose", True),
        ("Who likes a rose?", "Rose", False),
        ("Who met April?", "April", True),
        ("Who met Ana in April?", "April", False),
        ("Who is A?", "A", True),
        ("Who has a dog?", "A", False),
        ("Who can it be?", "Can", False),
        ("Where does Can live?", "Can", True),
    ],
)
def test_names_that_are_words_need_to_be_written_and_to_stand_like_names(
    text: str, sender: str, is_meant: bool
) -> None:
    assert named(text, sender) == ((sender,) if is_meant else ())


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Where does Ana live?", "Where do I live?"),
        ("Is Ana happy?", "am I happy?"),
        ("Has Ana moved?", "Have I moved?"),
        ("What is Ana's favourite food?", "What is my favourite food?"),
        ("What did Ana tell her sister?", "What did I tell my sister?"),
        ("Did Ana say she was ill?", "Did I say I was ill?"),
        ("Did Ana hurt himself?", "Did I hurt myself?"),
        ("Who called Ana and saw him?", "Who called I and saw me?"),
        ("Is the car hers, ana's?", "Is the car mine, my?"),
        ("What has James' dog eaten?", "What has James' dog eaten?"),
        ("Ana", "Ana"),
        ("Ana?!", "Ana?!"),
        ("¿Dónde vive Ana?", "¿Dónde vive  ?"),
    ],
)
def test_about_one_participant_is_asked_in_the_first_person(text: str, wanted: str) -> None:
    assert dense(text, "Ana") == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("What do Ana and Ben share?", "What do we share?"),
        ("Is it Ana and Ben's car?", "Is it our car?"),
        ("What do Ana, Ben like in their garden?", "What do we like in our garden?"),
        ("Do Ben & Ana say they swim?", "Do we say we swim?"),
        ("When did Ana give Ben her book?", "When did I give you my book?"),
        ("Has Ben seen Ana's dog?", "Have I seen your dog?"),
        ("What is Ana's gift to Ben?", "What is my gift to you?"),
        ("Why is Ana where Ben is?", "Why am I where you are?"),
    ],
)
def test_of_two_participants_both_or_the_first_speaks(text: str, wanted: str) -> None:
    assert dense(text, "Ana", "Ben") == wanted


def test_of_three_participants_nobody_speaks() -> None:
    assert dense("Did Ana, Ben and Cy meet?", "Ana", "Ben", "Cy") == "Did Ana, Ben and Cy meet?"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("Where does Ana live?", "Where does   live?"), ("Is Ana's dog old?", "Is   dog old?"), ("Ana?", "Ana?")],
)
def test_the_name_leaves_the_text_of_lexical_lanes_unless_nothing_else_is_in_it(text: str, wanted: str) -> None:
    assert without(text, names("Ana").mentions(text)) == wanted


@given(text=st.text(max_size=80), senders=st.lists(st.text(min_size=1, max_size=12), max_size=4))
def test_any_text_and_any_senders_are_read(text: str, senders: list[str]) -> None:
    mentions = names(*senders).mentions(text)
    ends = [0]
    for mention in mentions:
        assert ends[-1] <= mention.start < mention.end <= mention.tail <= len(text)
        assert set(mention.name.spellings) <= set(senders)
        ends.append(mention.end)
    assert isinstance(dense_text(text, mentions), str)


@given(sender=st.sampled_from(["Ana", "Zoë", "Ana Silva", "李雷", "Анна"]), rest=st.text(max_size=30))
def test_a_sender_is_found_wherever_the_name_stands_alone(sender: str, rest: str) -> None:
    assert named(f"{rest} {sender} !", sender) == (sender,)
