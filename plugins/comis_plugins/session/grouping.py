"""The mean of the best few values of every group, without sorting the values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.protocols import SequenceArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Scores


@attrs.frozen(eq=False, repr=False, kw_only=True)
class Sessions:
    """The turns of a scope by session.

    said: what they were made from. order: int64[m], places of the turns that have a session, session by session.
    starts, sizes: int64[s], where each session begins in `order`, and how many turns it has. group: int64[m], the
    number of each turn's session.
    """

    said: SequenceArrays
    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    group: NDArray[np.int64]

    def best_means(self, values: Scores, count: int) -> Scores:
        """float64[s]: the mean of each session's `count` highest values, of all if it has fewer. values: float64[n]."""
        left = values.take(self.order)
        sums = np.zeros(len(self.starts))
        for _ in range(min(count, int(self.sizes.max(initial=0)))):
            best = np.maximum.reduceat(left, self.starts)
            sums += np.where(np.isfinite(best), best, 0.0)
            left[self._first(left == best.take(self.group))] = -np.inf
        return sums / np.minimum(self.sizes, count)

    def over_turns(self, values: Scores) -> Scores:
        """float64[n]: each session's value at its turns, 0.0 at turns without a session. values: float64[s]."""
        spread_out = np.zeros(len(self.said.ids))
        spread_out[self.order] = values.take(self.group)
        return spread_out

    def _first(self, marked: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The first marked place of every session."""
        places = np.flatnonzero(marked)
        groups = self.group[places]
        first: NDArray[np.int64] = places[np.append(True, groups[1:] != groups[:-1])[: len(places)]]
        return first


def sessions_of(said: SequenceArrays) -> Sessions:
    """The sessions of a sequence."""
    order = np.argsort(said.session, kind="stable")
    order = order[said.session[order] >= 0]
    codes = said.session[order]
    starts = np.flatnonzero(np.append(True, codes[1:] != codes[:-1])[: len(codes)])
    sizes = np.diff(np.append(starts, len(codes)))
    return Sessions(said=said, order=order, starts=starts, sizes=sizes, group=np.repeat(np.arange(len(starts)), sizes))
