"""Whom a question is about, and what that person said."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from comis_core.model import NewMemory, Query, Ranking, Scope
from comis_core.senders import Roles
from comis_plugins.speaker import comis_expanders
from comis_plugins.speaker.expander import build
from comis_plugins.speaker.options import SpeakerOptions
from comis_plugins.speaker.subject import is_named_in, subjects


def about(text: str, *participants: str) -> Query:
    return attrs.evolve(Query.of(text), participants=participants)


def ask(talk: Any, query: Query, **arguments: Any) -> Ranking:
    return talk.expand(talk.part(build, SpeakerOptions()), query, **arguments)


def found(talk: Any, query: Query) -> dict[int, float]:
    """Who claims what in the whole scope."""
    ranking = ask(talk, query)
    if ranking.claims is None:
        return {}
    return {
        pk: claim
        for pk, claim in zip(ranking.claims.ids.tolist(), ranking.claims.values.tolist(), strict=True)
        if claim
    }


@pytest.mark.parametrize(
    ("text", "participants", "wanted"),
    [
        ("Where does Ana live?", ("Ana",), ("Ana",)),
        ("Where does Ana live, and does Ana like it?", ("Ana",), ("Ana",)),
        ("What did Ana give Ben?", ("Ana", "Ben"), ("Ana",)),
        ("What do Ana and Ben share?", ("Ana", "Ben"), ("Ana", "Ben")),
        ("What is Ana's and Ben's plan?", ("Ana", "Ben"), ("Ana", "Ben")),
        ("Do Ana & Ben swim?", ("Ana", "Ben"), ("Ana", "Ben")),
        ("Does Ana or Ben swim?", ("Ana", "Ben"), ("Ana", "Ben")),
        ("Both ana, ben?", ("Ana", "Ben"), ("Ana", "Ben")),
        ("Banana and Ben: what did Ana say?", ("Ana", "Ben"), ("Ana",)),
        ("What did Ana say when Ana and Ben met?", ("Ana", "Ben"), ("Ana", "Ben")),
        ("Did Ana, Ben and Cy meet?", ("Ana", "Ben", "Cy"), ()),
        ("Who swims?", (), ()),
        ("Where does ana live?", ("ANA", "Ana", "ana"), ("ANA", "Ana", "ana")),
        ("What did Ana give Ben?", ("Ana", "ana", "Ben"), ("Ana", "ana")),
        ("Where does Zoe live?", ("Zoe", "Zoë"), ("Zoe", "Zoë")),
        ("Do Zoë and Ana swim?", ("Zoe", "Ana"), ("Zoe", "Ana")),
        ("What did you say?", ("AI", "assistant", "bot"), ("AI", "assistant", "bot")),
    ],
)
def test_the_subject_of_a_question(text: str, participants: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    assert tuple(subjects(about(text, *participants), Roles())) == wanted


@pytest.mark.parametrize(
    ("text", "participants", "wanted"),
    [
        ("What did you say?", ("Alfred", "Betty", "assistant"), ("Alfred", "Betty", "assistant")),
        ("What did Alfred tell Betty?", ("Alfred", "Betty"), ("Alfred",)),
        ("What do Alfred and Betty recommend?", ("Alfred", "Betty"), ("Alfred", "Betty")),
        ("What did Alfred tell Ana?", ("Alfred", "Ana"), ("Alfred",)),
    ],
)
def test_assistants_are_one_unless_their_names_are_called(
    text: str, participants: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    assert tuple(subjects(about(text, *participants), Roles(assistants=["Alfred", "Betty"]))) == wanted


def test_what_the_named_subject_said_claims_everything_and_the_rest_nothing(talk: Any) -> None:
    ana, more, ben = talk.say("Ana: a", "Ana: c", "Ben: b")
    talk.lanes = {"lexical": {ana: 0.1, ben: 1.0}}
    assert found(talk, about("Where does Ana live?", "Ana")) == {ana: 1.0, more: 1.0}


def test_of_a_subject_that_is_not_named_what_has_enough_of_the_question_claims_everything(talk: Any) -> None:
    ana, more, ben = talk.say("Ana: a", "Ana: c", "Ben: b")
    talk.lanes = {"lexical": {ana: 0.5, more: 0.9, ben: 1.0}}
    assert found(talk, about("Where do I live?", "Ana")) == {ana: 1.0, more: 1.0}


def test_that_the_asker_said_it_does_not_bring_what_has_little_of_the_question(talk: Any) -> None:
    little, nothing, ben = talk.say("Ana: a", "Ana: c", "Ben: b")
    talk.lanes = {"lexical": {little: 0.1, nothing: 0.0, ben: 1.0}}
    assert found(talk, about("Where do I live?", "Ana")) == pytest.approx({little: 0.2})


def test_where_nothing_of_the_asker_was_found_nothing_is_brought(talk: Any) -> None:
    _, ben = talk.say("Ana: a", "Ben: b")
    talk.lanes = {"lexical": {ben: 1.0}}
    assert len(ask(talk, about("Where do I live?", "Ana"))) == 0


def test_every_voice_so_far_counts_by_its_weight(talk: Any) -> None:
    (ana,) = talk.say("Ana: a")
    talk.lanes = {"lexical": {ana: 0.1}, "vector": {ana: 0.1}, "against": {ana: 0.1}}
    talk.weights = {"vector": 2.0, "against": -1.0}
    assert found(talk, about("Where do I live?", "Ana")) == pytest.approx({ana: 0.4})


def test_only_what_lanes_found_is_ranked(talk: Any) -> None:
    ana, ben, _ = talk.say("Ana: a", "Ben: b", "Ana: c")
    talk.lanes = {"lexical": {ana: 0.1, ben: 1.0}}
    assert list(ask(talk, about("Where does Ana live?", "Ana")).ids) == [ana]


def test_where_nothing_of_the_subject_was_found_the_newest_are_brought(talk: Any) -> None:
    *_, ben = talk.say("Ben: a", "Ben: b", "Ben: c", "Ana: d", "Ben: e", "Ben: f", "Ben: g")
    said = talk.say("Ana: h")
    talk.lanes = {"lexical": {said[0]: 1.0}}
    ranking = ask(talk, about("What does Ben drink?", "Ben"))
    assert len(ranking) == 5
    assert ranking.ids[0] == ben


def test_of_a_subject_that_is_not_named_everything_is_claimed_where_no_word_is_searched_for(talk: Any) -> None:
    talk.say("Ana: I row.", "Ben: I swim.")
    question = attrs.evolve(about("What did I tell you?", "Ben"), lexical_text="What did I ?")
    assert list(found(talk, question).values()) == [1.0]
    assert len(ask(talk, question).ids) == 1


def test_an_agent_beside_a_customer_is_not_the_assistant_under_another_name(talk: Any) -> None:
    agent, bot, _ = talk.say("agent: I will call you.", "bot: You will be called.", "customer: Thanks.")
    talk.lanes = {"lexical": {agent: 1.0, bot: 1.0}}
    assert found(talk, about("What did you say?", "agent", "bot")) == {agent: 1.0}


def test_a_question_that_names_nobody_claims_nothing(talk: Any) -> None:
    talk.lanes = {"lexical": dict.fromkeys(talk.say("Ana: a", "Ben: b"), 1.0)}
    assert len(ask(talk, Query.of("Who swims?"))) == 0


def test_every_spelling_of_the_name_counts(talk: Any) -> None:
    turns = talk.say("Ana: a", "ana: b", "Ben: c")
    talk.lanes = {"lexical": dict.fromkeys(turns, 1.0)}
    assert found(talk, about("Where does Ana live?", "Ana", "ana")) == dict.fromkeys(turns[:2], 1.0)


def test_somebody_who_said_nothing_here_claims_nothing(talk: Any) -> None:
    talk.lanes = {"lexical": dict.fromkeys(talk.say("Ana: a"), 1.0)}
    assert found(talk, about("Where does Zoe live?", "Zoe")) == {}
    assert len(ask(talk, about("Where does Zoe live?", "Zoe"))) == 0


def test_a_memory_without_sender_is_nobodys(talk: Any) -> None:
    (note,) = talk.add(NewMemory(content="a note"))
    assert note not in found(talk, about("Where does Ana live?", "Ana"))


def test_an_empty_scope_is_no_error(talk: Any) -> None:
    assert len(ask(talk, about("Ana?", "Ana"), scope=Scope("nobody", "here"))) == 0


def test_the_expander_is_off_unless_asked_for() -> None:
    (spec,) = comis_expanders()
    assert (spec.name, spec.order, spec.sections[0].path) == ("speaker", 30, "rag.lanes.speaker")
    assert (SpeakerOptions().enabled, SpeakerOptions().weight) == (False, 0.6)


@pytest.mark.parametrize(
    ("text", "sender", "named"),
    [
        ("Where does Ana Lima live?", "Ana  Lima", True),
        ("Where is Zoë's key?", "Zoe", True),
        ("田中さんはどこ？", "田中", True),
        ("Where do I also live?", "Al", False),
        ("Where do I live?", "Ana", False),
    ],
)
def test_a_subject_is_named_where_its_name_stands_as_a_word(text: str, sender: str, named: bool) -> None:
    assert is_named_in(text, [sender]) is named
