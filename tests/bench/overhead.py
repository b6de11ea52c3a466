"""What the framework costs: the compiled pipeline beside the same parts called by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from recalls import QUESTIONS, recalls, warm
from synthetic import NOW, mixed_questions
from table import Row, milliseconds, times
from timing import measure
from worlds import TWO_LANES, Worlds, compared, opened, precisions

from comis_core.model import Filters, Pool, Query, Scope, Trust, to_microseconds
from comis_core.protocols import ScoreRequest, SearchRequest

if TYPE_CHECKING:
    from comis_core import Engine

_FILTERS = Filters(trust=frozenset({Trust.SYSTEM, Trust.LEARNED}))


def overhead(worlds: Worlds) -> Iterator[Row]:
    """At 100,000 memories, and at 10,000 where lanes are quick and the rest weighs more."""
    for name, count in (("large", 100_000), ("overhead", 10_000)):
        sizes = {"home": worlds.sized(count)}
        path = worlds.scopes(name, sizes, TWO_LANES)
        for precision in precisions(sizes["home"]):
            with compared(precision), opened(path, overrides=TWO_LANES) as engine:
                yield _beside_hands(worlds, engine, sizes["home"], precision)


def _beside_hands(worlds: Worlds, engine: Engine, count: int, precision: str) -> Row:
    asked = mixed_questions(worlds.language, QUESTIONS // 4, 12)
    warm(engine, "home", asked)
    framework, by_hand = measure(
        recalls(engine, "home", asked), [lambda text=text: _by_hand(engine, text) for text in asked]
    )
    return Row(
        what=f"the compiled pipeline at {count:,} ({precision}), with contracts, conflicts, copies, trace, prompt block",
        median=milliseconds(framework.p50),
        beside=f"lanes, fusion, columns and scorers by hand: {milliseconds(by_hand.p50)}",
        ratio=times(framework.p50 / by_hand.p50),
        target="<= 1.10x",
        met=framework.p50 <= 1.1 * by_hand.p50,
    )


def _by_hand(engine: Engine, text: str) -> list[str]:
    """The same answer without the walk: no checks, no guard, no second look at what is visible."""
    now, scope = to_microseconds(NOW), Scope("default", "home")
    pipeline = engine.pipeline("home")
    query = Query.of(text)
    with engine.store.snapshot(scope, now=now, filters=_FILTERS) as reader:
        for analyzer in pipeline.analyzers:
            query = analyzer.part.analyze(query, reader.scope_view(), now)
        request = SearchRequest(query=query, now=now, snapshot=reader, scope_view=reader.scope_view(), limit=50)
        rankings = {lane.name: lane.part.search(request) for lane in pipeline.lanes}
        weights = {lane.name: lane.weight for lane in pipeline.lanes}
        ids, scores = pipeline.fusion.part.fuse(rankings, weights)
        pool = Pool(ids, scores, reader.columns(ids), rankings)
        columns = {name: np.full(len(ids), np.nan) for scorer in pipeline.scorers for name in scorer.requires}
        columns |= {column.name: column.part.load(reader, ids) for column in pipeline.columns}
        pool = Pool(ids, scores, {**pool.columns, **columns}, rankings)
        for scorer in pipeline.scorers:
            scores = scores * scorer.part.factors(ScoreRequest(query=query, now=now, pool=pool))
        best = np.lexsort((-ids, -scores))[:5]
        return [memory.content for memory in reader.memories(ids[best])]
