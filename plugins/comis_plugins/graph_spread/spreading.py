"""How strongly memories are connected: by the rarest thing that they share, over several steps."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence

import attrs

from comis_core.mentions import Mentions, rarity
from comis_plugins.graph_spread.triples import Triples

POWER = 3
"""An edge's strength is rarity^POWER: what a hundredth of the memories mention connects hardly at all."""
DAMPING = 0.6
"""What is left of a path's strength with each step after the first."""
CAP = 200
"""An entity that more memories mention is a hub and leads nowhere."""
WEAKEST = 0.05
"""Edges and paths that are not stronger are not followed."""

Edges = dict[int, float]
"""Memory -> strength in 0..1 of the connection with it."""


@attrs.frozen(kw_only=True, eq=False)
class Graph:
    """The graph of one recall: memories, and the entities that they mention or state something of.

    memories: how many the scope has. fan_out: entities of a memory, and memories of a step, that are followed, the
    strongest.
    """

    mentions: Mentions
    triples: Triples
    memories: int
    fan_out: int

    def spread(self, seeds: Sequence[int], depth: int, *, closed: Collection[str]) -> dict[int, Edges]:
        """Seed -> other memories, with the strength of the strongest path of at most `depth` steps to each.

        closed: entities that are not followed.
        """
        links = self._links(seeds, closed)
        reached = {seed: dict(links.get(seed, {})) for seed in seeds}
        frontiers = {seed: self._strongest(paths) for seed, paths in reached.items()}
        for _ in range(depth - 1):
            links = self._links(sorted({pk for frontier in frontiers.values() for pk in frontier}), closed)
            frontiers = {seed: self._step(seed, reached[seed], frontiers[seed], links) for seed in seeds}
        return reached

    def around(self, entities: Collection[str], *, speaking: Collection[str]) -> Edges:
        """Memories that mention one of these entities or state something of it, with the strength of that.

        speaking: those of the entities of whom only statements are followed.
        """
        counts = self.mentions.counts([entity for entity in entities if entity not in speaking], CAP)
        return _strongest(self._edges(entities, counts).values())

    def _step(self, seed: int, reached: Edges, frontier: Edges, links: Mapping[int, Edges]) -> Edges:
        """Go on from a seed's frontier; what is reached more strongly than before makes the next one."""
        fresh: Edges = {}
        for through, strength in frontier.items():
            for pk, edge in links.get(through, {}).items():
                path = DAMPING * strength * edge
                if pk != seed and path > max(WEAKEST, reached.get(pk, 0.0)):
                    reached[pk] = fresh[pk] = path
        return self._strongest(fresh)

    def _strongest(self, paths: Edges) -> Edges:
        best = heapq.nsmallest(self.fan_out, paths, key=lambda pk: (-paths[pk], -pk))
        return {pk: paths[pk] for pk in best if DAMPING * paths[pk] > WEAKEST}

    def _links(self, ids: Sequence[int], closed: Collection[str]) -> dict[int, Edges]:
        """Memory -> its direct connections."""
        carried = self._carried(ids, closed)
        every = sorted({entity for entities in carried.values() for entity in entities})
        counts = self.mentions.counts(every, CAP)
        followed = {pk: self._rarest(entities, counts) for pk, entities in carried.items()}
        edges = self._edges(sorted({entity for entities in followed.values() for entity in entities}), counts)
        links = {pk: _strongest(edges[entity] for entity in entities) for pk, entities in followed.items()}
        for pk, paths in links.items():
            paths.pop(pk, None)
        return links

    def _carried(self, ids: Sequence[int], closed: Collection[str]) -> dict[int, dict[str, int]]:
        """Memory -> what it mentions and what its triples say; with how often an entity must be mentioned at least.

        Who mentions an entity himself needs another one; what a triple says is mentioned by the triple alone.
        """
        carried = {pk: dict.fromkeys(entities, 2) for pk, entities in self.mentions.of(ids).items()}
        for triple in self.triples.of(ids):
            carried.setdefault(triple.pk, {}).setdefault(triple.value, 1)
        return {
            pk: {entity: least for entity, least in entities.items() if entity not in closed}
            for pk, entities in carried.items()
        }

    def _rarest(self, entities: Mapping[str, int], counts: Mapping[str, int]) -> list[str]:
        able = [entity for entity, least in entities.items() if least <= counts[entity] and self._leads(counts[entity])]
        return heapq.nsmallest(self.fan_out, able, key=lambda entity: (counts[entity], entity))

    def _edges(self, entities: Collection[str], counts: Mapping[str, int]) -> dict[str, Edges]:
        """Entity -> the memories that mention it or state something of it, with the strength of that."""
        near = {entity: counts[entity] for entity in entities if self._leads(counts.get(entity, 0))}
        found = self.mentions.having(near, CAP)
        edges = {entity: dict.fromkeys(found.get(entity, ()), self._strength(len(found.get(entity, ())))) for entity in entities}
        for entity, stating in self.triples.stating(entities).items():
            worth = self._strength(len(stating))
            for pk, confidence in stating.items():
                edges[entity][pk] = max(edges[entity].get(pk, 0.0), worth * confidence)
        gone = self.mentions.superseded({pk for paths in edges.values() for pk in paths})
        return {entity: {pk: s for pk, s in paths.items() if pk not in gone} for entity, paths in edges.items()}

    def _leads(self, count: int) -> bool:
        return 0 < count <= CAP and self._strength(count) > WEAKEST

    def _strength(self, count: int) -> float:
        return float(rarity(count, self.memories) ** POWER)


def _strongest(edges: Iterable[Edges]) -> Edges:
    strongest: Edges = {}
    for paths in edges:
        for pk, strength in paths.items():
            if strength > strongest.get(pk, 0.0):
                strongest[pk] = strength
    return strongest
