"""Diversity: the order in which the head repeats itself least; recall only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from comis_core.protocols import Diversifier, DiversityRequest
from comis_core.recall.checks import check_permutation
from comis_core.recall.guard import Guard
from comis_core.recall.parts import Bound
from comis_core.recall.reader import Reader

if TYPE_CHECKING:
    from comis_core.model import Ids, Scores

TokenSets = Callable[[Sequence[int]], Iterable[frozenset[int]]]
"""Places in the pool -> their token sets; a token is a number that stands for a stem."""


class LazyTokenSets(Sequence[frozenset[int]]):
    """One token set a candidate. With vectors nobody asks; a slice makes its own, anything else makes all at once."""

    def __init__(self, places: Sequence[int], token_sets: TokenSets) -> None:
        self._places = places
        self._token_sets = token_sets
        self._made: list[frozenset[int]] | None = None

    def _all(self) -> list[frozenset[int]]:
        if self._made is None:
            self._made = list(self._token_sets(self._places))
        return self._made

    @overload
    def __getitem__(self, index: int) -> frozenset[int]: ...
    @overload
    def __getitem__(self, index: slice) -> list[frozenset[int]]: ...
    def __getitem__(self, index: int | slice) -> frozenset[int] | list[frozenset[int]]:
        if isinstance(index, slice) and self._made is None:
            return list(self._token_sets(self._places[index]))
        return self._all()[index]

    def __iter__(self) -> Iterator[frozenset[int]]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._places)


def diversify(
    diversifier: Bound[Diversifier],
    order: Sequence[int],
    ids: Ids,
    scores: Scores,
    token_sets: TokenSets,
    reader: Reader,
    guard: Guard,
) -> list[int]:
    """The diversifier's order of the candidates; a diversifier that fails changes nothing.

    Args:
        order: places of the candidates, best first.
        ids, scores: of the whole pool; scores are the final ones.
    """
    places = np.array(order, np.int64)
    request = DiversityRequest(
        ids=ids[places], scores=scores[places], token_sets=LazyTokenSets(order, token_sets), snapshot=reader
    )
    chosen = guard.attempt(diversifier, "diversifier", lambda part: check_permutation(part.order(request), len(places)))
    return list(order) if chosen is None else places[chosen].tolist()
