"""Measure: what each candidate would take of the prompt block."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from comis_core.model import TRUSTS, Trust
from comis_core.recall.budget import Size
from comis_core.recall.neutral import neutral
from comis_core.recall.render import EXPLANATIONS, HEADING, Marks, line_length
from comis_core.recall.spoken import LONGEST_SPOKEN, spoken_by
from comis_core.senders import Roles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

HEADING_LENGTH = len(HEADING)
GROWTH = 2
"""So many times as long as its content a memory may be in the block: a line break between two letters takes three."""

_EVERYTHING = Marks(Trust.EXTERNAL, another=True, superseded=True, dated=True, speaker="x" * LONGEST_SPOKEN)
LONGEST_MARKS = line_length(_EVERYTHING, "")
"""Characters of a line besides its content, at most."""


def sizes(
    order: Sequence[int],
    columns: Mapping[str, NDArray[Any]],
    superseded: Collection[int],
    texts: Callable[[Sequence[int]], Sequence[str]],
    *,
    max_results: int,
    max_context_chars: int,
    roles: Roles,
) -> Size | None:
    """What `spend` wants to know of the candidates; None if the first `max_results` fit, whatever they say.

    A memory with a sender is counted as another sender's, with the name, whoever asks: a replay does not know who
    asked, and must take the same items. Texts are read only if the block may be too long, and as many at once as an
    answer takes; mostly the lengths tell that it is not.

    Args:
        order: places of the candidates, best first.
        columns: of the pool; trust, sender, occurred_at and length are looked at.
        superseded: places of those that another one contradicts.
        texts: the contents of the candidates at some places.
        roles: who of the senders is a person and who a machine.
    """
    length = columns["length"]
    own = sum(LONGEST_MARKS + GROWTH * int(length[place]) for place in order[:max_results])
    if not max_context_chars or HEADING_LENGTH + sum(EXPLANATIONS) + own <= max_context_chars:
        return None
    trust, sender, occurred = (columns[name] for name in ("trust", "sender", "occurred_at"))
    contents: dict[int, str] = {}

    def size(place: int) -> tuple[int, Sequence[bool]]:
        if place not in contents:
            start = order.index(place)
            portion = order[start : start + max_results]
            contents.update(zip(portion, texts(portion), strict=True))
        marks = Marks(
            trust=TRUSTS[trust[place]],
            another=sender[place] is not None,
            superseded=place in superseded,
            dated=not math.isnan(occurred[place]),
            speaker=spoken_by(sender[place], roles),
        )
        return line_length(marks, neutral(contents[place])), marks.explained

    return size
