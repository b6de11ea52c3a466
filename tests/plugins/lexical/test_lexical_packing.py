"""Packing: one memory at a time and many at once make the same rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_plugins.lexical.packing import count_each, count_together
from comis_plugins.lexical.terms import SUB_LANES, SubLane


@pytest.mark.parametrize("lane", SUB_LANES, ids=lambda lane: lane.name)
@given(memories=st.lists(st.lists(st.integers(0, 40), max_size=120), min_size=1, max_size=6))
def test_one_by_one_is_as_all_together(lane: SubLane, memories: list[list[int]]) -> None:
    step = (1 << lane.hash_bits) // 41
    hashes = [b"".join((number * step).to_bytes(lane.size, "little") for number in memory) for memory in memories]
    assert count_each(lane, hashes) == count_together(lane, hashes)


@pytest.mark.parametrize("lane", SUB_LANES, ids=lambda lane: lane.name)
def test_a_count_does_not_reach_into_the_hash(lane: SubLane) -> None:
    often = [(5).to_bytes(lane.size, "little") * 70_000]
    (blob,) = count_each(lane, often)
    assert blob == count_together(lane, often)[0]
    assert int.from_bytes(blob, "little") == 5 << lane.count_bits | (1 << lane.count_bits) - 1
