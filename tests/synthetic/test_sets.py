"""The made-up sets are what they claim to be, and each lane is worth having on its own."""

from __future__ import annotations

import functools
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from comis_core.evaluation import Case, Scores, Variant, find_cases, run_variant
from comis_core.evaluation.variants import Pipeline
from synthetic import causal, sets, supersession
from synthetic.names import PEOPLE, PLACES
from synthetic.writing import Draft

SETS = ("causal", "temporal", "supersession", "as_of")


@functools.cache
def drafts() -> tuple[Draft, ...]:
    return tuple(sets.drafts())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All sets on disk."""
    place = tmp_path_factory.mktemp("sets")
    for draft in drafts():
        draft.write(place)
    return place


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


@pytest.mark.parametrize("name", SETS)
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
    assert min(kinds.values()) >= 40


# -- what each lane is worth on them -----------------------------------------------------------------------------------

Overrides = dict[str, Any]


def measured(cases: list[Case], preset: str, rag: Overrides) -> Scores:
    """Means over all questions, without vectors."""
    pipeline = Pipeline(preset=preset, overrides={"embedding": "none", "rag": rag})
    run = run_variant(Variant(name=preset, open=pipeline), cases)
    assert not run.degraded
    return run.by()[cases[0].set, ""]


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
