"""Contradictions: who wins, where the winner goes, and that everybody stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.model import TRUST_CODES, Trust
from comis_core.recall.conflict import Conflicts, find_conflicts, winners_first
from tests.core.recall.conftest import steady


@attrs.frozen
class Row:
    """One candidate; its id is its place + 1."""

    key: str | None = None
    text: str = ""
    trust: Trust = Trust.LEARNED
    created: float = 0.0
    occurred: float = float("nan")


@attrs.frozen
class Words:
    """The part of a reader that conflict detection needs."""

    explicit: Sequence[tuple[int, int]] = ()
    triples: Sequence[tuple[int, str, str, str]] = ()
    times: Mapping[int, int] = attrs.field(factory=dict)
    """Event times of statements, by place."""

    def supersedes(self, ids: Any) -> Sequence[tuple[int, int]]:
        return [(winner + 1, loser + 1) for winner, loser in self.explicit]

    def statements(self, ids: Any, predicates: Sequence[str]) -> Sequence[tuple[int, str, str, str, int | None]]:
        return [
            (place + 1, subject, predicate, value, self.times.get(place))
            for place, subject, predicate, value in self.triples
            if predicate in predicates
        ]


def winners(
    rows: Sequence[Row], words: Words | None = None, predicates: Sequence[str] = ()
) -> dict[int, tuple[int, ...]]:
    objects = {
        "key": [row.key for row in rows],
        "fingerprint": [(row.text or f"text {place}").encode() for place, row in enumerate(rows)],
    }
    columns: dict[str, Any] = {name: np.array(values, object) for name, values in objects.items()}
    columns["trust"] = np.array([TRUST_CODES[row.trust] for row in rows], np.int8)
    columns["created_at"] = np.array([row.created for row in rows])
    columns["occurred_at"] = np.array([row.occurred for row in rows])
    ids = np.arange(1, len(rows) + 1)
    return dict(find_conflicts(ids, columns, predicates, words or Words()).winners)  # type: ignore[arg-type]


def test_without_keys_words_and_statements_nothing_conflicts() -> None:
    assert winners([Row(), Row(), Row()]) == {}


def test_same_key_and_other_text_conflict_and_the_newer_record_wins() -> None:
    assert winners([Row(key="city", created=5), Row(key="city", created=9), Row(key="job")]) == {0: (1,)}


def test_same_key_and_same_text_do_not_conflict() -> None:
    assert winners([Row(key="city", text="Porto"), Row(key="city", text="Porto", created=9)]) == {}


def test_higher_trust_wins_whatever_its_age() -> None:
    assert winners([Row(key="city", trust=Trust.SYSTEM, created=1), Row(key="city", created=99)]) == {1: (0,)}


def test_event_time_counts_before_record_time() -> None:
    rows = [Row(key="city", created=1, occurred=50), Row(key="city", created=99, occurred=20)]
    assert winners(rows) == {1: (0,)}


def test_without_an_event_time_the_record_time_stands_in() -> None:
    assert winners([Row(key="city", created=30), Row(key="city", created=99, occurred=20)]) == {1: (0,)}


def test_all_else_equal_the_later_stored_wins() -> None:
    assert winners([Row(key="city"), Row(key="city")]) == {0: (1,)}


def test_of_three_one_wins_over_both() -> None:
    rows = [Row(key="city", created=1), Row(key="city", created=3), Row(key="city", created=2)]
    assert winners(rows) == {0: (1,), 2: (1,)}


def test_an_explicit_word_beats_trust_and_time() -> None:
    rows = [Row(key="city", created=1), Row(key="city", created=9, trust=Trust.SYSTEM)]
    assert winners(rows, Words(explicit=[(0, 1)])) == {1: (0,)}


def test_an_explicit_word_needs_no_key() -> None:
    assert winners([Row(), Row()], Words(explicit=[(1, 0)])) == {0: (1,)}


def test_words_in_a_circle_leave_the_strongest_on_top() -> None:
    rows = [Row(created=1), Row(created=3), Row(created=2)]
    assert winners(rows, Words(explicit=[(0, 1), (1, 2), (2, 0)])) == {2: (1,), 0: (2,)}


def test_statements_of_a_functional_predicate_conflict() -> None:
    words = Words(triples=[(0, "ana", "home", "porto"), (1, "ana", "home", "lisbon"), (2, "ben", "home", "faro")])
    assert winners([Row(), Row(created=1), Row(created=2)], words, ["home"]) == {0: (1,)}


def test_a_statement_with_a_time_of_its_own_counts_by_that() -> None:
    words = Words(triples=[(0, "ana", "home", "porto"), (1, "ana", "home", "lisbon")], times={0: 30})
    assert winners([Row(created=1), Row(created=20)], words, ["home"]) == {1: (0,)}
    assert winners([Row(created=1), Row(created=20)], attrs.evolve(words, times={}), ["home"]) == {0: (1,)}


def test_trust_decides_between_statements_before_their_time() -> None:
    words = Words(triples=[(0, "ana", "home", "porto"), (1, "ana", "home", "lisbon")], times={1: 99})
    assert winners([Row(trust=Trust.SYSTEM), Row(created=50)], words, ["home"]) == {1: (0,)}


def test_statements_of_other_predicates_do_not() -> None:
    words = Words(triples=[(0, "ana", "likes", "tea"), (1, "ana", "likes", "coffee")])
    assert winners([Row(), Row()], words, ["lives in"]) == {}


def test_equal_values_do_not_conflict() -> None:
    words = Words(triples=[(0, "ana", "lives in", "porto"), (1, "ana", "lives in", "porto")])
    assert winners([Row(), Row(created=1)], words, ["lives in"]) == {}


def test_a_memory_that_also_states_the_winning_value_does_not_lose() -> None:
    words = Words(triples=[(0, "a", "in", "porto"), (0, "a", "in", "lisbon"), (1, "a", "in", "lisbon")])
    assert winners([Row(), Row(created=1)], words, ["in"]) == {}


def test_one_candidate_alone_asks_the_store_nothing() -> None:
    assert winners([Row(key="city")], Words(explicit=[(0, 7)])) == {}


@pytest.mark.parametrize(
    ("order", "conflicts", "expected"),
    [
        ([0, 1, 2, 3], {0: (3,)}, [3, 0, 1, 2]),
        ([0, 1, 2, 3], {3: (0,)}, [0, 1, 2, 3]),
        ([0, 1, 2, 3], {1: (3,), 2: (3,)}, [0, 3, 1, 2]),
        ([0, 1, 2], {0: (1,), 1: (2,)}, [2, 1, 0]),
        ([0, 1, 2, 3], {1: (3, 2)}, [0, 3, 2, 1]),
        ([0, 1], {0: (7,)}, [0, 1]),
        ([2, 0], {}, [2, 0]),
    ],
    ids=["moves up", "stays above", "highest rival", "chain", "two winners", "winner not here", "none"],
)
def test_the_winner_goes_directly_above_its_highest_rival(
    order: list[int], conflicts: dict[int, tuple[int, ...]], expected: list[int]
) -> None:
    assert winners_first(order, Conflicts(conflicts)) == expected


def test_a_chain_longer_than_the_stack_is_settled() -> None:
    chain = 5_000
    conflicts = Conflicts({item: (item + 1,) for item in range(chain - 1)})
    assert winners_first(range(chain), conflicts) == list(range(chain))[::-1]


def test_a_winner_that_was_folded_counts_through_the_copy_that_stands_for_it() -> None:
    assert dict(Conflicts({0: (1,)}).among({0: 0, 1: 5, 5: 5}).winners) == {0: (5,)}


def test_a_loser_that_was_folded_is_nobodys_rival() -> None:
    assert dict(Conflicts({0: (1,)}).among({0: 5, 1: 1, 5: 5}).winners) == {}


def test_a_memory_does_not_lose_to_the_copy_it_stands_for() -> None:
    assert dict(Conflicts({0: (1,)}).among({0: 0, 1: 0}).winners) == {}


@st.composite
def pools(draw: st.DrawFn) -> tuple[list[Row], Words]:
    keys = st.sampled_from([None, "a", "b"])
    rows = draw(
        st.lists(
            st.builds(
                Row,
                key=keys,
                text=st.sampled_from(["", "same", "other"]),
                trust=st.sampled_from(list(Trust)),
                created=st.integers(0, 3).map(float),
            ),
            min_size=2,
            max_size=9,
        )
    )
    places = st.integers(0, len(rows) - 1)
    return rows, Words(explicit=draw(st.lists(st.tuples(places, places), max_size=6)))


@steady
@given(pools(), st.randoms(use_true_random=False))
def test_nobody_is_lost_and_every_winner_stands_above_its_rivals(pool: tuple[list[Row], Words], random: Any) -> None:
    rows, words = pool
    order = list(range(len(rows)))
    random.shuffle(order)
    found = winners(rows, words)
    settled = winners_first(order, Conflicts(found))
    assert sorted(settled) == list(range(len(rows)))
    for loser, above in found.items():
        assert all(settled.index(winner) < settled.index(loser) for winner in above)
