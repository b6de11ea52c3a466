"""Rerank: query and candidate judged together for the head of the pool, under a wall-clock limit."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.model import Query
from comis_core.protocols import Reranker, RerankRequest
from comis_core.recall.checks import check_reranked
from comis_core.recall.guard import Guard
from comis_core.recall.parts import Bound
from comis_core.recall.reader import Reader
from comis_core.recall.score import ranked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comis_core.model import Ids, Scores
    from comis_core.recall.columns import Columns


@attrs.frozen(eq=False, repr=False)
class Reranked:
    """base: float64[n], the reranker's score for the head and the fused one for the tail. head: bool[n]."""

    base: Scores
    head: NDArray[np.bool_]


def rerank(
    reranker: Bound[Reranker] | None,
    query: Query,
    ids: Ids,
    fused: Scores,
    columns: Columns,
    reader: Reader,
    guard: Guard,
) -> Reranked:
    """Judge the first `max_candidates` of the pool anew.

    Head and tail keep their own scales: whatever was judged stands before everything that was not. On time-out, error
    or too few candidates the fused order stands.

    Args:
        reranker: the one in use, if any.
        query: the question.
        ids, fused, columns: the candidates in ascending id order.
        reader: where texts come from.
        guard: watches over the part.
    """
    untouched = Reranked(fused, np.zeros(len(ids), np.bool_))

    def work(part: Reranker) -> Reranked:
        if len(ids) < part.min_results:
            return untouched
        places = ranked(ids, columns, fused)[: part.max_candidates]
        return _merged(fused, places, _judge(part, query, ids[places], reader, guard))

    return untouched if reranker is None else guard.attempt(reranker, "reranker", work) or untouched


def _merged(fused: Scores, places: NDArray[np.int64], scores: Scores) -> Reranked:
    base, head = fused.copy(), np.zeros(len(fused), np.bool_)
    judged = places[: len(scores)]
    base[judged] = scores
    head[judged] = True
    return Reranked(base, head)


def _judge(part: Reranker, query: Query, ids: Ids, reader: Reader, guard: Guard) -> Scores:
    started = time.monotonic()
    seconds = max(0.0, min(part.timeout_ms / 1000, guard.deadline - started))
    # Texts are read here: the worker thread must not touch the snapshot.
    texts = tuple(reader.texts(ids))

    def work(cancelled: threading.Event) -> object:
        request = RerankRequest(
            query=query, ids=ids, texts=texts, deadline=started + seconds, cancelled=cancelled.is_set
        )
        return part.rerank(request)

    scores = guard.supervisor.flights.run(part, work, seconds=seconds, since=started)
    return check_reranked(scores, len(ids))
