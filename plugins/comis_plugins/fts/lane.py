"""The full-text lane: any text becomes a query of quoted tokens, and the scope's best rows come back as claims."""

from __future__ import annotations

from collections.abc import Sequence

from comis_core.model import Ranking
from comis_core.protocols import BuildContext, SearchRequest, Snapshot
from comis_core.text import Analyser
from comis_plugins.fts.index import scope_token
from comis_plugins.fts.options import FtsOptions

EDGE = 64
"""Distinct tokens taken from either end of a query: what is asked stands before or after what was pasted."""
REMEMBERED = 4096
"""Words kept that were found to stand in many rows of the file."""
SPARE = 2
"""Times the limit: so many rows are ranked before anybody asks who is visible."""
COMMON_ROWS = 1_000
"""A word that stands in fewer rows is never held for common: ranking so many takes no time worth saving."""
ROWS_WITH = "SELECT doc FROM fts_vocabulary WHERE term = ?"
ROWS_OF_SCOPE = "SELECT count(*) FROM (SELECT 1 FROM fts_text WHERE fts_text MATCH ? LIMIT ?)"
Row = tuple[int, float]
"""rowid, BM25."""
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
    """BM25 with weighted fields over the visible memories of the scope.

    State: words that stand in many rows of the file, as far as questions had them.
    """

    def __init__(self, analyser: Analyser, options: FtsOptions) -> None:
        self._analyser = analyser
        self._common_share = options.common_share
        self._frequent: set[str] = set()
        weights = (
            options.title_weight, options.speaker_weight, options.date_weight, options.content_weight,
            options.tags_weight,
        )  # fmt: skip
        score = f"-bm25(fts_text, 0.0, {', '.join(repr(float(weight)) for weight in weights)}) AS score"
        best = "fts_text MATCH ? ORDER BY score DESC, t.rowid DESC LIMIT ?"
        self._of_scope = f"SELECT t.rowid, {score} FROM fts_text AS t WHERE {best}"
        self._visible = f"""
            SELECT t.rowid, {score} FROM fts_text AS t CROSS JOIN visible AS v ON v.pk = t.rowid WHERE {best}
        """

    def search(self, request: SearchRequest) -> Ranking:
        """The best rows, claim = BM25 / the best row's BM25: the best of a query always claims 1.0."""
        import numpy as np

        tokens = query_tokens(self._analyser, request.query.lexical_text)
        if not tokens:
            return Ranking.empty()
        rows = self._best(request, tokens)
        if not rows or rows[0][1] <= 0.0:
            return Ranking.empty()
        ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        scores = np.fromiter((row[1] for row in rows), np.float64, len(rows))
        return Ranking(ids, scores / scores[0])

    def _best(self, request: SearchRequest, tokens: Sequence[str]) -> list[Row]:
        """By the rarer words if they find enough, else by all."""
        rarer = self._rarer(request, tokens)
        if len(rarer) < len(tokens):
            found = self._ranked(request, rarer) if rarer else []
            if len(found) == request.limit:
                return found
        return self._ranked(request, tokens)

    def _rarer(self, request: SearchRequest, tokens: Sequence[str]) -> Sequence[str]:
        """Those that stand in no more rows of the scope than `COMMON_ROWS`, or than that share of its memories.

        The file's counts, which are at hand, only tell which words are worth counting in the scope: what neighbours
        store changes nothing.
        """
        snapshot, doubtful = request.snapshot, self._doubtful(request.snapshot, tokens)
        if not doubtful:
            return tokens
        most = max(COMMON_ROWS, int(self._common_share * request.scope_view.memories))
        common = {
            token
            for token in doubtful
            for ((count,),) in (snapshot.execute(ROWS_OF_SCOPE, (expression([token], snapshot.scope), most + 1)),)
            if count > most
        }
        return [token for token in tokens if token not in common]

    def _doubtful(self, snapshot: Snapshot, tokens: Sequence[str]) -> list[str]:
        """Those that may stand in more than `COMMON_ROWS` rows of the scope, since in the file they do or once did.

        The vocabulary counts a word by walking through all of its rows, so a frequent one is looked up once. That it
        has become rarer since costs a count in the scope, and changes no answer.
        """
        doubtful = []
        for token in tokens:
            if token not in self._frequent:
                ((count,),) = list(snapshot.execute(ROWS_WITH, (token,))) or [(0,)]
                if count <= COMMON_ROWS:
                    continue
                if len(self._frequent) >= REMEMBERED:
                    self._frequent.clear()
                self._frequent.add(token)
            doubtful.append(token)
        return doubtful

    def _ranked(self, request: SearchRequest, tokens: Sequence[str]) -> list[Row]:
        """The best visible rows. What a filter hides takes no place among them.

        To join `visible` row by row costs as much as BM25 itself, and nearly everything is visible nearly always: the
        scope's best are looked up afterwards, and only where too few of them are in sight the view is joined.
        """
        snapshot, limit = request.snapshot, request.limit
        match = expression(tokens, snapshot.scope)
        asked = SPARE * limit
        rows: list[Row] = list(snapshot.execute(self._of_scope, (match, asked)))
        seen = seen_rows(snapshot, rows)
        if len(seen) < limit and len(rows) == asked:
            return list(snapshot.execute(self._visible, (match, limit)))
        return seen[:limit]


def seen_rows(snapshot: Snapshot, rows: Sequence[Row]) -> list[Row]:
    """The visible ones, in the same order."""
    import numpy as np

    seen = snapshot.visible_among(np.array([row[0] for row in rows], np.int64))
    return [row for row, visible in zip(rows, seen.tolist(), strict=True) if visible]
