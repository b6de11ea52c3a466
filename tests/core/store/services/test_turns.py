from __future__ import annotations

import weakref

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.protocols import SequenceArrays
from comis_core.senders import Roles
from comis_core.store.turns import MARK_BITS, Row, Turns, turns_of

Said = tuple[str | None, str | None, int | None, int]

said = st.tuples(
    st.sampled_from((None, "s", "t")),
    st.sampled_from((None, "Ana", "Ben", "Ben", "user", "Cid")),
    st.sampled_from((None, 0, 1, 2)),
    st.integers(0, 2),
)


def rows_of(said: list[Said], first: int = 1) -> list[Row]:
    return [(pk, *each) for pk, each in enumerate(said, start=first)]


def marks_of(rows: list[Row]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([row[0] << MARK_BITS | 4 * row[0] for row in rows], np.int64)


def turns(rows: list[Row]) -> Turns:
    return turns_of(rows, marks_of(rows), Roles())


def fields(arrays: SequenceArrays) -> dict[str, object]:
    values = attrs.asdict(arrays, recurse=False)
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()}


@given(st.lists(said, max_size=12), st.lists(st.lists(said, max_size=3), max_size=6), st.booleans())
def test_turns_that_grew_have_the_arrays_that_turns_made_anew_have(
    before: list[Said], steps: list[list[Said]], look: bool
) -> None:
    rows = rows_of(before)
    state = turns(rows)
    for step in steps:
        if look:
            assert state.arrays is not None
        new = rows_of(step, len(rows) + 1)
        rows += new
        state = state.followed([row[0] for row in new], new, marks_of(new))
        if look:
            assert fields(state.arrays) == fields(turns(rows).arrays)
    assert fields(state.arrays) == fields(turns(rows).arrays)


@pytest.mark.parametrize("more", [1, 100])
@pytest.mark.parametrize("earlier", [False, True])
def test_turns_that_follow_keep_who_is_an_assistant(more: int, earlier: bool) -> None:
    rows = rows_of([("s", "Ana", 0, 0), ("s", "Alfred", 1, 0)])
    state = turns_of(rows, marks_of(rows), Roles(assistants=["Alfred"]))
    new = rows_of([("s", ("Ana", "Alfred")[at % 2], at + 2, 0) for at in range(more)], 3)
    if earlier:  # a memory that comes back goes between the others: everything is sorted anew
        new = [(0, "s", "Ana", 0, 0), *new]
    arrays = state.followed([row[0] for row in new], new, marks_of(new)).arrays
    assert (arrays.senders, arrays.named.tolist(), arrays.two_sided) == (("Alfred", "Ana"), [False, True], False)


def test_older_arrays_stay_as_they_are_when_turns_follow() -> None:
    rows = rows_of([("s", "Ana", 0, 0), ("s", "Ben", 1, 0)])
    state = turns(rows)
    older = fields(state.arrays)
    new = rows_of([("s", "Ana", 2, 0)], 3)
    grown = state.followed([3], new, marks_of(new))
    assert grown.arrays.following.tolist() == [1, 2, -1]
    assert fields(state.arrays) == older


def test_turns_that_lose_one_after_they_grew_are_made_anew() -> None:
    rows = rows_of([("s", "Ana", 0, 0), ("s", "Ben", 1, 0), ("s", "Ana", 2, 0)])
    state = turns(rows[:2])
    assert state.arrays.two_sided
    grown = state.followed([3], rows[2:], marks_of(rows[2:]))
    assert fields(grown.followed([1], [], marks_of([])).arrays) == fields(turns(rows[1:]).arrays)


def test_turns_that_grew_hold_no_earlier_arrays() -> None:
    rows = rows_of([("s", "Ana", 0, 0), ("s", "Ben", 1, 0), ("s", "Ana", 2, 0)])
    state = turns(rows[:2])
    earlier = weakref.ref(state.arrays)
    grown = state.followed([3], rows[2:], marks_of(rows[2:]))
    assert grown.arrays.previous.tolist() == [-1, 0, 1]
    del state
    assert earlier() is None
