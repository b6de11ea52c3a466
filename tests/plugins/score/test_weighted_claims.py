"""The weighted sum of claims, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comis_core.model import Claims, Ranking
from comis_plugins import score
from comis_plugins.score.fusion import WeightedClaims


def claimed(found: dict[int, float], claims: dict[int, float] | None = None) -> Ranking:
    best = sorted(found, key=lambda pk: -found[pk])
    whole = None
    if claims is not None:
        ids = sorted(claims)
        whole = Claims(np.array(ids, np.int64), np.array([claims[pk] for pk in ids]))
    return Ranking(np.array(best, np.int64), np.array([found[pk] for pk in best], np.float64), whole)


def fuse(rankings: dict[str, Ranking], weights: dict[str, float]) -> dict[int, float]:
    ids, scores = WeightedClaims().fuse(rankings, weights)
    assert ids.dtype == np.int64
    assert scores.dtype == np.float64
    return dict(zip(ids.tolist(), scores.tolist(), strict=True))


def test_two_lanes() -> None:
    rankings = {"lexical": claimed({1: 0.9, 2: 0.4}), "vector": claimed({1: 0.3, 3: 0.6})}
    scores = fuse(rankings, {"lexical": 1.0, "vector": 2.0})
    assert scores == pytest.approx({1: (0.9 + 0.6) / 3, 2: 0.4 / 3, 3: 1.2 / 3})


def test_three_lanes() -> None:
    rankings = {"a": claimed({1: 1.0}), "b": claimed({1: 0.5, 2: 0.2}), "c": claimed({2: 1.0})}
    assert fuse(rankings, {"a": 1.0, "b": 1.0, "c": 2.0}) == pytest.approx({1: 1.5 / 4, 2: 2.2 / 4})


def test_the_divisor_is_constant_whether_or_not_a_lane_found_anything() -> None:
    weights = {"a": 1.0, "b": 1.0}
    assert fuse({"a": claimed({1: 0.8})}, weights) == pytest.approx({1: 0.4})
    assert fuse({"a": claimed({1: 0.8}), "b": claimed({})}, weights) == pytest.approx({1: 0.4})


def test_claims_are_not_rescaled_for_a_query() -> None:
    assert fuse({"a": claimed({1: 0.02})}, {"a": 1.0}) == pytest.approx({1: 0.02})


def test_weights_one_and_zero_equal_the_first_lane() -> None:
    first, second = claimed({1: 0.7, 2: 0.3}), claimed({2: 1.0, 3: 1.0})
    assert fuse({"a": first, "b": second}, {"a": 1.0, "b": 0.0}) == {1: 0.7, 2: 0.3}


def test_a_negative_weight_speaks_against_adds_nothing_and_is_no_part_of_the_divisor() -> None:
    rankings = {"a": claimed({1: 0.8, 2: 0.2}), "against": claimed({1: 1.0, 2: 1.0, 3: 1.0})}
    assert fuse(rankings, {"a": 2.0, "against": -0.5}) == pytest.approx({1: (1.6 - 0.5) / 2, 2: 0.0})


def test_a_lane_that_claims_for_its_whole_scope_is_heard_beyond_its_best() -> None:
    deep = claimed({1: 0.9}, claims={1: 0.9, 2: 0.5, 3: 0.4})
    assert fuse({"deep": deep, "other": claimed({2: 1.0})}, {"deep": 1.0, "other": 1.0}) == pytest.approx({
        1: 0.45,
        2: 0.75,
    })


@pytest.mark.parametrize("rankings", [{}, {"a": claimed({})}])
def test_nothing_found_is_an_empty_answer(rankings: dict[str, Ranking]) -> None:
    assert fuse(rankings, {"a": 1.0}) == {}


@settings(deadline=None, derandomize=True)
@given(
    st.lists(st.dictionaries(st.integers(1, 30), st.floats(0.0, 1.0), max_size=12), min_size=1, max_size=4),
    st.lists(st.floats(-2.0, 2.0), min_size=4, max_size=4),
)
def test_scores_lie_in_zero_to_one(found: list[dict[int, float]], numbers: list[float]) -> None:
    rankings = {f"lane{index}": claimed(each) for index, each in enumerate(found)}
    weights = {f"lane{index}": weight for index, weight in enumerate(numbers)}
    assert all(0.0 <= score <= 1.0 for score in fuse(rankings, weights).values())


def test_the_plugin_offers_a_fusion_that_must_be_asked_for() -> None:
    (spec,) = score.comis_fusions()
    assert (spec.name, spec.default, spec.sections) == ("score", False, ())
