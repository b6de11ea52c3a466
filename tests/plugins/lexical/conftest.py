"""A real file with the lexical index attached, and ways to ask it; BM25 once more, written down plainly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import pytest

from comis_core.clock import ManualClock
from comis_core.model import Filters, NewMemory, Query, Ranking, Scope, to_microseconds
from comis_core.protocols import SearchRequest
from comis_core.store import Store
from comis_core.text import Analyser, Analysis
from comis_plugins.lexical.cache import SlabCache
from comis_plugins.lexical.index import MIGRATIONS, LexicalIndex
from comis_plugins.lexical.lane import LexicalLane
from comis_plugins.lexical.options import LexicalOptions

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
SCOPE = Scope("acme", "helper")
ANALYSER = Analyser()


@attrs.define
class Library:
    """A store with the index and the slabs of an engine, and questions to it by content instead of by primary key."""

    store: Store
    clock: ManualClock
    slabs: SlabCache = attrs.field(factory=lambda: SlabCache(1 << 28))

    def add(self, *memories: str | NewMemory, scope: Scope = SCOPE) -> list[str]:
        """Store texts; their ids."""
        rows = [NewMemory(content=memory) if isinstance(memory, str) else memory for memory in memories]
        result = self.store.add(scope, rows, allow_system=True)
        assert not result.rejected
        return [stored.id for stored in result.stored]

    def look(self, scope: Scope = SCOPE, filters: Filters | None = None) -> AbstractContextManager[Any]:
        """A snapshot."""
        return self.store.snapshot(scope, now=to_microseconds(self.clock.now()), filters=filters or Filters())

    def ask(
        self, snapshot: Any, text: str, *, limit: int = 50, slabs: SlabCache | None = None, **options: Any
    ) -> Ranking:
        """What the lane says inside a snapshot."""
        lane = LexicalLane(ANALYSER, slabs or self.slabs, LexicalOptions(**options))
        request = SearchRequest(
            query=Query.of(text), now=0, snapshot=snapshot, scope_view=snapshot.scope_view(), limit=limit
        )
        return lane.search(request)

    def rank(
        self, text: str, *, scope: Scope = SCOPE, filters: Filters | None = None, limit: int = 50, **options: Any
    ) -> Ranking:
        """What the lane finds now."""
        with self.look(scope, filters) as snapshot:
            return self.ask(snapshot, text, limit=limit, **options)

    def find(
        self, text: str, *, scope: Scope = SCOPE, filters: Filters | None = None, limit: int = 50, **options: Any
    ) -> list[str]:
        """The contents that the lane finds, best first."""
        with self.look(scope, filters) as snapshot:
            return list(snapshot.texts(self.ask(snapshot, text, limit=limit, **options).ids))

    def rows(self) -> Sequence[int]:
        """Primary keys that have a row in the index."""
        with self.store.transaction() as tx:
            return [pk for (pk,) in tx.execute("SELECT pk FROM lexical_postings ORDER BY pk")]


def plain_claims(
    texts: Sequence[str], query: str, prefix: float = 0.4, trigram: float = 0.25, full_coverage: float = 0.5
) -> list[float]:
    """The claim of each text, term by term in Python's floats."""
    documents = [_views(text) for text in texts]
    asked = _views(query)
    total = [0.0] * len(texts)
    coverage = 0.0
    for lane, weight in enumerate((1.0, prefix, trigram)):
        if not weight:
            continue
        scores, covered = _plain_bm25([document[lane] for document in documents], asked[lane], once=lane == 2)
        highest = max(scores, default=0.0)
        if highest > 0:
            total = [sum_ + weight * score / highest for sum_, score in zip(total, scores, strict=True)]
            coverage = max(coverage, *covered)
    highest = max(total, default=0.0)
    sure = max(0.1, min(1.0, coverage / full_coverage) ** 3) if full_coverage else 1.0
    return [sure * each / highest if highest > 0 else 0.0 for each in total]


def _views(text: str) -> tuple[Sequence[str], ...]:
    views = Analysis(tuple(token for token in ANALYSER.analyse(text).tokens if not token.stop))
    return views.stems, views.prefixes, views.trigrams


def _plain_bm25(
    documents: Sequence[Sequence[str]], query: Sequence[str], *, once: bool
) -> tuple[list[float], list[float]]:
    """The score of each document, and how much it has of all that is asked for."""
    lengths = [len(document) for document in documents]
    mean = sum(lengths) / max(1, len(lengths))
    if not mean:
        return [0.0] * len(documents), [0.0] * len(documents)
    deviation = math.sqrt(sum((length - mean) ** 2 for length in lengths) / len(lengths))
    b = min(0.8, max(0.4, 0.4 + (deviation / mean - 0.6)))
    counts = [Counter(set(document) if once else document) for document in documents]
    scores = [0.0] * len(documents)
    covered = [0.0] * len(documents)
    ideal = 0.0
    for term in query:
        holders = sum(term in count for count in counts)
        idf = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
        ideal += idf
        for place, count in enumerate(counts):
            norm = 0.9 * (1 - b + b * lengths[place] / mean)
            scores[place] += idf * count[term] / (count[term] + norm)
            covered[place] += idf * count[term] * (1 + norm) / (count[term] + norm)
    return scores, [each / ideal if ideal else 0.0 for each in covered]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    clock = ManualClock(NOW)
    with Store.open(tmp_path / "memory.db", clock=clock, migrations={"lexical": MIGRATIONS}) as store:
        store.attach("lexical", LexicalIndex(ANALYSER), "1")
        store.catch_up()
        yield Library(store, clock)


@pytest.fixture(scope="session")
def plain() -> Any:
    """`plain_claims`."""
    return plain_claims


@pytest.fixture(scope="session")
def library_class() -> type[Library]:
    """The class, for tests that open their own stores."""
    return Library
