"""How good the recall must be, on public cases beside the checkout and on made-up ones; `nox -s quality` has MiniLM too."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from comis_core.evaluation import Comparison, Run, compare
from comis_core.evaluation.metrics import Scores

pytestmark = pytest.mark.quality

NO_VECTORS = {"embedding": "none"}
SENTENCES = ("locomo", "multihop")
"""Public sets that take seconds."""
CHATS = ("assistant/given", "assistant/kept")
"""Two halves of the questions about made-up chats with an assistant."""
PARTS = (
    "query_understanding", "entity", "adjacent", "session", "speaker", "date_window", "turn_kind", "temporal", "causal",
    "graph_spread",
)  # fmt: skip
LANES = ("fts", "vector", "lexical", "adjacent", "session", "speaker", "dateWindow", "turnKind", "temporal", "causal")


def alone(*lanes: str, embedding: str = "none") -> dict[str, Any]:
    """These lanes and nothing around them."""
    switches = {name: {"enabled": name in lanes} for name in (*LANES, "graphSpread")}
    off = {"enabled": False}
    rag = {"lanes": switches, "entityLane": off, "mmr": off, "queryUnderstanding": off, "forget": off}
    return {"embedding": embedding, "rag": rag}


def lead(a: Run, b: Run) -> Comparison:
    """What b's recall@10 has over a's, over all questions but the adversarial ones."""
    pairs = [(x, y) for x, y in zip(a.answers, b.answers, strict=True) if x.category != "adversarial"]
    return compare(
        "recall_at_10",
        [x.case for x, _ in pairs],
        [x.scores.recall_at_10 for x, _ in pairs],
        [y.scores.recall_at_10 for _, y in pairs],
    )


def total(found: Mapping[tuple[str, str], Scores], place: str) -> Scores:
    """The whole of what was measured there: a case of a set stands under the set's name."""
    return found[place.partition("/")[0], ""]


def test_fts_alone_on_long_conversations(measure) -> None:  # type: ignore[no-untyped-def]
    found = measure("locomo", "comis", alone("fts"))
    assert found["locomo", ""].recall_at_10 >= 0.62


def test_fts_alone_in_five_languages(measure) -> None:  # type: ignore[no-untyped-def]
    found = measure("xquad", "comis", alone("fts"))
    least = {"en": 0.92, "zh": 0.92, "ar": 0.86, "ru": 0.88, "hi": 0.88}
    assert {name: found["xquad", name].recall_at_1 >= bar for name, bar in least.items()} == dict.fromkeys(least, True)


def test_tuned_without_vectors_on_long_conversations(measure) -> None:  # type: ignore[no-untyped-def]
    found = measure("locomo", "tuned", NO_VECTORS)
    assert found["locomo", ""].recall_at_10 >= 0.785
    assert found["locomo", ""].reciprocal_rank >= 0.635


@pytest.mark.parametrize("place", [*SENTENCES, "temporal", "supersession", "as_of"])
def test_the_static_embedder_is_never_below_no_vectors(measure, place: str) -> None:  # type: ignore[no-untyped-def]
    without, static = measure(place, "tuned", NO_VECTORS), measure(place, "tuned", {"embedding": "static"})
    assert static[place, ""].recall_at_10 >= without[place, ""].recall_at_10


def test_tuned_with_minilm_on_long_conversations(measure, model) -> None:  # type: ignore[no-untyped-def]
    found = measure("locomo", "tuned", {"embedding": model})
    assert found["locomo", ""].recall_at_10 >= 0.825
    assert found["locomo", ""].reciprocal_rank >= 0.665
    assert found["locomo", "adversarial"].reciprocal_rank >= 0.55


def test_tuned_with_minilm_over_several_hops(measure, model) -> None:  # type: ignore[no-untyped-def]
    found = measure("multihop", "tuned", {"embedding": model})
    assert found["multihop", ""].recall_at_5 >= 0.63
    assert found["multihop", ""].recall_at_10 >= 0.715


def test_words_and_meaning_by_themselves_on_long_conversations(measure, model) -> None:  # type: ignore[no-untyped-def]
    words = measure("locomo", "tuned", alone("lexical"))["locomo", ""].recall_at_10
    meaning = measure("locomo", "tuned", alone("vector", embedding=model))["locomo", ""].recall_at_10
    both = measure("locomo", "tuned", alone("lexical", "vector", embedding=model))["locomo", ""].recall_at_10
    assert words >= 0.65
    assert both >= max(words, meaning, 0.66)


def test_the_graph_finds_more_hops(measure, model) -> None:  # type: ignore[no-untyped-def]
    on = measure("multihop", "tuned", {"embedding": model})["multihop", ""]
    off = measure("multihop", "tuned", {"embedding": model}, without=("graph_spread",))["multihop", ""]
    assert on.recall_at_10 >= off.recall_at_10 + 0.02
    assert on.recall_at_5 >= off.recall_at_5


@pytest.mark.parametrize("place", [*SENTENCES, *CHATS, "paraphrase"])
@pytest.mark.parametrize("lane", ["fts", "lexical", "vector"])
def test_tuned_is_never_below_a_single_lane(measure, model, place: str, lane: str) -> None:  # type: ignore[no-untyped-def]
    everything = measure(place, "tuned", {"embedding": model})
    one = measure(place, "tuned", alone(lane, embedding=model if lane == "vector" else "none"))
    assert total(everything, place).recall_at_10 >= total(one, place).recall_at_10


@pytest.mark.parametrize("place", CHATS)
@pytest.mark.parametrize("lane", ["fts", "lexical", "vector"])
def test_in_chats_with_an_assistant_tuned_ranks_best(measure, model, place: str, lane: str) -> None:  # type: ignore[no-untyped-def]
    everything = measure(place, "tuned", {"embedding": model})
    one = measure(place, "tuned", alone(lane, embedding=model if lane == "vector" else "none"))
    assert total(everything, place).reciprocal_rank >= total(one, place).reciprocal_rank


@pytest.mark.parametrize("place", CHATS)
@pytest.mark.parametrize("lane", ["fts", "lexical"])
def test_in_chats_tuned_is_best_without_vectors_too(measure, place: str, lane: str) -> None:  # type: ignore[no-untyped-def]
    everything, one = measure(place, "tuned", NO_VECTORS), measure(place, "tuned", alone(lane))
    assert total(everything, place).recall_at_10 >= total(one, place).recall_at_10
    assert total(everything, place).reciprocal_rank >= total(one, place).reciprocal_rank


@pytest.mark.parametrize("place", [*SENTENCES, "temporal", "supersession"])
@pytest.mark.parametrize("part", PARTS)
def test_no_part_of_tuned_costs_a_set_anything(answers: Callable[..., Run], place: str, part: str) -> None:
    found = lead(answers(place, "tuned", NO_VECTORS, without=(part,)), answers(place, "tuned", NO_VECTORS))
    assert found.difference >= -0.02
    assert found.high >= 0


@pytest.mark.parametrize("place", SENTENCES)
@pytest.mark.parametrize("part", ["mmr", "forget"])
def test_what_tuned_leaves_off_may_be_switched_on(answers: Callable[..., Run], place: str, part: str) -> None:
    on = NO_VECTORS | {"rag": {part: {"enabled": True}}}
    found = lead(answers(place, "tuned", NO_VECTORS), answers(place, "tuned", on))
    assert found.difference >= -0.02
    assert found.high >= 0


@pytest.mark.slow
def test_no_lane_costs_a_language_anything_worth_mentioning(measure, model) -> None:  # type: ignore[no-untyped-def]
    words = measure("xquad", "comis", alone("lexical"), every=5)
    everything = measure("xquad", "tuned", {"embedding": model}, every=5)
    languages = ("en", "zh", "ar", "ru", "hi")
    mean = [statistics.mean(found["xquad", name].recall_at_1 for name in languages) for found in (words, everything)]
    assert mean[0] >= 0.91
    assert mean[1] >= mean[0] - 0.003
