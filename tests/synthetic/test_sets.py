"""The made-up sets are what they claim to be, and each lane is worth having on its own."""

from __future__ import annotations

import random
import statistics
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import attrs
import pytest
from support.made_up import ANALYSER, by_category, drafts, measured, stems

import comis_core
from comis_core.evaluation import find_cases
from synthetic import causal, fading, paraphrase, sets, supersession, wordings
from synthetic.names import PEOPLE, PLACES
from synthetic.pastimes import PASTIMES, Pastime
from synthetic.writing import Draft

LURED = ("causal", "temporal", "supersession", "as_of")
SEEDED = (*LURED, "paraphrase", "habits", "fading", "chatter", "lately", "sources", "confirmed")
SETS = (*SEEDED, "assistant")

# -- what they are -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
def test_a_set_has_at_least_two_hundred_questions(name: str) -> None:
    assert sum(len(draft.questions) for draft in drafts() if draft.set == name) >= 200


def test_the_same_seed_makes_the_same_sets() -> None:
    assert tuple(sets.drafts()) == drafts()


def test_another_seed_makes_others() -> None:
    assert next(sets.drafts(8)) != drafts()[0]


@pytest.mark.parametrize("name", [*SETS, "present"])
def test_every_case_can_be_read_back(folder: Path, name: str) -> None:
    cases = find_cases(folder / name)
    assert [len(case.questions) for case in cases] == [len(each.questions) for each in drafts() if each.set == name]
    assert all(question.relevant for case in cases for question in case.questions)


def test_names_are_no_words_of_the_sentences() -> None:
    texts = " ".join(
        sentence
        for chain in causal.CHAINS
        for sentence in (chain.cause, chain.effect, chain.why, chain.then, *chain.near, *chain.echo)
    ).split()
    assert not set(texts) & {*PEOPLE, *PLACES}


@pytest.mark.parametrize("name", LURED)
def test_questions_share_their_words_with_more_than_their_gold(name: str) -> None:
    """Distractors: for nearly every question some other memory has at least as many of its words as the gold has."""
    shared = []
    for draft in (each for each in drafts() if each.set == name):
        words = {row["id"]: set(row["content"].lower().split()) for row in draft.memories}
        for question in draft.questions:
            asked = set(question["text"].lower().rstrip("?").split())
            best = max(len(asked & words[gold]) for gold in question["relevant"])
            rivals = (len(asked & own) for id, own in words.items() if id not in question["relevant"])
            shared.append(max(rivals) >= best)
    assert sum(shared) >= 0.9 * len(shared)


def test_every_kind_of_correction_and_every_kind_of_past_is_asked_for() -> None:
    kinds = Counter((draft.set, question["category"]) for draft in drafts() for question in draft.questions)
    assert {kind for name, kind in kinds if name == "supersession"} == {"supersedes", "key", "triple"}
    assert {kind for name, kind in kinds if name == "as_of"} == {"rewritten", "gone", "corrected", "happened later"}
    assert min(count for (name, _), count in kinds.items() if name in (*SEEDED, "present")) >= 40


def test_both_what_a_prior_should_raise_and_what_it_must_not_is_asked_for() -> None:
    kinds = Counter((draft.set, question["category"]) for draft in drafts() for question in draft.questions)
    assert {kind for name, kind in kinds if name == "habits"} == {
        "asked again",
        "one of the others",
        "used for something else",
    }
    assert {kind for name, kind in kinds if name == "fading"} == {"changes", "lasting"}


@pytest.mark.parametrize("draft", [each for each in drafts() if each.set == "habits"], ids=lambda draft: draft.name)
def test_what_is_asked_for_again_was_used_in_a_turn_and_the_rest_of_the_gold_never(draft: Draft) -> None:
    """Used: cited, or all its words stand in the answer; and no turn asked as the question does."""
    ways = {row["id"]: row["content"].split(": ", 1)[-1].rstrip(".") for row in draft.memories}
    used = {id for turn in draft.turns for id in turn.get("cited", ())}
    used |= {id for turn in draft.turns for id in turn["recalled"] if ways[id] in turn.get("answer", "")}
    for question in draft.questions:
        assert (used >= set(question["relevant"])) == (question["category"] == "asked again")
    assert not {turn["text"] for turn in draft.turns} & {question["text"] for question in draft.questions}


@pytest.mark.parametrize("pastime", PASTIMES, ids=lambda pastime: pastime.question)
def test_what_is_asked_for_again_could_be_any_of_more_than_ten(pastime: Pastime) -> None:
    """By the question's words no note of a pastime is told from the others."""
    asked, note = (
        {token.stem for token in ANALYSER.analyse(text).content} for text in (pastime.question, pastime.note)
    )
    ways = [stems(way.text) for way in pastime.ways]
    assert len(ways) > 10
    assert len(asked & note) >= 2
    assert sum(bool(asked & way - note) for way in ways) <= 1
    cues = [way.cue for way in pastime.ways]
    assert all(sum(cue in way.text for way in pastime.ways) == 1 for cue in cues)


@pytest.mark.parametrize("draft", [each for each in drafts() if each.set == "fading"], ids=lambda draft: draft.name)
def test_what_changes_is_newest_and_what_lasts_is_older_than_ten_of_its_words(draft: Draft) -> None:
    told = {row["id"]: datetime.fromisoformat(row["created_at"]) for row in draft.memories}
    words = {row["id"]: stems(row["content"]) for row in draft.memories}
    for question in draft.questions:
        (gold,), asked = question["relevant"], stems(question["text"])
        assert told[gold] < fading.NOW
        if question["category"] == "changes":
            gone = fading.NOW - timedelta(days=fading.RECENT_DAYS)
            assert sum(len(asked & words[id]) >= 2 and told[id] < gone < told[gold] for id in told) >= fading.OLDER
        else:
            assert sum(len(asked & words[id]) >= 2 and told[id] > told[gold] for id in told) > 10


@pytest.mark.parametrize(
    "each", [each for person in wordings.PEOPLE for each in wordings.told(person)], ids=attrs.astuple
)
def test_other_words_share_no_stem_with_the_fact_and_one_with_the_lure(each: wordings.Told) -> None:
    fact, same, other, lure = (stems(text) for text in attrs.astuple(each))
    assert fact & same
    assert not fact & other
    assert lure & other
    assert not lure & fact


def test_a_misspelt_question_has_the_same_letters_in_another_order() -> None:
    question = "Which instrument do I play?"
    written = paraphrase.misspelt(question, random.Random(1))
    assert written != question
    assert sorted(written) == sorted(question)


# -- what each lane is worth on them -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lane", ["causal", "temporal"])
def test_a_lane_gains_a_tenth_of_recall(folder: Path, lane: str) -> None:
    cases = find_cases(folder / lane)[:2]
    off = measured(cases, "tuned", {"lanes": {lane: {"enabled": False}}})
    on = measured(cases, "tuned", {"lanes": {lane: {"enabled": True}}})
    assert on.recall_at_10 >= off.recall_at_10 + 0.1


def test_conflict_makes_the_newer_statement_lead(folder: Path) -> None:
    cases = find_cases(folder / "supersession")[:2]
    off = measured(cases, "tuned", {"conflict": {"enabled": False}})
    on = measured(cases, "tuned", {"conflict": {"functionalPredicates": list(supersession.PREDICATES)}})
    assert on.recall_at_1 >= off.recall_at_1 + 0.1
    assert on.reciprocal_rank >= off.reciprocal_rank + 0.1


def test_asking_as_of_then_finds_what_counted_then(folder: Path) -> None:
    then = measured(find_cases(folder / "as_of")[:2], "tuned", {})
    now = measured(find_cases(folder / "present")[:2], "tuned", {})
    assert then.recall_at_10 >= now.recall_at_10 + 0.1
    assert then.recall_at_10 >= 0.95


def test_what_was_used_before_is_found_again_and_nothing_else_suffers(folder: Path) -> None:
    cases = find_cases(folder / "habits")[:3]
    off = by_category(cases, "tuned", {"feedback": {"enabled": False}})
    on = by_category(cases, "tuned", {})
    assert on["asked again"].recall_at_10 >= off["asked again"].recall_at_10 + 0.15
    assert on["asked again"].reciprocal_rank >= off["asked again"].reciprocal_rank + 0.2
    for trap in ("one of the others", "used for something else"):
        assert on[trap].recall_at_10 >= off[trap].recall_at_10
        assert on[trap].reciprocal_rank >= off[trap].reciprocal_rank - 0.02


def test_the_habits_show_when_uses_count_too_much(folder: Path) -> None:
    cases = find_cases(folder / "habits")
    off = by_category(cases, "tuned", {"feedback": {"enabled": False}})["used for something else"]
    loud = by_category(cases, "tuned", {"scoring": {"usefulnessAlpha": 1.0}})["used for something else"]
    assert loud.reciprocal_rank < off.reciprocal_rank - 0.02


def test_fading_brings_up_what_holds_now_and_loses_nothing_that_lasts(folder: Path) -> None:
    cases = find_cases(folder / "fading")[:4]
    off = by_category(cases, "tuned", {})
    on = by_category(cases, "tuned", {"forget": {"enabled": True}})
    assert on["changes"].recall_at_10 >= off["changes"].recall_at_10 + 0.1
    assert on["changes"].reciprocal_rank >= off["changes"].reciprocal_rank + 0.1
    assert on[""].recall_at_10 >= off[""].recall_at_10 + 0.05
    assert on["lasting"].recall_at_10 >= off["lasting"].recall_at_10 - 0.02


def test_the_fading_set_shows_when_old_memories_fade_too_much(folder: Path) -> None:
    cases = find_cases(folder / "fading")[:2]
    off = by_category(cases, "tuned", {})["lasting"]
    loud = by_category(cases, "tuned", {"forget": {"enabled": True}, "scoring": {"forgetAlpha": 0.4}})["lasting"]
    assert loud.recall_at_10 < off.recall_at_10 - 0.1


@pytest.mark.parametrize("case", ["notes-engineer", "notes-gardener", "chat-gardener"])
def test_a_lure_in_the_questions_words_is_not_sure(folder: Path, tmp_path: Path, case: str) -> None:
    """What has one word of many in common scores little beside what has most of them; in a chat both are the user's."""
    (asked,) = find_cases(folder / "paraphrase" / case)
    with comis_core.open(tmp_path / "memory.db", preset="tuned", overrides={"embedding": "none"}) as engine:
        agent = engine.agent()
        agent.store_many(asked.memories)
        best = {"other words": [], "same words": []}
        for question in asked.questions:
            if question.category in best:
                found = agent.recall(question.text, min_score=0.0).items
                best[question.category].append(found[0].score if found else 0.0)
    assert statistics.median(best["same words"]) > 1.75 * statistics.median(best["other words"])
