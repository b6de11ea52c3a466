"""The lexical lane: exact BM25 of the scope's own words, and claims for the whole scope."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from comis_core.model import Claims, Ranking
from comis_core.protocols import BuildContext, SearchRequest
from comis_core.text import Analyser, Token
from comis_plugins.lexical.options import LexicalBudget, LexicalOptions
from comis_plugins.lexical.terms import PREFIXES, STEMS, TRIGRAMS, Speller

if TYPE_CHECKING:
    from comis_plugins.lexical.cache import SlabCache
    from comis_plugins.lexical.scoring import Asked

EDGE = 64
"""Distinct words taken from either end of a query: what is asked stands before or after what was pasted."""

EDGE_CHARACTERS = 64 * EDGE
"""Of a text longer than twice that only both ends are read."""

MEGABYTE = 1024 * 1024


def build(context: BuildContext, options: LexicalOptions, budget: LexicalBudget) -> LexicalLane:
    """The lane of one agent; the slabs are the engine's."""
    from comis_plugins.lexical.cache import SlabCache

    slabs = context.resource(("lexical", "slabs"), lambda: SlabCache(budget.lexical_budget_mb * MEGABYTE))
    return LexicalLane(context.text, slabs, options)


def query_tokens(analyser: Analyser, text: str) -> Sequence[Token]:
    """The tokens that a query searches for: all but stop words, or those if there is nothing else.

    Of more than 128 distinct words the first and the last 64 stay, repetitions included.
    """
    if len(text) > 2 * EDGE_CHARACTERS:
        text = f"{text[:EDGE_CHARACTERS]} {text[-EDGE_CHARACTERS:]}"
    tokens = analyser.analyse(text).content
    words = list(dict.fromkeys(token.word for token in tokens))
    if len(words) <= 2 * EDGE:
        return tokens
    kept = {*words[:EDGE], *words[-EDGE:]}
    return [token for token in tokens if token.word in kept]


class LexicalLane:
    """Stems, prefixes and trigrams of every living memory of the scope."""

    def __init__(self, analyser: Analyser, slabs: SlabCache, options: LexicalOptions) -> None:
        self._analyser = analyser
        self._slabs = slabs
        self._speller = Speller()
        worth = ((STEMS, 1.0), (PREFIXES, options.prefix_weight), (TRIGRAMS, options.trigram_weight))
        self._lanes = tuple(lane for lane, weight in worth if weight > 0.0)
        self._weights = tuple(weight for _, weight in worth if weight > 0.0)
        self._full_coverage = options.full_coverage

    def search(self, request: SearchRequest) -> Ranking:
        """The best memories, with a claim for every visible one: s / the highest s of the query.

        s = t / max t + prefix weight x p / max p + trigram weight x g / max g; t, p, g are the sub-lanes' BM25. The
        best one claims 1.0 when some memory has `full_coverage` of what is asked for, and less when none has. What is
        hidden from this recall lends no maximum.
        """
        asked = self._asked(request.query.lexical_text)
        if asked is None:
            return Ranking.empty()
        from comis_plugins.lexical.scoring import best, claims, scores

        slab = self._slabs.of(request.snapshot, self._lanes)
        visible = request.snapshot.visible_ids() if request.snapshot.restricted else None
        ids, rows = slab.rows(visible)
        values = claims(scores(slab, asked, rows), self._weights, rows, self._full_coverage)
        if values is None:
            return Ranking.empty()
        head = best(values, request.limit)
        return Ranking.best(ids[head], values[head], request.limit, claims=Claims(ids, values))

    def _asked(self, text: str) -> Asked | None:
        """The terms that a text asks for; None for a text without any word."""
        import numpy as np

        from comis_plugins.lexical.scoring import Asked

        grams = self._speller.read(query_tokens(self._analyser, text))
        if not grams:
            return None
        lanes = []
        for lane in self._lanes:
            hashes = np.frombuffer(b"".join([getattr(each, lane.name) for each in grams]), lane.dtype)
            lanes.append(Counter((hashes.astype(np.uint64) + np.uint64(lane.base)).tolist()))
        return Asked.of(lanes)
