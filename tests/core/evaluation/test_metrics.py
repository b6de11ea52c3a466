"""Metrics against values worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.evaluation.metrics import METRICS, mean, score_ranking


def test_a_perfect_ranking_scores_one_everywhere() -> None:
    scores = score_ranking(["a", "b", "c"], {"a"})
    assert [getattr(scores, name) for name in METRICS] == [1.0] * len(METRICS)


def test_recall_counts_found_gold_over_gold() -> None:
    scores = score_ranking(["x", "a", "y", "z", "w", "b"], {"a", "b", "c"})
    assert scores.recall_at_1 == 0
    assert scores.recall_at_5 == pytest.approx(1 / 3)
    assert scores.recall_at_10 == pytest.approx(2 / 3)
    assert (scores.hit_at_10, scores.all_at_10) == (1.0, 0.0)


def test_reciprocal_rank_is_that_of_the_first_gold() -> None:
    assert score_ranking(["x", "y", "a", "b"], {"b", "a"}).reciprocal_rank == pytest.approx(1 / 3)


def test_ndcg_discounts_by_the_logarithm_of_the_rank() -> None:
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    ideal = 1 / math.log2(2) + 1 / math.log2(3)
    assert score_ranking(["x", "a", "y", "b"], {"a", "b"}).ndcg_at_10 == pytest.approx(gained / ideal)


def test_gold_beyond_the_tenth_place_counts_for_the_rank_alone() -> None:
    scores = score_ranking([f"x{i}" for i in range(10)] + ["a"], {"a"})
    assert scores.recall_at_10 == scores.ndcg_at_10 == 0
    assert scores.reciprocal_rank == pytest.approx(1 / 11)


def test_the_mean_weighs_questions_equally() -> None:
    found = mean([score_ranking(["a"], {"a"}), score_ranking(["x"], {"a"})])
    assert (found.recall_at_10, found.questions) == (0.5, 2)


def test_the_mean_of_nothing_is_zero() -> None:
    assert mean([]).questions == 0


@given(st.lists(st.integers(0, 30), unique=True), st.sets(st.integers(0, 30), min_size=1))
def test_every_metric_lies_between_zero_and_one(ranked: list[int], relevant: set[int]) -> None:
    scores = score_ranking([str(n) for n in ranked], {str(n) for n in relevant})
    assert all(0 <= getattr(scores, name) <= 1 + 1e-12 for name in METRICS)
