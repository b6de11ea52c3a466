"""What expanders that follow edges share."""

from __future__ import annotations

import numpy as np
import pytest

from comis_core.claims import ranking, spread, strengths
from comis_core.model import Pool


def pool(**fused: float) -> Pool:
    ids = np.array(sorted(int(name[1:]) for name in fused), np.int64)
    return Pool(ids, np.array([fused[f"m{pk}"] for pk in ids.tolist()]), {}, {})


def test_a_seed_pulls_by_its_share_of_the_best_and_its_rank() -> None:
    assert strengths(np.array([0.8, 0.4, 0.4])) == pytest.approx([1.0, 0.5 / 2**0.5, 0.5 / 3**0.5])


def test_no_seed_pulls_nothing() -> None:
    assert strengths(np.zeros(0)) == []


def test_claims_are_ranked_and_those_of_nothing_left_out() -> None:
    found = ranking({1: 0.2, 2: 0.0, 3: 0.9}, pool(), 10)
    assert (found.ids.tolist(), found.scores.tolist()) == ([3, 1], [0.9, 0.2])


def test_among_equals_what_is_known_and_then_what_is_newer_comes_first() -> None:
    assert ranking(dict.fromkeys((1, 2, 3, 4), 0.5), pool(m1=0.7, m9=0.9), 3).ids.tolist() == [1, 4, 3]


@pytest.mark.parametrize("claims", [{}, {1: 0.0}, {1: -0.5}])
def test_no_claim_is_no_ranking(claims: dict[int, float]) -> None:
    assert len(ranking(claims, pool(), 10)) == 0


def test_values_are_spread_to_their_ids_in_any_order() -> None:
    known, ids = np.array([7, 2, 9]), np.array([1, 2, 7])
    assert spread(known, np.array([0.7, 0.2, 0.9]), ids).tolist() == [0.0, 0.2, 0.7]
