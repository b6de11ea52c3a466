"""The speaker expander: people speak of themselves, so what Ana did is mostly told by Ana."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from comis_core.claims import so_far
from comis_core.model import Claims, Ranking
from comis_core.protocols import BuildContext, ExpandRequest, SequenceArrays, SequenceService
from comis_core.senders import Roles
from comis_core.text import Analyser
from comis_plugins.speaker.options import SpeakerOptions
from comis_plugins.speaker.subject import is_named_in, subjects

if TYPE_CHECKING:
    from comis_core.model import Scores

FULL = 0.5
"""So much, in weighted claims, a memory has to have of a question that does not name its subject, to count in full."""

NEWEST = 5
"""So many of the subject's memories are brought where nothing that he said was found."""


def build(context: BuildContext, options: SpeakerOptions) -> Speaker:
    """The expander of one agent."""
    return Speaker(context.sequence, context.roles, context.text)


class Speaker:
    """Memories of the sender whom the question is about."""

    def __init__(self, sequence: SequenceService, roles: Roles, analyser: Analyser) -> None:
        self._sequence = sequence
        self._roles = roles
        self._analyser = analyser

    def expand(self, request: ExpandRequest) -> Ranking:
        """Candidates of the pool that the subject said claim 1.0; claims of the whole scope are attached.

        Where the question does not name the subject (I, you), they claim min(1, F / FULL), F being the sum of
        weight x claim over everything that has spoken before: most questions of a user are his, and that alone brings
        nothing. Where the question has no other word that says much ("What did I tell you?") they claim in full too.
        Where the pool has nothing that such a subject said, the newest of it claim 1.0: the name is no longer among the
        words searched for, or there is no word.
        """
        query = request.query
        roles = self._roles.among(query.participants, lambda: request.scope_view.senders)
        wanted = subjects(query, roles)
        if not wanted:
            return Ranking.empty()
        said = self._sequence.arrays(request.snapshot)
        spoken = _said_by(said, wanted)
        full = is_named_in(query.text, wanted) or not self._analyser.analyse(query.lexical_text).has_content
        if not full:
            spoken *= np.clip(so_far(request, said.ids) / FULL, 0.0, 1.0)
        claims = Claims(said.ids, spoken)
        candidates, values = request.pool.ids, claims.at(request.pool.ids)
        if full and not values.any():
            candidates = said.ids[spoken > 0.0][-NEWEST:]
            values = np.ones(len(candidates))
        return Ranking.best(candidates, values, request.limit, claims=claims)


def _said_by(said: SequenceArrays, senders: Sequence[str]) -> Scores:
    """float64[n]: 1.0 where one of the senders speaks. `said.senders` are sorted."""
    spoken = np.zeros(len(said.ids))
    for sender in senders:
        code = bisect.bisect_left(said.senders, sender)
        if code < len(said.senders) and said.senders[code] == sender:
            spoken[said.sender == code] = 1.0
    return spoken
