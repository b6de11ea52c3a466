"""The analyzer as a whole, its options, intents and synonyms."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.model import Query, TimeWindow, to_microseconds
from comis_core.recall.question import read_of
from comis_core.senders import Roles
from comis_core.text import Analyser
from comis_plugins.query_understanding import comis_analyzers
from comis_plugins.query_understanding.analyzer import LONGEST, QueryUnderstanding, build
from comis_plugins.query_understanding.intent import intent_of
from comis_plugins.query_understanding.options import QueryUnderstandingOptions
from comis_plugins.query_understanding.synonyms import Synonyms

NOW = to_microseconds(datetime(2024, 3, 13, 15, 30, tzinfo=UTC))
ALFRED = Roles(assistants=["Alfred"])
MAY = TimeWindow(
    start=to_microseconds(datetime(2023, 5, 1, tzinfo=UTC)), end=to_microseconds(datetime(2023, 6, 1, tzinfo=UTC))
)


def analyzer(roles: Roles | None = None, **options: Any) -> QueryUnderstanding:
    """With participants, unless they are switched off."""
    chosen = QueryUnderstandingOptions(**{"participants": True, **options})
    return build(SimpleNamespace(text=Analyser(), roles=roles or Roles()), chosen)  # type: ignore[arg-type]


def scope(*senders: str) -> Any:
    """What an analyzer sees of a scope."""
    return SimpleNamespace(memories=len(senders), senders=dict.fromkeys(senders, 1), entities={})


def analyze(text: str | Query, *senders: str, **options: Any) -> Query:
    query = Query.of(text) if isinstance(text, str) else text
    return analyzer(**options).analyze(query, scope(*senders), NOW)


# -- participants


def test_one_participant_leaves_the_lexical_text_and_speaks_in_the_dense_one() -> None:
    query = analyze("When did Ana move to Lisbon?", "Ana", "Ben")
    assert query.participants == ("Ana",)
    assert query.lexical_text.split() == ["When", "did", "move", "to", "Lisbon?"]
    assert query.dense_text == "When did I move to Lisbon?"


def test_two_participants_stay_in_the_lexical_text() -> None:
    query = analyze("What did Ana give Ben?", "Ana", "Ben")
    assert query.participants == ("Ana", "Ben")
    assert query.lexical_text == query.text
    assert query.dense_text == "What did I give you?"


def test_without_participants_the_texts_are_as_they_were() -> None:
    query = analyze("Where is the key?", "Ana", "user")
    assert (query.participants, query.lexical_text, query.dense_text) == ((), query.text, query.text)


@pytest.mark.parametrize(
    ("text", "participants", "dense"),
    [
        ("What did Alfred recommend?", ("Alfred",), "What did you recommend?"),
        ("What was Alfred's advice on moss?", ("Alfred",), "What was your advice on moss?"),
        ("What does Alfred think of moss?", ("Alfred",), "What do you think of moss?"),
        ("Alfred, where do I keep my key?", ("Ana",), "you, where do I keep my key?"),
        ("What did I tell Alfred about my key?", ("Ana",), "What did I tell you about my key?"),
    ],
)
def test_the_name_of_an_assistant_is_another_word_for_you(text: str, participants: tuple[str, ...], dense: str) -> None:
    query = analyze(text, "Alfred", "Ana", roles=ALFRED)
    assert (query.participants, query.dense_text) == (participants, dense)
    assert "Alfred" not in query.lexical_text


def test_a_role_that_is_a_person_is_named_by_a_question() -> None:
    query = analyze("What did the agent promise?", "agent", "customer", roles=Roles(people=["Agent"]))
    assert query.participants == ("agent",)


def test_beside_a_person_an_assistant_that_is_named_is_one_of_two() -> None:
    query = analyze("What did Alfred recommend Ana?", "Alfred", "Ana", roles=ALFRED)
    assert (query.participants, query.dense_text) == (("Alfred", "Ana"), "What did you recommend Ana?")


def test_a_person_who_told_an_assistant_says_i() -> None:
    query = analyze("What did Ana tell Alfred about moss?", "Alfred", "Ana", roles=ALFRED)
    assert (query.participants, query.dense_text) == (("Ana", "Alfred"), "What did I tell you about moss?")


@pytest.mark.parametrize(
    ("text", "dense"),
    [
        ("Alfred, what did Ben say?", "what did I say?"),
        ("Hey Alfred, where is Ben's key?", "where is my key?"),
        ("Good morning, Alfred! Where is Ben?", "Where am I?"),
        ("Hi Alfred where is Ben?", "where am I?"),
        ("Alfred: where is Ben?", "where am I?"),
        ("Where is Ben, Alfred?", "Where am I ?"),
        ("Tell me, Alfred, where is Ben?", "Tell me where am I?"),
        ("Alfred, where is Ben, Alfred?", "where am I ?"),
        ("Jeeves, what does Ben like?", "what do I like?"),
    ],
)
def test_an_assistant_that_is_only_called_is_not_what_the_question_is_about(text: str, dense: str) -> None:
    roles = Roles(assistants=["Alfred", "Jeeves"])
    query = analyze(text, "Alfred", "Ana", "Ben", "Jeeves", roles=roles)
    assert (query.participants, query.dense_text) == (("Ben",), dense)
    assert not {"Alfred", "Jeeves"} & set(query.lexical_text.replace(",", " ").split())


@pytest.mark.parametrize(
    ("text", "participants"),
    [
        ("Alfred's advice for Ben?", ("Alfred", "Ben")),
        ("Alfred, Ben and Ana: who is early?", ("Alfred", "Ben", "Ana")),
        ("Alfred and Ben?", ("Alfred", "Ben")),
        ("Who is early: Ana, Ben, Alfred?", ("Ana", "Ben", "Alfred")),
        ("Who is early, Ben or Alfred?", ("Ben", "Alfred")),
        ("What did Ben tell Alfred?", ("Ben", "Alfred")),
        ("Ana, what did Alfred say?", ("Ana", "Alfred")),
        ("Alfred, what did you tell Ben?", ("Alfred", "Ben")),
    ],
)
def test_an_assistant_that_is_one_of_those_asked_about_stays(text: str, participants: tuple[str, ...]) -> None:
    assert analyze(text, "Alfred", "Ana", "Ben", roles=ALFRED).participants == participants


@pytest.mark.parametrize(
    ("text", "participants"),
    [
        ("What did you tell Ben about moss?", ("assistant", "Ben")),
        ("What have you recommended to Ben?", ("assistant", "Ben")),
        ("Which moss did you suggest for Ben?", ("assistant", "Ben")),
        ("What did I tell Ben about moss?", ("ana", "Ben")),
        ("Where did you say Ben lives?", ("Ben",)),
        ("Can you tell Ben where he left it?", ("Ben",)),
        ("What did Ben tell you?", ("Ben",)),
        ("What did Ben say that you told Cy?", ("Ben", "Cy")),
    ],
)
def test_who_told_somebody_goes_before_whom_he_told(text: str, participants: tuple[str, ...]) -> None:
    query = Query.of(text, asker="Ana")
    assert analyze(query, "ana", "assistant", "Ben", "Cy").participants == participants


def test_a_question_by_nobody_known_tells_nobody() -> None:
    assert analyze("What did I tell Ben?", "Ana", "Ben").participants == ("Ben",)


def test_stop_words_alone_are_not_searched_for_where_somebodys_words_are_wanted() -> None:
    query = analyze(Query.of("What did I tell Alfred?", asker="Ana"), "Alfred", "Ana", "Ben", roles=ALFRED)
    assert (query.participants, query.lexical_text) == (("Ana",), "")


def test_in_another_language_the_name_of_an_assistant_is_left_out() -> None:
    query = analyze("¿Qué recomendó Alfred?", "Alfred", "Ana", roles=ALFRED)
    assert (query.participants, query.dense_text.split()) == (("Alfred",), ["¿Qué", "recomendó", "?"])


def test_a_text_that_an_earlier_analyzer_has_made_stays_though_an_assistant_is_named() -> None:
    before = attrs.evolve(Query.of("What did Alfred recommend?"), dense_text="Which advice?")
    assert analyze(before, "Alfred", "Ana", roles=ALFRED).dense_text == "Which advice?"


def test_participants_are_looked_for_only_when_asked() -> None:
    query = analyze("Where does Ana live?", "Ana", participants=False)
    assert (query.participants, query.lexical_text, query.dense_text) == ((), query.text, query.text)


def test_texts_that_an_earlier_analyzer_has_made_are_left_to_it() -> None:
    before = attrs.evolve(Query.of("Where does Ana live?"), lexical_text="home", dense_text="Where is home?")
    query = analyze(before, "Ana")
    assert (query.participants, query.lexical_text, query.dense_text) == (("Ana",), "home", "Where is home?")


def test_senders_that_join_the_scope_are_known_at_once() -> None:
    part = analyzer()
    assert part.analyze(Query.of("Where does Ana live?"), scope("Ben"), NOW).participants == ()
    assert part.analyze(Query.of("Where does Ana live?"), scope("Ben", "Ana"), NOW).participants == ("Ana",)
    assert part.analyze(Query.of("Where does Ana live?"), scope("Ben"), NOW).participants == ()


# -- time


def test_the_named_time_becomes_a_soft_window() -> None:
    assert analyze("What happened in May 2023?").time_window == MAY


def test_a_hard_window_is_a_choice() -> None:
    assert analyze("What happened in May 2023?", hard_window=True).time_window == attrs.evolve(MAY, hard=True)


def test_time_expressions_can_be_left_alone() -> None:
    assert analyze("What happened in May 2023?", temporal_parse=False).time_window is None


def test_a_window_found_before_stays_unless_the_text_names_one() -> None:
    earlier = attrs.evolve(Query.of("Where?"), time_window=MAY)
    assert analyze(earlier).time_window == MAY
    assert analyze(attrs.evolve(earlier, text="yesterday?")).time_window != MAY


def test_the_time_is_read_in_the_askers_zone() -> None:
    query = analyze(Query.of("What did I do today?", time_zone="Asia/Tokyo"))
    assert query.time_window is not None
    assert query.time_window.start == to_microseconds(datetime(2024, 3, 13, 15, tzinfo=UTC))


def test_a_participant_called_may_is_no_month_beside_one_that_is() -> None:
    query = analyze("What did May do in May 2023?", "May")
    assert query.participants == ("May",)
    assert query.time_window == MAY
    assert "May 2023" in query.dense_text
    assert analyze("What did May 5 years old do?", "Sunday").participants == ()


def test_a_participant_called_sunday_is_no_day() -> None:
    query = analyze("What did Sunday say?", "Sunday")
    assert (query.participants, query.time_window) == (("Sunday",), None)
    assert analyze("What did we do last Sunday?", "Sunday").time_window is not None


# -- intent


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("What else happened around the time Ana moved?", "surroundings"),
        ("What was going on in the days of the flood?", "surroundings"),
        ("Who called on the same day as the flood?", "surroundings"),
        ("Is there anything else from about then?", "surroundings"),
        ("Why did Ana move?", "reasons"),
        ("How come nobody answered?", "reasons"),
        ("What was the reason for the move?", "reasons"),
        ("What led to the quarrel?", "reasons"),
        ("What came of the complaint?", "reasons"),
        ("What was the result of the vote?", "reasons"),
        ("Warum ist Ana umgezogen?", "reasons"),
        ("アナはなぜ引っ越したの?", "reasons"),
        ("Did Ana lead the team to Porto?", "factual"),
        ("When is Ben going on vacation?", "temporal"),
        ("What was Ana's job at the time?", "enumeration"),
        ("How long was that weekend trip?", "temporal"),
        ("How did Mel feel about the moment she won?", "factual"),
        ("Were Ana and Ben born in the same month?", "factual"),
        ("What time is it?", "temporal"),
        ("Does Ana still like the same food?", "preference"),
        ("When did Ana move?", "temporal"),
        ("What year was it?", "temporal"),
        ("Which month did Ana start?", "temporal"),
        ("How long did it take?", "temporal"),
        ("Wann ist Ana umgezogen?", "temporal"),
        ("Ana 什么时候搬家的?", "temporal"),
        ("What is Ana's favourite food?", "preference"),
        ("What does Ana like?", "preference"),
        ("Which hobbies are there?", "preference"),
        ("How many dogs has Ana?", "enumeration"),
        ("Which books did Ana read?", "enumeration"),
        ("List all the places!", "enumeration"),
        ("Where does Ana live?", "factual"),
        ("Whenever whatever", "factual"),
        ("", "factual"),
    ],
)
def test_the_kind_of_a_question(text: str, intent: str) -> None:
    assert intent_of(text) == intent
    assert analyze(text).intent == intent


def test_lanes_weigh_the_same_for_every_intent_unless_told_otherwise() -> None:
    assert analyze("When did Ana move?").lane_multipliers == {}


def test_factors_by_intent_multiply_what_is_there() -> None:
    weights = {"temporal": {"fts": 2.0, "vector": 0.5}, "factual": {"fts": 3.0}}
    before = attrs.evolve(Query.of("When?"), lane_multipliers={"fts": 1.5, "entity": 0.1})
    assert analyze(before, intent_weights=weights).lane_multipliers == {"fts": 3.0, "vector": 0.5, "entity": 0.1}
    assert analyze("Where?", intent_weights=weights).lane_multipliers == {"fts": 3.0}
    assert analyze("Where?", intent_weights=weights, intent_reweight=False).lane_multipliers == {}


def test_surroundings_and_reasons_weigh_lanes_whatever_other_intents_do() -> None:
    weights = {"factual": {"fts": 3.0}}
    assert analyze("Why did Ana move?", intent_weights=weights).lane_multipliers == {"causal": 3.0}
    assert analyze("What else happened around then?", intent_weights=weights).lane_multipliers["temporal"] == 8.0


def test_an_intent_that_is_named_has_nothing_but_what_is_given() -> None:
    assert analyze("Why did Ana move?", intent_weights={"reasons": {}}).lane_multipliers == {}


@pytest.mark.parametrize("weights", [{"sometimes": {"fts": 1.0}}, {"temporal": {"fts": -1.0}}])
def test_unknown_intents_and_negative_factors_are_refused(weights: Mapping[str, Mapping[str, float]]) -> None:
    with pytest.raises(ValueError, match=r"sometimes|temporal"):
        QueryUnderstandingOptions(intent_weights=weights)


# -- synonyms

MAP = {"kids": ("children",), "New York": ("NYC", "Big Apple"), "car": ("vehicle", "car")}


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("Where are the kids?", ["children"]),
        ("Has Ana a kid?", ["children"]),
        ("KIDS in new york", ["children", "NYC", "Big Apple"]),
        ("kids and children", []),
        ("a new car for York", ["vehicle"]),
        ("nothing of these", []),
        ("", []),
    ],
)
def test_synonyms_stand_behind_the_text_once(text: str, added: list[str]) -> None:
    assert Synonyms.of(Analyser(), MAP).added_to(text) == " ".join((text, *added))


def test_synonyms_are_searched_by_words_alone_and_can_be_switched_off() -> None:
    query = analyze("Where are the kids?", synonyms_map=MAP)
    assert query.lexical_text.endswith("children")
    assert query.dense_text == query.text
    assert analyze("Where are the kids?", synonyms_map=MAP, synonyms=False).lexical_text == query.text


def test_without_a_map_there_are_no_synonyms() -> None:
    assert analyze("Where are the kids?").lexical_text == "Where are the kids?"


# -- the whole


def test_a_pasted_document_is_left_as_it_is() -> None:
    text = "Where does Ana live? In May 2023. " * (LONGEST // 30)
    assert analyze(text, "Ana") == Query.of(text)


@pytest.mark.parametrize("document", ["字" * 100_000, "word " * 20_000])
def test_what_is_asked_after_a_pasted_document_is_understood(document: str) -> None:
    read, _ = read_of(f"{document}\nWhat happened in May 2023?")
    assert analyze(read).time_window == analyze("What happened in May 2023?").time_window is not None


@given(text=st.text(max_size=100), senders=st.lists(st.text(max_size=10), max_size=4))
def test_any_question_keeps_its_text_asker_and_zone(text: str, senders: list[str]) -> None:
    before = Query.of(text, asker="ana", time_zone="Europe/Lisbon")
    query = analyzer().analyze(before, scope(*senders), NOW)
    assert (query.text, query.asker, query.time_zone) == (text, "ana", "Europe/Lisbon")
    assert set(query.participants) <= set(senders)


def test_it_is_on_with_every_documented_key() -> None:
    (spec,) = comis_analyzers()
    assert (spec.name, spec.sections[0].path) == ("query_understanding", "rag.queryUnderstanding")
    options = QueryUnderstandingOptions()
    assert (options.enabled, options.participants, options.hard_window) == (True, False, False)
    assert (options.intent_reweight, options.synonyms, options.temporal_parse) == (True, True, True)


def test_of_what_somebody_said_the_saying_is_not_searched_for() -> None:
    assert analyze("What did Ana say and tell of Porto?", "Ana", "Ben").lexical_text.split() == [
        "What",
        "did",
        "and",
        "of",
        "Porto?",
    ]
    assert analyze("Who said Porto?", "Ana", "Ben").lexical_text == "Who said Porto?"


def test_in_a_talk_with_an_assistant_i_and_you_are_participants_and_texts_stay() -> None:
    query = analyze("What did you recommend?", "assistant", "user")
    assert (query.participants, query.lexical_text, query.dense_text) == (("assistant",), query.text, query.text)


def test_a_name_goes_before_i_and_you() -> None:
    assert analyze("What did Ana tell you?", "Ana", "assistant").participants == ("Ana",)


def test_what_an_earlier_analyzer_found_goes_before_i_and_you() -> None:
    query = attrs.evolve(Query.of("Where do I live?"), participants=("Ben",))
    assert analyze(query, "assistant", "user").participants == ("Ben",)


def test_an_unknown_intent_is_refused_with_a_guess() -> None:
    with pytest.raises(ValueError, match=r"there is no intent 'temproal'; did you mean temporal\? \(there are: "):
        QueryUnderstandingOptions(intent_weights={"temproal": {}})
    with pytest.raises(ValueError, match=r"there is no intent 'zzz' \(there are: "):
        QueryUnderstandingOptions(intent_weights={"zzz": {}})
