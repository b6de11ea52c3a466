"""Budget: whole items, best first, until the answer is full."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from comis_core.model.shown import Compared


@attrs.frozen(eq=False, repr=False)
class Spent(Compared):
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
    size: Size | None,
    *,
    max_results: int,
    max_context_chars: int,
    heading: int = 0,
    shared: Sequence[int] = (),
) -> Spent:
    """Take items in order while they fit; one that does not fit is skipped, for the next may.

    Args:
        order: places of the candidates, best first.
        size: asked for one candidate after the other, only if there is a limit; None: the first `max_results` fit.
        max_results: at most so many items.
        max_context_chars: at most so many characters of the prompt block; 0 = no limit.
        heading: characters that come first in any case.
        shared: characters of each line that stands in the block once if any item needs it.
    """
    if size is None or not max_context_chars:
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


LISTED = 3
"""So many skipped memories are named in a note."""


def misfits(spent: Spent, order: Sequence[int], max_results: int) -> list[int]:
    """The places skipped for their length that would be in the answer were there no limit on characters."""
    skipped = frozenset(spent.too_long)
    return [place for place in order[:max_results] if place in skipped]


def misfit_note(skipped: Sequence[tuple[str, int]], max_context_chars: int) -> str:
    """What an answer says of memories that did not fit.

    Args:
        skipped: (id, characters of its content) of each, best first; at least one.
        max_context_chars: the limit.
    """
    named = ", ".join(f"{id} ({length:,} characters)" for id, length in skipped[:LISTED])
    more = f" and {len(skipped) - LISTED:,} more" if len(skipped) > LISTED else ""
    memories = "1 memory" if len(skipped) == 1 else f"{len(skipped):,} memories"
    return (
        f"{memories} did not fit maxContextChars {max_context_chars:,}: {named}{more}; raise it, or store long texts "
        "in parts"
    )
