"""What rankings say together."""

from __future__ import annotations

import numpy as np
import pytest

from comis_core.model import Ranking


def ranked(*ids: int) -> Ranking:
    return Ranking(np.array(ids, np.int64), np.linspace(1.0, 0.5, len(ids)))


@pytest.mark.parametrize(
    ("rankings", "wanted"),
    [
        ([], []),
        ([Ranking.empty()], []),
        ([ranked(7, 3)], [3, 7]),
        ([ranked(9, 2, 5), Ranking.empty(), ranked(5, 1), ranked(5)], [1, 2, 5, 9]),
    ],
)
def test_a_union_has_every_id_once_in_ascending_order(rankings: list[Ranking], wanted: list[int]) -> None:
    union = Ranking.union(iter(rankings))
    assert union.dtype == np.int64
    assert union.tolist() == wanted
