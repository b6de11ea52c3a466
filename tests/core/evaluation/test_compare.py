"""Paired comparisons."""

from __future__ import annotations

import pytest

from comis_core.evaluation.compare import compare

CASES = ["one"] * 10 + ["two"] * 10


def test_equal_runs_differ_by_nothing() -> None:
    found = compare("recall_at_10", CASES, [0.5] * 20, [0.5] * 20)
    assert (found.difference, found.low, found.high, found.clear) == (0, 0, 0, False)
    assert (found.cases_won, found.cases_lost) == (0, 0)


def test_a_uniform_gain_is_clear_and_wins_every_case() -> None:
    found = compare("recall_at_10", CASES, [0.5] * 20, [0.6] * 20)
    assert found.difference == pytest.approx(0.1)
    assert found.clear
    assert (found.cases_won, found.cases_lost) == (2, 0)


def test_a_single_question_is_no_clear_gain() -> None:
    found = compare("recall_at_10", CASES, [0.0] * 20, [1.0] + [0.0] * 19)
    assert not found.clear
    assert found.low <= found.difference <= found.high


def test_the_interval_is_the_same_at_every_run() -> None:
    a, b = [0.1 * (i % 3) for i in range(20)], [0.1 * (i % 4) for i in range(20)]
    assert compare("x", CASES, a, b) == compare("x", CASES, a, b)
