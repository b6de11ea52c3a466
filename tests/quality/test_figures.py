"""How good the recall must be, on the public cases in ../shared/data. `nox -s quality` runs it with MiniLM as well."""

from __future__ import annotations

import statistics
from typing import Any

import pytest

pytestmark = pytest.mark.quality

NO_VECTORS = {"embedding": "none"}
LANES = ("fts", "vector", "lexical", "adjacent", "session", "speaker", "dateWindow", "turnKind", "temporal", "causal")


def alone(lane: str) -> dict[str, Any]:
    """One lane without embedder, and nothing around it."""
    lanes = {name: {"enabled": name == lane} for name in (*LANES, "graphSpread")}
    off = {"enabled": False}
    rag = {"lanes": lanes, "entityLane": off, "mmr": off, "queryUnderstanding": off, "forget": off}
    return {"embedding": "none", "rag": rag}


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


def test_the_static_embedder_is_never_below_no_vectors(measure) -> None:  # type: ignore[no-untyped-def]
    without, static = measure("locomo", "tuned", NO_VECTORS), measure("locomo", "tuned", {"embedding": "static"})
    assert static["locomo", ""].recall_at_10 >= without["locomo", ""].recall_at_10


def test_tuned_with_minilm_on_long_conversations(measure, model) -> None:  # type: ignore[no-untyped-def]
    found = measure("locomo", "tuned", {"embedding": model})
    assert found["locomo", ""].recall_at_10 >= 0.825
    assert found["locomo", ""].reciprocal_rank >= 0.665
    assert found["locomo", "adversarial"].reciprocal_rank >= 0.55


def test_tuned_with_minilm_over_several_hops(measure, model) -> None:  # type: ignore[no-untyped-def]
    found = measure("multihop", "tuned", {"embedding": model})
    assert found["multihop", ""].recall_at_5 >= 0.63
    assert found["multihop", ""].recall_at_10 >= 0.715


@pytest.mark.slow
def test_no_lane_costs_a_language_anything_worth_mentioning(measure, model) -> None:  # type: ignore[no-untyped-def]
    words = measure("xquad", "comis", alone("lexical"), every=5)
    everything = measure("xquad", "tuned", {"embedding": model}, every=5)
    languages = ("en", "zh", "ar", "ru", "hi")
    mean = [statistics.mean(found["xquad", name].recall_at_1 for name in languages) for found in (words, everything)]
    assert mean[0] >= 0.91
    assert mean[1] >= mean[0] - 0.003
