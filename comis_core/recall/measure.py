"""Measure: what each candidate would take of the prompt block."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from comis_core.model import TRUSTS
from comis_core.recall.budget import Size
from comis_core.recall.neutral import neutral
from comis_core.recall.render import EXPLANATIONS, HEADING, Marks, line_length
from comis_core.recall.spoken import spoken_by
from comis_core.senders import Roles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

HEADING_LENGTH = len(HEADING)
GROWTH = 2
"""So many times as long as its content a memory may be in the block: a line break between two letters takes three."""


def sizes(
    order: Sequence[int],
    columns: Mapping[str, NDArray[Any]],
    superseded: Collection[int],
    texts: Callable[[Sequence[int]], Sequence[str]],
    *,
    max_results: int,
    max_context_chars: int,
    roles: Roles,
) -> Size:
    """What `spend` wants to know of the candidates.

    A memory with a sender is counted as another sender's, with the name, whoever asks: a replay does not know who
    asked, and must take the same items. Texts are read only if the block may be too long; mostly the columns tell that
    it is not.

    Args:
        order: places of the candidates, best first.
        columns: of the pool; trust, sender, occurred_at and length are looked at.
        superseded: places of those that another one contradicts.
        texts: the contents of the candidates at some places.
        roles: who of the senders is a person and who a machine.
    """

    trust, sender, occurred, length = (columns[name] for name in ("trust", "sender", "occurred_at", "length"))

    @functools.cache
    def marks(place: int) -> Marks:
        return Marks(
            trust=TRUSTS[trust[place]],
            another=sender[place] is not None,
            superseded=place in superseded,
            dated=not math.isnan(occurred[place]),
            speaker=spoken_by(sender[place], roles),
        )

    @functools.cache
    def at_most(place: int) -> int:
        return line_length(marks(place), "") + GROWTH * int(length[place])

    most = HEADING_LENGTH + sum(EXPLANATIONS) + sum(map(at_most, order[:max_results]))
    if not max_context_chars or most <= max_context_chars:
        return lambda place: (at_most(place), marks(place).explained)
    contents = dict(zip(order, texts(order), strict=True))
    return lambda place: (line_length(marks(place), neutral(contents[place])), marks(place).explained)
