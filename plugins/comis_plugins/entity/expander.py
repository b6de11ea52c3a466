"""The entity expander: one hop from the best hits and the question along shared entities."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from comis_core.mentions import Mentions, Names, rarity
from comis_core.model import Ranking
from comis_core.protocols import BuildContext, ExpandRequest
from comis_plugins.entity.options import EntityOptions

SATURATION = 0.5
"""claim = tanh(SATURATION x sum of squared rarities): one entity of this memory alone claims .46, two .76."""


def build(context: BuildContext, options: EntityOptions) -> EntityExpander:
    """The expander of one agent."""
    return EntityExpander(options)


class EntityExpander:
    """Memories that share entities. State: the scope's names as they were last seen."""

    def __init__(self, options: EntityOptions) -> None:
        self._options = options
        self._names: Names | None = None

    def expand(self, request: ExpandRequest) -> Ranking:
        """Claims tanh(.5 x sum of squared rarities of the entities shared with the question or another seed).

        A seed earns nothing from itself. Senders of the scope, entities that more than `perEntityCap` memories mention,
        and memories that another one replaces are not followed. Without entities, nothing.
        """
        names = self._names = Names.of(request.scope_view, self._names)
        mentions = Mentions(request.snapshot, names.spellings)
        asked = dict.fromkeys(map(names.spellings.canonical, request.query.entities))
        sources = self._sources(request, mentions)
        entities = [entity for entity in {**asked, **sources} if entity not in names.speaking]
        cap = self._options.per_entity_cap
        found = mentions.having(mentions.counts(entities, cap), cap) if entities else {}
        shared = _shared(found, sources, asked, request)
        for pk in mentions.superseded(shared):
            del shared[pk]
        ids = np.array(sorted(shared), np.int64)
        sums = np.array([shared[pk] for pk in ids.tolist()])
        return Ranking.best(ids, np.tanh(SATURATION * sums), request.limit)

    def _sources(self, request: ExpandRequest, mentions: Mentions) -> dict[str, list[int]]:
        """Entity -> the seeds that mention it."""
        seeds, scores = request.seeds(self._options.seed_count)
        sources: dict[str, list[int]] = {}
        for pk, entities in mentions.of(seeds[scores > 0.0].tolist()).items():
            for entity in entities:
                sources.setdefault(entity, []).append(pk)
        return sources


def _shared(
    found: Mapping[str, Sequence[int]],
    sources: Mapping[str, Sequence[int]],
    asked: Collection[str],
    request: ExpandRequest,
) -> dict[int, float]:
    """Memory -> sum of the squared rarities of what it shares with the question or with another seed."""
    shared: dict[int, float] = {}
    for entity, ids in found.items():
        worth = rarity(len(ids), request.scope_view.memories) ** 2
        # What one seed alone brings in is worth nothing to that seed.
        alone = sources[entity][0] if entity not in asked and len(sources[entity]) == 1 else None
        for pk in ids:
            if pk != alone:
                shared[pk] = shared.get(pk, 0.0) + worth
    return shared
