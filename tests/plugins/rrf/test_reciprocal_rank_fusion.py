"""Reciprocal rank fusion, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comis_core.model import Ranking
from comis_plugins import rrf
from comis_plugins.rrf.fusion import ReciprocalRankFusion


def ranked(*ids: int) -> Ranking:
    return Ranking(np.array(ids, np.int64), np.linspace(1.0, 0.1, len(ids)) if ids else np.zeros(0))


def neighbours(claims: dict[int, float]) -> Ranking:
    return Ranking(np.array(list(claims), np.int64), np.array(list(claims.values())), expanded=True)


def fuse(rankings: dict[str, Ranking], weights: dict[str, float]) -> dict[int, float]:
    ids, scores = ReciprocalRankFusion().fuse(rankings, weights)
    assert ids.dtype == np.int64
    assert scores.dtype == np.float64
    return dict(zip(ids.tolist(), scores.tolist(), strict=True))


def test_two_lanes_with_the_documented_weights() -> None:
    scores = fuse({"fts": ranked(7, 8), "vector": ranked(9, 8, 7)}, {"fts": 1.0, "vector": 1.5})
    maximum = 2.5 / 61
    assert scores == pytest.approx({
        7: (1 / 61 + 1.5 / 63) / maximum,  # 0.98095...
        8: (1 / 62 + 1.5 / 62) / maximum,  # 0.98387...
        9: (1.5 / 61) / maximum,  # 0.6
    })
    assert scores[9] == pytest.approx(0.6)
    assert scores[8] == pytest.approx(61 / 62)


def test_three_lanes() -> None:
    rankings = {"a": ranked(1, 2), "b": ranked(2), "c": ranked(3, 2, 1)}
    scores = fuse(rankings, {"a": 1.0, "b": 2.0, "c": 0.5})
    assert scores == pytest.approx({
        1: (1 / 61 + 0.5 / 63) / (3.5 / 61),
        2: (1 / 62 + 2 / 61 + 0.5 / 62) / (3.5 / 61),
        3: (0.5 / 61) / (3.5 / 61),
    })


def test_first_in_every_lane_scores_one() -> None:
    assert fuse({"a": ranked(4, 5), "b": ranked(4)}, {"a": 1.0, "b": 1.5})[4] == pytest.approx(1.0)


def test_a_lane_that_found_nothing_does_not_count() -> None:
    alone = fuse({"fts": ranked(1, 2)}, {"fts": 1.0, "vector": 1.5})
    beside_an_empty_one = fuse({"fts": ranked(1, 2), "vector": ranked()}, {"fts": 1.0, "vector": 1.5})
    assert alone == beside_an_empty_one == pytest.approx({1: 1.0, 2: 61 / 62})


@pytest.mark.parametrize("rankings", [{}, {"a": ranked()}, {"a": ranked(), "b": ranked()}])
def test_nothing_found_anywhere_is_an_empty_answer(rankings: dict[str, Ranking]) -> None:
    assert fuse(rankings, {"a": 1.0, "b": 1.0}) == {}


def test_weights_one_and_zero_equal_the_first_lane() -> None:
    first, second = ranked(5, 3, 9), ranked(9, 8, 5)
    assert fuse({"a": first, "b": second}, {"a": 1.0, "b": 0.0}) == fuse({"a": first}, {"a": 1.0})


def test_a_negative_weight_lowers_and_adds_no_candidate() -> None:
    scores = fuse({"a": ranked(1, 2), "against": ranked(1, 3)}, {"a": 1.0, "against": -0.5})
    assert scores == pytest.approx({1: (1 / 61 - 0.5 / 61) / (1 / 61), 2: 61 / 62})


def test_a_score_below_zero_is_zero() -> None:
    assert fuse({"a": ranked(1), "against": ranked(1)}, {"a": 1.0, "against": -3.0}) == {1: 0.0}


def test_claims_of_lanes_do_not_matter() -> None:
    ids = np.array([1, 2], np.int64)
    sure = {"a": Ranking(ids, np.array([1.0, 0.9]))}
    unsure = {"a": Ranking(ids, np.array([0.01, 0.0]))}
    assert fuse(sure, {"a": 1.0}) == fuse(unsure, {"a": 1.0})


def test_a_neighbour_has_half_the_voice_of_a_hit_at_most_and_less_as_it_claims_less() -> None:
    scores = fuse({"lane": ranked(1, 2), "beside": neighbours({2: 1.0, 3: 0.25})}, {"lane": 1.0, "beside": 2.0})
    maximum = 1 / 61 + 2 * 0.5 / 61
    assert scores == pytest.approx({
        1: (1 / 61) / maximum,
        2: (1 / 62 + 2 * 0.5 / 61) / maximum,
        3: (2 * 0.5 * 0.125 / 62) / maximum,
    })


def test_first_for_every_lane_and_expander_scores_one() -> None:
    assert fuse({"lane": ranked(1), "beside": neighbours({1: 0.3, 2: 0.2})}, {"lane": 1.0, "beside": 1.0})[1] == 1.0


def test_neighbours_that_claim_nothing_are_candidates_without_a_score() -> None:
    assert fuse({"beside": neighbours({1: 0.0, 2: 0.0})}, {"beside": 1.0}) == {1: 0.0, 2: 0.0}


@settings(deadline=None, derandomize=True)
@given(
    st.lists(st.lists(st.integers(1, 30), unique=True, max_size=12), min_size=1, max_size=4),
    st.lists(st.floats(-2.0, 2.0), min_size=4, max_size=4),
)
def test_scores_lie_in_zero_to_one_over_what_positive_lanes_found(lists: list[list[int]], numbers: list[float]) -> None:
    rankings = {f"lane{index}": ranked(*ids) for index, ids in enumerate(lists)}
    weights = {f"lane{index}": weight for index, weight in enumerate(numbers)}
    scores = fuse(rankings, weights)
    assert all(0.0 <= score <= 1.0 for score in scores.values())
    assert list(scores) == sorted({
        pk for name, found in rankings.items() if weights[name] > 0 for pk in found.ids.tolist()
    })


def test_the_plugin_offers_the_default_fusion() -> None:
    (spec,) = rrf.comis_fusions()
    assert (spec.name, spec.default, spec.sections) == ("rrf", True, ())
