"""The graph spread: a memory that is connected with a better hit is pulled up towards it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from comis_core.claims import so_far
from comis_core.mentions import Mentions, Names
from comis_core.model import Ranking
from comis_core.protocols import BuildContext, ExpandRequest
from comis_core.text import fold_name
from comis_plugins.graph_spread.options import GraphSpreadOptions
from comis_plugins.graph_spread.spreading import Edges, Graph
from comis_plugins.graph_spread.triples import Triples

SEEDS = 5
"""Best memories so far from which the graph is walked."""
QUESTION = 0.5
"""What connections with the question's own entities count."""
REACH = 2.0
"""Lead of a seed, in weighted claims, from which on a connection counts in full."""


def build(context: BuildContext, options: GraphSpreadOptions) -> GraphSpread:
    """The expander of one agent."""
    return GraphSpread(options, map(fold_name, context.setting("rag.conflict.functionalPredicates")))


class GraphSpread:
    """Memories connected with better ones. State: the scope's names as they were last seen."""

    def __init__(self, options: GraphSpreadOptions, functional: Iterable[str] = ()) -> None:
        self._options = options
        self._functional = frozenset(functional)
        self._names: Names | None = None

    def expand(self, request: ExpandRequest) -> Ranking:
        """Claims strength x clip((F_seed - F) / 2, 0, 1), the highest over the five best memories and the question.

        F is the sum of weight x claim over everything that has spoken before, so that a memory that is itself as good
        as the seed gains nothing: at a weight of 2 or less none is pulled past its seed. Without entities, nothing.
        """
        names = self._names = Names.of(request.scope_view, self._names)
        paths = self._paths(request, names, _best(request))
        ends = np.array([pk for edges, _ in paths for pk in edges], np.int64)
        if not len(ends):
            return Ranking.empty()
        strengths = np.array([strength for edges, _ in paths for strength in edges.values()])
        leads = np.repeat([lead for _, lead in paths], [len(edges) for edges, _ in paths])
        ids, places = np.unique(ends, return_inverse=True)
        pulls = strengths * np.clip((leads - so_far(request, ids)[places]) / REACH, 0.0, 1.0)
        claims = np.zeros(len(ids))
        np.maximum.at(claims, places, pulls)
        return Ranking.best(ids, np.minimum(claims, 1.0), request.limit)

    def _paths(self, request: ExpandRequest, names: Names, seeds: Mapping[int, float]) -> list[tuple[Edges, float]]:
        """(connections, score) of every seed and of the question, which leads by the best score of all."""
        mentions = Mentions(request.snapshot, names.spellings)
        graph = Graph(
            mentions=mentions,
            triples=Triples(mentions, self._functional),
            memories=request.scope_view.memories,
            fan_out=self._options.fan_out,
        )
        asked = set(map(names.spellings.canonical, request.query.entities))
        around = graph.around(sorted(asked), speaking=names.speaking)
        spread = graph.spread(list(seeds), self._options.max_depth, closed=asked | names.speaking)
        best = max(seeds.values(), default=REACH)
        question = {pk: QUESTION * strength for pk, strength in around.items()}
        return [(question, best), *((edges, seeds[seed]) for seed, edges in spread.items())]


def _best(request: ExpandRequest) -> dict[int, float]:
    """The best memories of the pool with their scores so far, best first."""
    ids = request.pool.ids
    scores = so_far(request, ids)
    order = np.lexsort((-ids, -scores))[:SEEDS]
    return {int(ids[place]): float(scores[place]) for place in order if scores[place] > 0.0}
