"""The full-text lane: any text becomes a query of quoted tokens, and the scope's best rows come back as claims."""

from __future__ import annotations

from collections.abc import Sequence

from comis_core.model import Ranking
from comis_core.protocols import BuildContext, SearchRequest
from comis_core.text import Analyser
from comis_plugins.fts.index import scope_token
from comis_plugins.fts.options import FtsOptions

EDGE = 64
"""Distinct tokens taken from either end of a query: what is asked stands before or after what was pasted."""
SEARCHED = "{title speaker date content tags}"


def build(context: BuildContext, options: FtsOptions) -> FtsLane:
    """The lane of one agent."""
    return FtsLane(context.text, options)


def query_tokens(analyser: Analyser, text: str) -> Sequence[str]:
    """The distinct stems of a query in reading order; of more than 128 the first and the last 64."""
    tokens = list(dict.fromkeys(analyser.stems(text)))
    return tokens if len(tokens) <= 2 * EDGE else [*tokens[:EDGE], *tokens[-EDGE:]]


def expression(tokens: Sequence[str], scope: int) -> str:
    """The MATCH expression: any of the tokens in a searched field, and the scope's token. Every token is quoted."""
    any_token = " OR ".join('"' + token.replace('"', '""') + '"' for token in tokens)
    return f'scope : "{scope_token(scope)}" AND {SEARCHED} : ({any_token})'


class FtsLane:
    """BM25 with weighted fields over the visible memories of the scope."""

    def __init__(self, analyser: Analyser, options: FtsOptions) -> None:
        self._analyser = analyser
        weights = (
            options.title_weight, options.speaker_weight, options.date_weight, options.content_weight,
            options.tags_weight,
        )  # fmt: skip
        # `visible` is joined inside the statement, so that what a filter hides takes no place among the best.
        self._sql = f"""
            SELECT t.rowid, -bm25(fts_text, 0.0, {", ".join(repr(float(weight)) for weight in weights)}) AS score
            FROM fts_text AS t CROSS JOIN visible AS v ON v.pk = t.rowid
            WHERE fts_text MATCH ? ORDER BY score DESC, t.rowid DESC LIMIT ?
        """

    def search(self, request: SearchRequest) -> Ranking:
        """The best rows, claim = BM25 / the best row's BM25: the best of a query always claims 1.0."""
        import numpy as np

        tokens = query_tokens(self._analyser, request.query.lexical_text)
        if not tokens:
            return Ranking.empty()
        match = expression(tokens, request.snapshot.scope)
        rows = list(request.snapshot.execute(self._sql, (match, request.limit)))
        if not rows or rows[0][1] <= 0.0:
            return Ranking.empty()
        ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        scores = np.fromiter((row[1] for row in rows), np.float64, len(rows))
        return Ranking(ids, scores / scores[0])
