"""lambda x score - (1 - lambda) x likeness, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.protocols import DiversityRequest
from comis_plugins import mmr
from comis_plugins.mmr.diversifier import HEAD, Mmr
from comis_plugins.mmr.options import MmrOptions


class Vectors:
    """A space with the rows it is given, by id; NaN for the others."""

    def __init__(self, rows: dict[int, list[float]]) -> None:
        self.rows = rows

    def fetch(self, snapshot: Any, space: str, ids: Any) -> Any:
        return np.array([self.rows.get(int(pk), [np.nan, np.nan]) for pk in ids], np.float32).reshape(len(ids), 2)


def ordered(
    scores: list[float], tokens: list[str], balance: float = 0.7, rows: dict[int, list[float]] | None = None
) -> list[int]:
    request = DiversityRequest(
        ids=np.arange(len(scores), 0, -1),
        scores=np.array(scores),
        token_sets=[frozenset(map(hash, words.split())) for words in tokens],
        snapshot=None,  # type: ignore[arg-type]
    )
    return Mmr(balance, Vectors(rows or {}), "space" if rows else None).order(request).tolist()  # type: ignore[arg-type]


def test_a_copy_of_the_first_goes_behind_something_else() -> None:
    assert ordered([1.0, 0.9, 0.8], ["tea at four", "tea at four", "bees in summer"]) == [0, 2, 1]


def test_by_score_alone_nothing_moves() -> None:
    assert ordered([1.0, 0.9, 0.8], ["tea at four", "tea at four", "bees"], balance=1.0) == [0, 1, 2]


def test_unlike_candidates_stay_in_their_order() -> None:
    assert ordered([1.0, 0.9, 0.8, 0.1], ["one", "two", "three", "four"]) == [0, 1, 2, 3]


def test_scores_of_any_scale_weigh_the_same() -> None:
    tokens = ["tea at four", "tea at four", "bees in summer"]
    assert ordered([0.01, 0.009, 0.008], tokens) == ordered([1.0, 0.9, 0.8], tokens)


UNLIKE = [f"word{number}" for number in range(HEAD - 2)]


def test_in_a_full_head_scores_that_lie_near_each_other_still_count() -> None:
    order = ordered(np.linspace(1.0, 0.98, HEAD).tolist(), ["tea at four", "tea at four", *UNLIKE])
    assert HEAD / 3 < order.index(1) < HEAD - 10


def test_among_equal_scores_likeness_alone_decides() -> None:
    assert ordered([0.5] * HEAD, ["tea at four", "tea at four", *UNLIKE])[-1] == 1


def test_vectors_decide_where_both_have_one() -> None:
    rows = {3: [1.0, 0.0], 2: [1.0, 0.0], 1: [0.0, 1.0]}
    assert ordered([1.0, 0.9, 0.8], ["one", "two", "three"], rows=rows) == [0, 2, 1]


def test_words_decide_where_one_has_no_vector() -> None:
    rows = {3: [1.0, 0.0], 1: [0.0, 1.0]}
    assert ordered([1.0, 0.9, 0.8], ["tea at four", "tea at four", "bees"], rows=rows) == [0, 2, 1]


@pytest.mark.parametrize("scores", [[], [1.0], [0.0, 0.0, 0.0]])
def test_nothing_to_choose_from_stays_as_it_is(scores: list[float]) -> None:
    assert ordered(scores, ["same"] * len(scores)) == list(range(len(scores)))


@given(st.lists(st.floats(0, 1), max_size=12), st.floats(0, 1))
def test_the_order_is_a_permutation_whose_first_stays_first(scores: list[float], balance: float) -> None:
    scores.sort(reverse=True)
    found = ordered(scores, ["a b" if index % 2 else "a c" for index in range(len(scores))], balance)
    assert sorted(found) == list(range(len(scores)))
    assert not found or found[0] == 0


def test_the_documented_defaults() -> None:
    assert MmrOptions() == MmrOptions(enabled=True, lambda_=0.7)


def test_the_plugin_offers_the_diversifier() -> None:
    (spec,) = mmr.comis_diversifiers()
    assert (spec.name, spec.sections[0].path) == ("mmr", "rag.mmr")


def test_what_stands_behind_the_head_stays_where_it_is() -> None:
    scores = [1.0 - place / 100 for place in range(HEAD + 2)]
    tokens = [*["tea at four"] * (HEAD + 1), "bees in summer"]
    assert ordered(scores, tokens)[HEAD:] == [HEAD, HEAD + 1]
