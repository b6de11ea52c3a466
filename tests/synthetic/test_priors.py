"""The sets on what must not be decided by words: restatements, event times, trust and proofs."""

from __future__ import annotations

import itertools
from datetime import datetime
from pathlib import Path

import pytest
from support.made_up import ANALYSER, by_category, of_set, stems

from comis_core.evaluation import find_cases
from comis_core.text import similarity
from synthetic import chatter, confirmed, lately, sources
from synthetic.writing import Draft

KINDS = {
    "chatter": {"all there is", "much alike"},
    "lately": {"going on", "coming up", "long ago"},
    "sources": {"from the operator", "from people", "people alone", "pages alone"},
    "confirmed": {"confirmed", "said once"},
}

# -- what they are -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_both_what_a_part_should_raise_and_what_it_must_not_is_asked_for(name: str) -> None:
    assert {question["category"] for draft in of_set(name) for question in draft.questions} == KINDS[name]


@pytest.mark.parametrize("name", KINDS)
def test_words_do_not_tell_the_gold_of_a_prior_from_the_rest(name: str) -> None:
    """For nearly every question some other memory has at least as many of its stems as the gold has."""
    shared = []
    for draft in of_set(name):
        words = {row["id"]: stems(row["content"]) for row in draft.memories}
        for question in draft.questions:
            asked = stems(question["text"])
            best = max(len(asked & words[gold]) for gold in question["relevant"])
            rivals = (len(asked & own) for id, own in words.items() if id not in question["relevant"])
            shared.append(max(rivals) >= best)
    assert sum(shared) >= 0.95 * len(shared)


@pytest.mark.parametrize("topic", chatter.TOPICS, ids=lambda topic: topic.question)
def test_no_restatement_is_a_copy_and_all_have_as_much_of_the_question_as_the_facts(topic: chatter.Topic) -> None:
    """Dedup folds from a likeness of .95; no fact is as like a restatement as two restatements are like each other."""
    said = [frozenset(ANALYSER.analyse(text).words) for text in topic.restatements()]
    pairs = [similarity(one, other) for one, other in itertools.combinations(said, 2)]
    assert max(pairs) < 0.95
    facts = [frozenset(ANALYSER.analyse(text).words) for text in topic.facts]
    assert max(similarity(fact, other) for fact in facts for other in said) < max(pairs)
    asked = stems(topic.question)
    assert min(len(asked & stems(text)) for text in topic.restatements()) >= max(
        len(asked & stems(text)) for text in topic.facts
    )


@pytest.mark.parametrize("draft", of_set("lately"), ids=lambda draft: draft.name)
def test_what_goes_on_is_last_what_comes_is_next_and_what_was_long_ago_is_first(draft: Draft) -> None:
    happened = {row["id"]: datetime.fromisoformat(row["occurred_at"]) for row in draft.memories}
    words = {row["id"]: stems(row["content"]) for row in draft.memories}
    for question in draft.questions:
        (gold,), asked = question["relevant"], stems(question["text"])
        alike = [happened[id] for id in happened if id != gold and len(asked & words[id]) >= len(asked & words[gold])]
        match question["category"]:
            case "going on":
                assert max(alike) < happened[gold] < lately.NOW
            case "coming up":
                assert happened[gold] == min(moment for moment in (*alike, happened[gold]) if moment > lately.NOW)
            case _:
                assert all(moment > happened[gold] for moment in alike)


@pytest.mark.parametrize("draft", of_set("lately"), ids=lambda draft: draft.name)
def test_what_has_happened_was_written_down_afterwards_and_everything_before_it_is_asked_for(draft: Draft) -> None:
    for row in draft.memories:
        happened, written = (datetime.fromisoformat(row[field]) for field in ("occurred_at", "created_at"))
        assert written <= lately.NOW
        assert written >= happened or happened > lately.NOW


@pytest.mark.parametrize("draft", of_set("sources"), ids=lambda draft: draft.name)
def test_the_gold_is_the_one_of_its_trust_among_those_with_its_words(draft: Draft) -> None:
    trust = {row["id"]: row["trust"] for row in draft.memories}
    traps = {trap: (worse, better) for better, worse, trap in sources.LEVELS.values()}
    expected = {category: (better, worse) for category, (better, worse, _) in sources.LEVELS.items()} | traps
    words = {row["id"]: stems(row["content"]) for row in draft.memories}
    for question in draft.questions:
        (gold,), asked = question["relevant"], stems(question["text"])
        own, other = expected[question["category"]]
        assert trust[gold] == own
        assert sum(trust[id] == other and len(asked & words[id]) >= 2 for id in trust) >= 3


@pytest.mark.parametrize("draft", of_set("confirmed"), ids=lambda draft: draft.name)
def test_the_gold_has_more_proofs_than_any_other_claim_and_that_of_a_trap_fewer(draft: Draft) -> None:
    proofs = {row["id"]: row["proof_count"] for row in draft.memories}
    words = {row["id"]: stems(row["content"]) for row in draft.memories}
    for question in draft.questions:
        (gold,), asked = question["relevant"], stems(question["text"])
        others = [proofs[id] for id in proofs if id != gold and len(asked & words[id]) >= 2]
        if question["category"] == "confirmed":
            assert proofs[gold] >= confirmed.PROOFS[0]
            assert sum(count < proofs[gold] for count in others) >= confirmed.CLAIMS - 1
        else:
            assert proofs[gold] == 1
            assert sum(count >= confirmed.PROOFS[0] for count in others) >= 3


# -- what each part is worth on them, and what it must not cost --------------------------------------------------------


def test_diversity_digs_out_what_restatements_bury_and_keeps_what_is_alike(folder: Path) -> None:
    cases = find_cases(folder / "chatter")[:3]
    off = by_category(cases, "tuned", {})
    on = by_category(cases, "tuned", {"mmr": {"enabled": True}})
    assert on["all there is"].recall_at_10 >= off["all there is"].recall_at_10 + 0.1
    assert on["all there is"].recall_at_5 >= off["all there is"].recall_at_5 + 0.1
    assert on["much alike"].recall_at_5 >= off["much alike"].recall_at_5 - 0.02


def test_the_chatter_shows_when_the_head_is_spread_too_much(folder: Path) -> None:
    cases = find_cases(folder / "chatter")[:3]
    off = by_category(cases, "tuned", {})["much alike"]
    loud = by_category(cases, "tuned", {"mmr": {"enabled": True, "lambda": 0.5}})["much alike"]
    assert loud.recall_at_5 < off.recall_at_5 - 0.1


def test_event_times_bring_up_what_goes_on_and_what_is_coming(folder: Path) -> None:
    cases = find_cases(folder / "lately")[:4]
    off = by_category(cases, "tuned", {"scoring": {"temporalAlpha": 0}})
    on = by_category(cases, "tuned", {})
    for kind in ("going on", "coming up"):
        assert on[kind].recall_at_10 >= off[kind].recall_at_10 + 0.1
        assert on[kind].reciprocal_rank >= off[kind].reciprocal_rank + 0.2
    assert on["long ago"].recall_at_10 >= off["long ago"].recall_at_10 - 0.02
    assert on[""].reciprocal_rank >= off[""].reciprocal_rank + 0.1


def test_the_log_shows_when_event_times_count_too_much(folder: Path) -> None:
    cases = find_cases(folder / "lately")[:4]
    off = by_category(cases, "tuned", {"scoring": {"temporalAlpha": 0}})["long ago"]
    loud = by_category(cases, "tuned", {"scoring": {"temporalAlpha": 1.0}})["long ago"]
    assert loud.reciprocal_rank < off.reciprocal_rank - 0.2


ALL_LEVELS = {"includeTrustLevels": ["system", "learned", "external"]}


def test_the_more_trusted_claim_leads_and_no_answer_is_lost(folder: Path) -> None:
    cases = find_cases(folder / "sources")[:4]
    off = by_category(cases, "tuned", {**ALL_LEVELS, "scoring": {"trustAlpha": 0}})
    on = by_category(cases, "tuned", ALL_LEVELS)
    for better, trap in (("from the operator", "people alone"), ("from people", "pages alone")):
        assert on[better].recall_at_1 >= off[better].recall_at_1 + 0.2
        assert on[better].recall_at_5 >= off[better].recall_at_5 + 0.1
        assert on[trap].recall_at_5 >= off[trap].recall_at_5 - 0.02


def test_pages_are_not_seen_unless_they_are_allowed(folder: Path) -> None:
    found = by_category(find_cases(folder / "sources")[:1], "tuned", {})
    assert found["pages alone"].recall_at_10 == 0
    assert found["people alone"].recall_at_10 == 1


def test_the_sources_show_when_trust_counts_too_much(folder: Path) -> None:
    cases = find_cases(folder / "sources")[:4]
    off = by_category(cases, "tuned", {**ALL_LEVELS, "scoring": {"trustAlpha": 0}})["pages alone"]
    loud = by_category(cases, "tuned", {**ALL_LEVELS, "scoring": {"trustAlpha": 1.0}})["pages alone"]
    assert loud.recall_at_5 < off.recall_at_5 - 0.2


def test_the_confirmed_claim_leads_more_often_and_what_was_said_once_is_kept(folder: Path) -> None:
    cases = find_cases(folder / "confirmed")
    off = by_category(cases, "tuned", {"scoring": {"proofAlpha": 0}})
    on = by_category(cases, "tuned", {})
    assert on["confirmed"].recall_at_5 >= off["confirmed"].recall_at_5 + 0.05
    assert on["confirmed"].reciprocal_rank >= off["confirmed"].reciprocal_rank + 0.05
    assert on["said once"].recall_at_5 >= off["said once"].recall_at_5
    assert on["said once"].reciprocal_rank >= off["said once"].reciprocal_rank - 0.02


def test_the_claims_show_when_proofs_count_too_much(folder: Path) -> None:
    cases = find_cases(folder / "confirmed")
    off = by_category(cases, "tuned", {"scoring": {"proofAlpha": 0}})["said once"]
    loud = by_category(cases, "tuned", {"scoring": {"proofAlpha": 1.0}})["said once"]
    assert loud.reciprocal_rank < off.reciprocal_rank - 0.02
