"""The adjacent expander: claims that a turn inherits from the turns beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comis_core.claims import spread
from comis_core.model import Claims, Ranking
from comis_core.protocols import (
    BuildContext,
    Embedder,
    ExpandRequest,
    ScopeView,
    SequenceArrays,
    SequenceService,
    Vectors,
)
from comis_core.senders import Roles
from comis_plugins.adjacent.links import Links, link
from comis_plugins.adjacent.mixing import Mixing, mix
from comis_plugins.adjacent.options import AdjacentOptions

if TYPE_CHECKING:
    from comis_core.model import Ids, Scores

STAND_IN = "fts"
"""The lane whose ranking is taken where the lane of words attached no claims."""

INHERITED, GAINED, FULL = 0.7, 3.5, 2.0
"""claim = (INHERITED x what neighbours hand on + GAINED x the gain of the mixed vector) / FULL."""


def build(context: BuildContext, options: AdjacentOptions) -> Adjacent:
    """The expander of one agent."""
    return Adjacent(context.sequence, context.vectors, context.embedder, context.roles, options)


class Adjacent:
    """Turns beside a hit.

    State: the links of the scope's turns and the inner products of neighbouring vectors as they were last seen, so
    that a recall between two writes only adds and multiplies.
    """

    def __init__(
        self,
        sequence: SequenceService,
        vectors: Vectors,
        embedder: Embedder | None,
        roles: Roles,
        options: AdjacentOptions,
    ) -> None:
        self._sequence = sequence
        self._vectors = vectors
        self._space = None if embedder is None else embedder.fingerprint
        self._roles = roles
        self._options = options
        self._links: Links | None = None
        self._mixing: Mixing | None = None

    def expand(self, request: ExpandRequest) -> Ranking:
        """At most `request.limit` turns, with the claims of the whole scope.

        A turn that no link reaches claims exactly 0: a scope in which one person speaks, notes without a session and
        single facts are left as they are.
        """
        links = self._linked(self._sequence.arrays(request.snapshot), request.scope_view)
        if not links.linked.any():
            return Ranking.empty()
        ids = links.said.ids
        claims = links.inherited(self._heard(request, ids))
        claims *= INHERITED
        claims += GAINED * self._gain(request, links)
        claims /= FULL
        np.minimum(claims, 1.0, out=claims)
        return Ranking.best(ids, claims, request.limit, claims=Claims(ids, claims))

    def _linked(self, said: SequenceArrays, scope_view: ScopeView) -> Links:
        links = self._links
        roles = self._roles.among(said.senders, lambda: scope_view.senders)
        if links is None or links.said is not said or links.roles != roles:
            links = self._links = link(said, self._options.full_stems, roles)
        return links

    def _heard(self, request: ExpandRequest, ids: Ids) -> Scores:
        """float64[n]: what the lane of words claims for every turn."""
        for name in (self._options.words, STAND_IN):
            if request.weights.get(name, 0.0) > 0.0:
                if name in request.claims:
                    return spread(request.claims[name].ids, request.claims[name].values, ids)
                if name in request.pool.rankings:
                    ranking = request.pool.rankings[name]
                    return spread(ranking.ids, ranking.scores, ids)
        return np.zeros(len(ids))

    def _gain(self, request: ExpandRequest, links: Links) -> Scores | float:
        """float64[n]: what the vector lane would claim more if every turn were embedded with the one before it."""
        name = self._options.vectors
        if self._space is None or name not in request.claims or request.weights.get(name, 0.0) <= 0.0:
            return 0.0
        mixing = self._mixed(request, links)
        if mixing is None:
            return 0.0
        claims = spread(request.claims[name].ids, request.claims[name].values, links.said.ids)
        return mixing.gain(claims / links.length)

    def _mixed(self, request: ExpandRequest, links: Links) -> Mixing | None:
        assert self._space is not None
        mixing = self._mixing
        if mixing is not None and mixing.links is links and mixing.seq == request.snapshot.seq:
            return mixing
        slab = self._vectors.slab(request.snapshot, self._space)
        if slab is None:
            return None
        # Another thread may put its own in the same place, so what is returned is not read from there.
        mixing = self._mixing = mix(links, request.snapshot.seq, slab, mixing)
        return mixing
