"""Copies: which stays, where it stands, whom it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.recall.conflict import Conflicts
from comis_core.recall.dedup import Folding, dedup, reach
from tests.core.recall.conftest import steady

LONG = [f"word{number}" for number in range(40)]


def fold(
    texts: Sequence[str],
    *,
    trust: Sequence[int] | None = None,
    created: Sequence[float] | None = None,
    conflicts: dict[int, tuple[int, ...]] | None = None,
    reach: int = 100,
    asked: list[int] | None = None,
) -> Folding:
    columns: dict[str, Any] = {
        "fingerprint": np.array([text.encode() for text in texts] + [None], object)[:-1],
        "trust": np.array(trust or [1] * len(texts), np.int8),
        "created_at": np.array(created or [0.0] * len(texts)),
    }

    def tokens(places: Sequence[int]) -> list[tuple[str, ...]]:
        if asked is not None:
            asked.extend(places)
        return [tuple(sorted(set(texts[place].split()))) for place in places]

    return dedup(list(range(len(texts))), columns, Conflicts(conflicts or {}), tokens, threshold=0.95, reach=reach)


def words(*, without: int = 0, plus: Sequence[str] = ()) -> str:
    return " ".join([*LONG[without:], *plus])


def test_different_texts_stay() -> None:
    folding = fold(["a b", "c d", "e f"])
    assert folding.leaders == [0, 1, 2]
    assert folding.copies(0) == []


def test_equal_texts_become_one_that_remembers_the_others() -> None:
    folding = fold(["a b", "c d", "a b", "a b"], created=[3, 0, 2, 1])
    assert folding.leaders == [0, 1]
    assert sorted(folding.copies(0)) == [2, 3]


def test_the_higher_trust_stays_in_the_place_of_the_first() -> None:
    folding = fold(["a b", "c d", "a b"], trust=[1, 1, 2], created=[9, 0, 1])
    assert folding.leaders == [2, 1]
    assert folding.copies(2) == [0]


def test_of_equal_trust_the_newer_stays() -> None:
    assert fold(["a b", "a b"], created=[1, 2]).leaders == [1]


def test_of_equal_trust_and_age_the_later_stored_stays() -> None:
    assert fold(["a b", "a b"]).leaders == [1]


@pytest.mark.parametrize(
    ("left", "right", "folded"),
    [
        (words(), words(without=2), True),  # 38 of 40 = .95
        (words(), words(without=3), False),  # 37 of 40 = .925
        (words(), words(without=1, plus=["new"]), True),  # 39 of 41 = .951
        (words(), words(without=2, plus=["new"]), False),  # 38 of 41 = .927
        ("a b c", "a b", False),
        ("a b c", "c b a", True),
    ],
)
def test_token_sets_that_are_alike_by_ninety_five_percent_are_copies(left: str, right: str, folded: bool) -> None:
    assert (len(fold([left, right]).leaders) == 1) is folded


def test_texts_without_tokens_are_copies_only_when_they_are_equal() -> None:
    assert fold(["", " ", ""]).leaders == [2, 1]


def test_near_copies_that_contradict_each_other_both_stay() -> None:
    folding = fold([words(), words(without=1)], conflicts={0: (1,)})
    assert folding.leaders == [0, 1]


def test_of_equal_texts_the_one_that_was_explicitly_replaced_does_not_stay() -> None:
    assert fold(["a b", "a b"], created=[9, 1], trust=[2, 0], conflicts={0: (1,)}).leaders == [1]


def test_equal_texts_are_folded_beyond_the_reach_of_token_sets() -> None:
    texts = [f"text number {number}" for number in range(30)]
    folding = fold([*texts, texts[0]], reach=10)
    assert folding.leaders == [30, *range(1, 30)]


def test_no_more_texts_are_analysed_than_an_answer_may_need() -> None:
    asked: list[int] = []
    fold([f"text {number}" for number in range(100)], reach=10, asked=asked)
    assert asked == list(range(10))


def test_a_flood_of_near_copies_does_not_fill_the_answer() -> None:
    flood = [words(plus=[f"copy{number}"]) for number in range(60)]
    folding = fold([*flood, "something else"], reach=10)
    assert len(folding.leaders) == 2
    assert folding.leaders[1] == 60


@pytest.mark.parametrize(("results", "expected"), [(1, 10), (5, 10), (6, 12), (100, 200)])
def test_token_sets_reach_twice_as_far_as_the_answer(results: int, expected: int) -> None:
    assert reach(results) == expected


def test_nothing_to_fold() -> None:
    assert fold([]).leaders == []


@steady
@given(st.lists(st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), max_size=24).map(" ".join), max_size=12))
def test_the_same_as_comparing_every_pair(texts: list[str]) -> None:
    folding = fold(texts)
    groups: list[tuple[set[str], list[int]]] = []
    for place, text in enumerate(texts):
        tokens = set(text.split())
        for known, members in groups:
            same = texts[members[0]] == text
            if same or (tokens and len(known & tokens) / len(known | tokens) >= 0.95):
                members.append(place)
                break
        else:
            groups.append((tokens, [place]))
    folded = [sorted(folding.members(group)) for group in range(len(folding.leaders))]
    assert sorted(folded) == sorted(sorted(members) for _, members in groups)
