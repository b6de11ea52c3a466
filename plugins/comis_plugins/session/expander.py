"""The session expander: every turn of a session claims what the session's best turns have together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from comis_core.model import Claims, Ranking
from comis_core.protocols import BuildContext, ExpandRequest, SequenceArrays, SequenceService
from comis_plugins.session.grouping import Sessions, sessions_of
from comis_plugins.session.options import SessionOptions

if TYPE_CHECKING:
    from comis_core.model import Ids, Scores


def build(context: BuildContext, options: SessionOptions) -> Session:
    """The expander of one agent."""
    return Session(context.sequence, options)


class Session:
    """Turns of good sessions. State: the sessions of the scope as they were last seen."""

    def __init__(self, sequence: SequenceService, options: SessionOptions) -> None:
        self._sequence = sequence
        self._options = options
        self._sessions: Sessions | None = None

    def expand(self, request: ExpandRequest) -> Ranking:
        """Candidates of the pool, best session first, with the claims of the whole scope; nothing without sessions."""
        said = self._sequence.arrays(request.snapshot)
        sessions = self._grouped(said)
        if not len(sessions.starts):
            return Ranking.empty()
        best = sessions.best_means(_score_so_far(request, said.ids), self._options.best_turns)
        values = sessions.over_turns(np.clip(best / self._options.full_score, 0.0, 1.0))
        claims = Claims(said.ids, values)
        return Ranking.best(request.pool.ids, claims.at(request.pool.ids), request.limit, claims=claims)

    def _grouped(self, said: SequenceArrays) -> Sessions:
        sessions = self._sessions
        if sessions is None or sessions.said is not said:
            sessions = self._sessions = sessions_of(said)
        return sessions


def _score_so_far(request: ExpandRequest, ids: Ids) -> Scores:
    """float64[n]: the sum of weight x claim over every lane and expander that has spoken, for the whole scope.

    One that attached no claims for the whole scope counts with what it ranked.
    """
    total = np.zeros(len(ids))
    for name, known, values in _voices(request):
        weight = request.weights.get(name, 0.0)
        if len(known) == len(ids) and np.array_equal(known, ids):
            total += weight * values
        elif len(known) and len(ids):
            places = np.minimum(np.searchsorted(ids, known), len(ids) - 1)
            there = ids[places] == known
            total[places[there]] += weight * values[there]
    return total


def _voices(request: ExpandRequest) -> Iterator[tuple[str, Ids, Scores]]:
    """(name, ids, claims) of every lane and expander so far."""
    for name, ranking in request.pool.rankings.items():
        claims = request.claims.get(name)
        yield (name, ranking.ids, ranking.scores) if claims is None else (name, claims.ids, claims.values)
