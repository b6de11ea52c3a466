"""What a part may return, and every way of getting it wrong."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from comis_core.errors import ContractError
from comis_core.model import Claims, Query, Ranking, TimeWindow
from comis_core.recall import checks
from tests.core.recall.conftest import steady

IDS = np.array([4, 2, 9], np.int64)
SCORES = np.array([0.9, 0.5, 0.5])


def test_a_sound_ranking_passes() -> None:
    checked = checks.check_ranking(Ranking(IDS, SCORES), 3)
    assert checked.ids.tolist() == [4, 2, 9]
    assert checked.scores.tolist() == [0.9, 0.5, 0.5]


def test_an_empty_ranking_passes() -> None:
    assert len(checks.check_ranking(Ranking.empty(), 5)) == 0


def test_what_a_lane_goes_on_writing_into_its_arrays_is_not_seen() -> None:
    ids = IDS.copy()
    checked = checks.check_ranking(Ranking(ids, SCORES), 3)
    ids[0] = 77
    assert checked.ids.tolist() == [4, 2, 9]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "returned nothing, not a Ranking"),
        ([(1, 0.5)], "returned a list, not a Ranking"),
        (Ranking([1], np.array([0.5])), "a list as ids"),  # type: ignore[arg-type]
        (Ranking(IDS.astype(np.int32), SCORES), "ids as int32"),
        (Ranking(IDS, SCORES.astype(np.float32)), "scores as float32"),
        (Ranking(IDS.reshape(3, 1), SCORES), r"ids as int64\[3, 1\]"),
        (Ranking(IDS, SCORES[:2]), "3 ids with 2 scores"),
        (Ranking(np.array([4, 2, 4]), SCORES), "an id twice"),
        (Ranking(IDS, np.array([0.9, np.nan, 0.5])), "not finite"),
        (Ranking(IDS, np.array([np.nan, np.nan, np.nan])), "not finite"),
        (Ranking(IDS, np.array([np.inf, 0.5, 0.5])), "not finite"),
        (Ranking(IDS, np.array([0.9, 0.5, -np.inf])), "not finite"),
        (Ranking(IDS, np.array([1.2, 0.5, 0.5])), r"outside 0\.\.1"),
        (Ranking(IDS, np.array([0.9, 0.5, -0.1])), r"outside 0\.\.1"),
        (Ranking(IDS, np.array([0.5, 0.9, 0.5])), "not best first"),
        (Ranking(np.arange(4), np.full(4, 0.5)), "4 candidates where at most 3"),
    ],
)
def test_a_broken_ranking_is_named(value: object, words: str) -> None:
    with pytest.raises(ContractError, match=words):
        checks.check_ranking(value, 3)


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ("everything", "attached a str"),
        (Claims(np.array([2, 1]), np.array([0.1, 0.2])), "not ascending"),
        (Claims(np.array([1, 1]), np.array([0.1, 0.2])), "not ascending and unique"),
        (Claims(np.array([1, 2]), np.array([0.1])), "1 claims for 2 ids"),
        (Claims(np.array([1, 2]), np.array([0.1, np.nan])), "not finite"),
        (Claims(np.array([1, 2]), np.array([0.1, 1.5])), r"outside 0\.\.1"),
        (Claims(np.array([1.0, 2.0]), np.array([0.1, 0.2])), "int64"),
    ],
)
def test_broken_claims_are_named(claims: Any, words: str) -> None:
    with pytest.raises(ContractError, match=words):
        checks.check_ranking(Ranking(IDS, SCORES, claims), 3)


def test_ids_that_nobody_can_write_to_are_looked_at_once() -> None:
    known, ids = checks.Ascending(), checks.locked(np.array([1, 2, 3]))
    assert known.holds(ids)
    ids.flags.writeable = True
    ids[0] = 9
    assert not known.holds(ids)
    checks.locked(ids)  # As nobody does who has closed an array; it shows that the ids are not read again.
    assert known.holds(ids)


def test_ids_that_somebody_can_write_to_are_looked_at_each_time() -> None:
    known, buffer = checks.Ascending(), np.array([1, 2, 3])
    for ids in (buffer, checks.locked(buffer[:])):
        buffer[0] = 1
        assert known.holds(ids)
        buffer[0] = 9
        assert not known.holds(ids)


def test_ids_that_are_gone_are_forgotten() -> None:
    known, ids = checks.Ascending(), checks.locked(np.array([1, 2, 3]))
    known.holds(ids)
    assert len(known._known) == 1
    del ids
    assert not len(known._known)


@steady
@given(arrays(np.float64, st.integers(0, 8), elements=st.floats(allow_nan=True, allow_infinity=True)))
def test_only_descending_scores_in_zero_to_one_ever_pass(scores: Any) -> None:
    sound = all(0 <= score <= 1 for score in scores) and all(later <= earlier for earlier, later in pairwise(scores))
    try:
        checks.check_ranking(Ranking(np.arange(len(scores)), scores), 8)
    except ContractError:
        assert not sound
    else:
        assert sound


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.array([1.0, 1.0]), "not"),
        ((np.array([1, 2]), np.array([0.5])), "2 ids with 1 scores"),
        ((np.array([2, 1]), np.array([0.5, 0.5])), "not ascending"),
        ((np.array([1, 7]), np.array([0.5, 0.5])), "no lane found"),
        ((np.array([1, 2]), np.array([0.5, np.nan])), "not finite"),
        ((np.array([1, 2]), np.array([0.5, 1.5])), r"outside 0\.\.1"),
    ],
)
def test_a_broken_fusion_is_named(value: object, words: str) -> None:
    with pytest.raises(ContractError, match=words):
        checks.check_fused(value, np.array([1, 2, 3]))


@steady
@given(st.lists(st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1.0, math.nextafter(1, 2), -5e-324])), max_size=8))
def test_only_scores_in_zero_to_one_pass_in_whatever_order(scores: list[float]) -> None:
    try:
        checks.check_reranked(np.array(scores, np.float64), 8)
    except ContractError:
        assert not all(0 <= score <= 1 for score in scores)
    else:
        assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.array([1.0]), "1 factors for 2 candidates"),
        (np.array([1.0, np.nan]), "positive and finite"),
        (np.array([1.0, np.inf]), "positive and finite"),
        (np.array([1.0, 0.0]), "positive and finite"),
        (np.array([1.0, -1.0]), "positive and finite"),
        (np.array([1, 1]), "factors as int64"),
        ([1.0, 1.0], "a list as factors"),
    ],
)
def test_broken_factors_are_named(value: object, words: str) -> None:
    with pytest.raises(ContractError, match=words):
        checks.check_factors(value, 2)


def test_a_column_may_have_gaps_but_no_infinities() -> None:
    assert np.isnan(checks.check_column(np.array([1.0, np.nan]), 2)[1])
    with pytest.raises(ContractError, match="infinite"):
        checks.check_column(np.array([1.0, np.inf]), 2)
    with pytest.raises(ContractError, match="1 values for 2 candidates"):
        checks.check_column(np.array([1.0]), 2)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.array([0.5, 0.5, 0.5]), "3 scores for 2 candidates"),
        (np.array([0.5, np.nan]), "not finite"),
        (np.array([0.5, 2.0]), r"outside 0\.\.1"),
        ("good", "a str as scores"),
    ],
)
def test_broken_rerank_scores_are_named(value: object, words: str) -> None:
    with pytest.raises(ContractError, match=words):
        checks.check_reranked(value, 2)


@pytest.mark.parametrize("value", [np.array([0, 0]), np.array([0, 2]), np.array([0]), np.array([0.0, 1.0]), [0, 1]])
def test_what_is_no_permutation_is_refused(value: object) -> None:
    with pytest.raises(ContractError):
        checks.check_permutation(value, 2)


QUERY = Query.of("when?", asker="ana", time_zone="Europe/Lisbon")


def evolved(**changes: Any) -> Callable[[], object]:
    return lambda: attrs.evolve(QUERY, **changes)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (lambda: None, "returned nothing"),
        (evolved(text="other"), "changed the query's text"),
        (evolved(asker="ben"), "changed the query's text, asker"),
        (evolved(time_zone="UTC"), "time zone"),
        (evolved(lexical_text=None), "lexical_text"),
        (evolved(lane_multipliers={"fts": float("nan")}), "multiplier of lane 'fts'"),
        (evolved(lane_multipliers={"fts": -1.0}), "multiplier of lane 'fts'"),
        (evolved(lane_multipliers={"fts": True}), "multiplier of lane 'fts'"),
        (evolved(participants=["ana"]), "participants"),
        (evolved(entities="ana"), "entities"),
        (evolved(time_window=(0, 1)), "not a TimeWindow"),
        (
            evolved(time_window=TimeWindow(start=0.5, end=None)),  # type: ignore[arg-type]
            "edge of the time window",
        ),
        (evolved(time_window=TimeWindow(start=-(10**18), end=None)), "beyond the calendar"),
    ],
)
def test_a_broken_analysis_is_named(value: Callable[[], object], words: str) -> None:
    with pytest.raises(ContractError, match=words):
        checks.check_query(value(), QUERY)


def test_an_analysis_may_know_more() -> None:
    better = attrs.evolve(
        QUERY, intent="temporal", lane_multipliers={"fts": 2, "vector": 0.0}, time_window=TimeWindow(start=0, end=None)
    )
    assert checks.check_query(better, QUERY) is better
