"""Whole items, best first, until the answer is full."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.recall.budget import Spent, misfit_note, misfits, spend
from tests.core.recall.conftest import steady


def spent(lengths: list[int], *, results: int = 5, chars: int = 4000, order: list[int] | None = None) -> Spent:
    order = order or list(range(len(lengths)))
    return spend(order, lambda place: (lengths[place], ()), max_results=results, max_context_chars=chars)


def test_one_that_does_not_fit_is_skipped_and_the_next_may_fit() -> None:
    assert spent([3000, 2000, 900, 200]) == Spent((0, 2), too_long=(1, 3))


def test_an_item_that_fits_exactly_is_taken() -> None:
    assert spent([3000, 1000, 1]) == Spent((0, 1), too_long=(2,))


def test_zero_is_no_budget() -> None:
    assert spent([10**9, 10**9], chars=0) == Spent((0, 1))
    assert spent([10**9] * 3, results=2, chars=0) == Spent((0, 1), surplus=(2,))


def test_at_most_so_many_items() -> None:
    assert spent([1, 1, 1, 1], results=2) == Spent((0, 1), surplus=(2, 3))


def test_a_skipped_item_takes_no_place() -> None:
    assert spent([10, 5000, 10, 10], results=2) == Spent((0, 2), too_long=(1,), surplus=(3,))


def test_the_order_decides() -> None:
    assert spent([10, 20, 30], results=1, order=[2, 0, 1]) == Spent((2,), surplus=(0, 1))


def test_nothing_to_spend_on() -> None:
    assert spent([]) == Spent(())


@pytest.mark.parametrize("chars", [1, 99])
def test_a_budget_too_small_for_anything_is_an_empty_answer(chars: int) -> None:
    assert spent([100, 200], chars=chars) == Spent((), too_long=(0, 1))


def test_the_heading_counts() -> None:
    limits = {"max_results": 5, "max_context_chars": 100}
    assert spend([0, 1], lambda place: (30, ()), heading=50, **limits) == Spent((0,), too_long=(1,))


def test_a_shared_line_counts_once_and_only_with_an_item_that_needs_it() -> None:
    needs = {0: (False,), 1: (True,), 2: (True,)}
    limits = {"max_results": 5, "max_context_chars": 100}
    assert spend([0, 1, 2], lambda place: (20, needs[place]), shared=[40], **limits) == Spent((0, 1, 2))
    assert spend([0, 1, 2], lambda place: (20, needs[place]), shared=[41], **limits) == Spent((0, 1), too_long=(2,))


def test_misfits_are_what_only_the_length_kept_out() -> None:
    lengths, order = [5000, 10, 6000, 10, 7000], [0, 1, 2, 3, 4]
    assert misfits(spent(lengths, results=3), order, 3) == [0, 2]


def test_a_long_list_of_misfits_is_cut() -> None:
    note = misfit_note([(f"id{number}", 5000) for number in range(5)], 4000)
    assert note.startswith("5 memories did not fit maxContextChars 4,000: id0 (5,000 characters), id1 ")
    assert "id2 (5,000 characters) and 2 more; " in note
    assert "id3" not in note


@steady
@given(st.lists(st.integers(1, 50), max_size=20), st.integers(1, 10), st.integers(0, 200))
def test_nothing_is_lost_and_the_limits_hold(lengths: list[int], results: int, chars: int) -> None:
    outcome = spent(lengths, results=results, chars=chars)
    assert sorted((*outcome.taken, *outcome.too_long, *outcome.surplus)) == list(range(len(lengths)))
    assert len(outcome.taken) <= results
    assert chars == 0 or sum(lengths[item] for item in outcome.taken) <= chars
    assert list(outcome.taken) == sorted(outcome.taken)
