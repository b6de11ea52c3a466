"""The turn kind expander: what a turn is good for, whatever it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.model import Claims, Ranking
from comis_core.protocols import BuildContext, ExpandRequest, SequenceArrays, SequenceService
from comis_plugins.turn_kind.options import TurnKindOptions

if TYPE_CHECKING:
    from comis_core.model import Scores

TELLS, DATED, TIMELY = 0.33, 0.1, 0.5
"""Shares of a turn that tells, of one that says when, and of that when the question asks when."""

ASKING_STEMS = 25
"""A question of at most so many stems only asks; a longer one tells something too."""

GATE_STEMS = 40.0
"""Up to so many stems a time expression dates the turn; a longer turn has many."""


def build(context: BuildContext, options: TurnKindOptions) -> TurnKind:
    """The expander of one agent."""
    return TurnKind(context.sequence)


@attrs.frozen(eq=False, repr=False, kw_only=True)
class Kinds:
    """What every turn of a sequence is good for, usually and when the question asks when.

    said: what they were made from. usually, timely: float64[n] in 0..1.
    """

    said: SequenceArrays
    usually: Scores
    timely: Scores


class TurnKind:
    """Turns that tell. State: the kinds of the scope's turns as they were last seen."""

    def __init__(self, sequence: SequenceService) -> None:
        self._sequence = sequence
        self._kinds: Kinds | None = None

    def expand(self, request: ExpandRequest) -> Ranking:
        """Candidates of the pool, with the claims of the whole scope; nothing unless two named people talk."""
        said = self._sequence.arrays(request.snapshot)
        if not said.two_sided:
            return Ranking.empty()
        kinds = self._judged(said)
        claims = Claims(said.ids, kinds.timely if request.query.intent == "temporal" else kinds.usually)
        return Ranking.best(request.pool.ids, claims.at(request.pool.ids), request.limit, claims=claims)

    def _judged(self, said: SequenceArrays) -> Kinds:
        kinds = self._kinds
        if kinds is None or kinds.said is not said:
            kinds = self._kinds = judge(said)
        return kinds


def judge(said: SequenceArrays) -> Kinds:
    """The kinds of a sequence's turns."""
    stems = np.maximum(said.stems, 1)
    tells = TELLS * ~(said.asks & (stems <= ASKING_STEMS))
    dated = said.dated * np.minimum(1.0, (GATE_STEMS / stems) ** 2)
    full = TELLS + DATED + TIMELY
    return Kinds(said=said, usually=(tells + DATED * dated) / full, timely=(tells + (DATED + TIMELY) * dated) / full)
