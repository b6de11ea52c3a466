from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from comis_core.layers import Layered

steps = st.lists(st.dictionaries(st.integers(0, 400), st.integers(), max_size=90), max_size=12)


@given(steps)
def test_it_holds_what_was_put_into_it_step_by_step(steps: list[dict[int, int]]) -> None:
    expected: dict[int, int] = {}
    layered: Layered[int, int] = Layered({})
    for step in steps:
        more = {key: value for key, value in step.items() if key not in expected}
        expected |= more
        layered = layered.extended(more)
        assert dict(layered) == expected == layered
        assert len(layered) == len(expected)
        assert all((key in layered) is (key in expected) for key in range(400))
        assert all(layered.get(key) == expected.get(key) for key in range(400))


def test_what_was_there_before_stays_as_it_is() -> None:
    older = Layered({"ana": 1}).extended({"ben": 2})
    newer = older.extended({str(number): number for number in range(200)})
    assert (dict(older), len(newer)) == ({"ana": 1, "ben": 2}, 202)


def test_a_few_more_entries_share_the_many_below() -> None:
    below = {number: number for number in range(10_000)}
    layered = Layered(below)
    for number in range(10_000, 10_100):
        layered = layered.extended({number: number})
    assert layered._below is below
    assert layered.extended({number: number for number in range(20_000, 20_200)})._below is not below


def test_what_was_added_to_an_older_one_is_told_as_long_as_the_rest_is_shared() -> None:
    older = Layered({number: number for number in range(500)}).extended({500: 500})
    newer = older.extended({501: 501})
    assert newer.added_to(older) == {500: 500, 501: 501}
    assert older.added_to(newer) is None
    assert older.extended({502: 502}).added_to(newer) is None
    assert newer.extended({number: number for number in range(600, 800)}).added_to(older) is None
    assert newer.added_to(dict(older)) is None
