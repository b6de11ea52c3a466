"""Budget: whole items, best first, until the answer is full."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs


@attrs.frozen
class Spent:
    """taken: places of the answer's items, best first. too_long: those skipped because they did not fit.

    surplus: those after the answer was full.
    """

    taken: tuple[int, ...]
    too_long: tuple[int, ...] = ()
    surplus: tuple[int, ...] = ()


Size = Callable[[int], tuple[int, Sequence[bool]]]
"""Characters of a candidate's line, and which shared lines it needs besides."""


def spend(
    order: Sequence[int],
    size: Size,
    *,
    max_results: int,
    max_context_chars: int,
    heading: int = 0,
    shared: Sequence[int] = (),
) -> Spent:
    """Take items in order while they fit; one that does not fit is skipped, for the next may.

    Args:
        order: places of the candidates, best first.
        size: asked for one candidate after the other, only if there is a limit.
        max_results: at most so many items.
        max_context_chars: at most so many characters of the prompt block; 0 = no limit.
        heading: characters that come first in any case.
        shared: characters of each line that stands in the block once if any item needs it.
    """
    if not max_context_chars:
        return Spent(tuple(order[:max_results]), surplus=tuple(order[max_results:]))
    taken: list[int] = []
    too_long: list[int] = []
    left = max_context_chars - heading
    open_lines = list(shared)
    for rank, item in enumerate(order):
        if len(taken) == max_results:
            return Spent(tuple(taken), tuple(too_long), tuple(order[rank:]))
        own, needs = size(item)
        own += sum(length for length, needed in zip(open_lines, needs, strict=True) if needed)
        if own > left:
            too_long.append(item)
            continue
        left -= own
        open_lines = [0 if needed else length for length, needed in zip(open_lines, needs, strict=True)]
        taken.append(item)
    return Spent(tuple(taken), tuple(too_long))
