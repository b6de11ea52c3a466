"""Budget: whole items, best first, until the answer is full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@attrs.frozen
class Spent:
    """taken: places of the answer's items, best first. too_long: those skipped because they did not fit.

    surplus: those after the answer was full.
    """

    taken: tuple[int, ...]
    too_long: tuple[int, ...] = ()
    surplus: tuple[int, ...] = ()


def spend(order: Sequence[int], lengths: NDArray[np.int64], *, max_results: int, max_context_chars: int) -> Spent:
    """Take items in order while they fit; one that does not fit is skipped, for the next may.

    Args:
        order: places of the candidates, best first.
        lengths: int64[n], characters of each content; marks, dates and fences of the prompt block come on top.
        max_results: at most so many items.
        max_context_chars: at most so many characters of content together; 0 = no limit.
    """
    taken: list[int] = []
    too_long: list[int] = []
    left = max_context_chars or None
    for rank, item in enumerate(order):
        if len(taken) == max_results:
            return Spent(tuple(taken), tuple(too_long), tuple(order[rank:]))
        length = int(lengths[item])
        if left is not None and length > left:
            too_long.append(item)
            continue
        left = None if left is None else left - length
        taken.append(item)
    return Spent(tuple(taken), tuple(too_long))
