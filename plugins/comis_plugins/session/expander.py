"""The session expander: every turn of a session claims what the session's best turns have together."""

from __future__ import annotations

import numpy as np

from comis_core.claims import so_far
from comis_core.model import Claims, Ranking
from comis_core.protocols import BuildContext, ExpandRequest, SequenceArrays, SequenceService
from comis_plugins.session.grouping import Sessions, sessions_of
from comis_plugins.session.options import SessionOptions


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
        best = sessions.best_means(so_far(request, said.ids), self._options.best_turns)
        values = sessions.over_turns(np.clip(best / self._options.full_score, 0.0, 1.0))
        claims = Claims(said.ids, values)
        return Ranking.best(request.pool.ids, claims.at(request.pool.ids), request.limit, claims=claims)

    def _grouped(self, said: SequenceArrays) -> Sessions:
        sessions = self._sessions
        if sessions is None or sessions.said is not said:
            sessions = self._sessions = sessions_of(said)
        return sessions
