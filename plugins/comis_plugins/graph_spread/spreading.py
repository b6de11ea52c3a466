"""How strongly memories are connected: by the rarest thing that they share, over several steps."""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

import attrs

from comis_core.mentions import Mentions, rarity
from comis_plugins.graph_spread.triples import Triple, Triples

POWER = 3
"""An edge's strength is rarity^POWER: what a hundredth of the memories mention connects hardly at all."""
DAMPING = 0.6
"""What is left of a path's strength with each step after the first."""
CAP = 200
"""An entity that more memories mention is a hub and leads nowhere."""
WEAKEST = 0.1
"""Paths that are not stronger are not followed."""

K = TypeVar("K")

Edges = dict[int, float]
"""Memory -> strength in 0..1 of the connection with it."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Graph:
    """The graph of one recall: memories, and the entities that they mention or state something of.

    memories: how many the scope has. fan_out: entities of one memory that are followed, the rarest, and memories from
    which each further step is taken, the strongest.
    """

    mentions: Mentions
    triples: Triples
    memories: int
    fan_out: int

    def spread(self, seeds: Collection[int], depth: int, *, closed: Collection[str]) -> dict[int, Edges]:
        """Seed -> other memories, with the strength of the strongest path of at most `depth` steps to each.

        closed: entities that are not followed.
        """
        links = self._links(dict.fromkeys(seeds, 1.0), closed)
        reached = {seed: dict(links.get(seed, {})) for seed in seeds}
        fresh = {seed: dict(paths) for seed, paths in reached.items()}
        for _ in range(depth - 1):
            frontier = self._frontier(fresh.values())
            links = self._links(frontier, closed)
            fresh = {seed: _step(seed, reached[seed], fresh[seed], frontier, links) for seed in seeds}
        return reached

    def around(self, entities: Collection[str], *, speaking: Collection[str]) -> Edges:
        """Memories that mention one of these entities or state something of it, with the strength of that.

        speaking: those of the entities of whom only statements are followed.
        """
        cap = self._cap(WEAKEST)
        counts = self.mentions.counts([entity for entity in entities if entity not in speaking], cap)
        return _highest(self._edges(entities, counts, cap).values())

    def _frontier(self, paths: Iterable[Edges]) -> Edges:
        """The strongest ends of paths from any seed, with what is left of their strength for another step."""
        able = [(DAMPING * strength, pk) for pk, strength in _highest(paths).items() if DAMPING * strength > WEAKEST]
        return {pk: strength for strength, pk in heapq.nlargest(self.fan_out, able)}

    def _links(self, strengths: Edges, closed: Collection[str]) -> dict[int, Edges]:
        """Memory -> its direct connections, as far as a path may lead on over them.

        strengths: how strong the path to each memory is.
        """
        stated = self.triples.of(strengths)
        carried = self._carried(strengths, stated, closed) if strengths else {}
        caps = {pk: self._cap(WEAKEST / strengths[pk]) for pk in carried}
        cap = max(caps.values(), default=0)
        counts = self.mentions.counts({entity for entities in carried.values() for entity in entities}, cap)
        followed = {pk: self._rarest(entities, counts, caps[pk]) for pk, entities in carried.items()}
        edges = self._edges({entity for entities in followed.values() for entity in entities}, counts, cap)
        links = {pk: _highest(edges[entity] for entity in entities) for pk, entities in followed.items()}
        for pk, paths in self._alike(stated).items():
            links[pk] = _highest((links.get(pk, {}), paths))
        for pk, paths in links.items():
            paths.pop(pk, None)
        return links

    def _alike(self, stated: Collection[Triple]) -> dict[int, Edges]:
        """Memory -> those that state the same of the same subject: the later address beside the former one."""
        if not stated:
            return {}
        found = {
            pk: _highest({end: self._strength(len(slot)) * sure for end, sure in slot.items()} for slot in slots)
            for pk, slots in self.triples.alike(stated, self._cap(WEAKEST)).items()
        }
        return self._standing(found)

    def _carried(
        self, ids: Collection[int], stated: Iterable[Triple], closed: Collection[str]
    ) -> dict[int, dict[str, int]]:
        """Memory -> what it mentions and what its triples say, with how often an entity must be mentioned to lead on.

        Who mentions an entity himself needs another one; what a triple says may be mentioned there alone.
        """
        carried = {pk: dict.fromkeys(entities, 2) for pk, entities in self.mentions.of(ids).items()}
        for triple in stated:
            carried.setdefault(triple.pk, {}).setdefault(triple.value, 1)
        return {
            pk: {entity: least for entity, least in entities.items() if entity not in closed}
            for pk, entities in carried.items()
        }

    def _rarest(self, entities: Mapping[str, int], counts: Mapping[str, int], cap: int) -> list[str]:
        able = [(counts[entity], entity) for entity, least in entities.items() if least <= counts[entity] <= cap]
        return [entity for _, entity in heapq.nsmallest(self.fan_out, able)]

    def _edges(self, entities: Collection[str], counts: Mapping[str, int], cap: int) -> dict[str, Edges]:
        """Entity -> the memories that mention it or state something of it, with the strength of that."""
        near = {entity: counts[entity] for entity in entities if 0 < counts.get(entity, 0) <= cap}
        edges: dict[str, Edges] = {entity: {} for entity in entities}
        for entity, ids in self.mentions.having(near, cap).items():
            edges[entity] = dict.fromkeys(ids, self._strength(len(ids)))
        for entity, stating in self.triples.stating(entities, self._cap(WEAKEST)).items():
            worth = self._strength(len(stating))
            for pk, confidence in stating.items():
                edges[entity][pk] = max(edges[entity].get(pk, 0.0), worth * confidence)
        return self._standing(edges)

    def _standing(self, edges: dict[K, Edges]) -> dict[K, Edges]:
        """The same without memories that others replace."""
        gone = self.mentions.superseded({pk for paths in edges.values() for pk in paths})
        return {key: _without(paths, gone) for key, paths in edges.items()} if gone else edges

    def _strength(self, count: int) -> float:
        return float(rarity(count, self.memories) ** POWER)

    def _cap(self, floor: float) -> int:
        """The most mentions with which an entity's strength is still above a floor: `_strength` turned round."""
        memories = max(self.memories, 1)
        exact = memories / math.expm1(math.log1p(memories) * min(floor, 1.0) ** (1 / POWER))
        return min(CAP, math.ceil(exact) - 1)


def _step(seed: int, reached: Edges, ends: Edges, frontier: Collection[int], links: Mapping[int, Edges]) -> Edges:
    """Go on from where a seed's paths end in the frontier; what is reached more strongly than before is returned."""
    fresh: Edges = {}
    for through in frontier:
        strength = DAMPING * ends.get(through, 0.0)
        for pk, edge in links.get(through, {}).items() if strength > WEAKEST else ():
            path = strength * edge
            if path > WEAKEST and pk != seed and path > reached.get(pk, 0.0):
                reached[pk] = fresh[pk] = path
    return fresh


def _highest(edges: Iterable[Edges]) -> Edges:
    highest: Edges = {}
    for paths in edges:
        for pk, strength in paths.items():
            if strength > highest.get(pk, 0.0):
                highest[pk] = strength
    return highest


def _without(paths: Edges, gone: Collection[int]) -> Edges:
    return {pk: strength for pk, strength in paths.items() if pk not in gone}
