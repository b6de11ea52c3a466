"""A real file whose memories mention entities, and what an expander makes of the best of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from comis_core.clock import ManualClock
from comis_core.model import Annotation, Claims, Filters, NewMemory, Pool, Query, Ranking, Scope, to_microseconds
from comis_core.protocols import Expander, ExpandRequest
from comis_core.recall.checks import check_ranking
from comis_core.store import Store
from comis_core.store.reader import StoreReader

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SCOPE = Scope("acme", "helper")
OTHER = Scope("rival", "helper")


def triple(subject: str, predicate: str, value: str, **fields: Any) -> Annotation:
    return Annotation(kind="triple", name=subject, predicate=predicate, value=value, **fields)


def alias(name: str, value: str) -> Annotation:
    return Annotation(kind="alias", name=name, value=value)


@attrs.define(kw_only=True)
class World:
    """A store and the ids that tests know its memories by."""

    store: Store
    clock: ManualClock
    added: int = 0

    @classmethod
    @contextmanager
    def open(cls, folder: Path) -> Iterator[World]:
        clock = ManualClock(NOW)
        with Store.open(folder / "memory.db", clock=clock) as store:
            yield cls(store=store, clock=clock)

    def add(
        self, *names: str, said: Sequence[Annotation] = (), scope: Scope = SCOPE, content: str = "", **fields: Any
    ) -> int:
        """Store a memory that mentions these entities; its primary key."""
        self.added += 1
        entities = [Annotation(kind="entity", name=name) for name in names]
        memory = NewMemory(content=content or f"memory {self.added}", annotations=(*entities, *said), **fields)
        result = self.store.add(scope, [memory], allow_system=True)
        assert not result.rejected, result.rejected
        return result.pks[0]

    def fill(self, count: int) -> None:
        """Store memories that mention nothing, so that what the others share is rare."""
        rows = [NewMemory(content=f"filler {self.added} {number}") for number in range(count)]
        self.store.add(SCOPE, rows)

    def id(self, pk: int) -> str:
        """The id of a memory as the API knows it."""
        with self.snapshot() as reader:
            return reader.memories(np.array([pk], np.int64))[0].id

    @contextmanager
    def snapshot(self, filters: Filters | None = None, scope: Scope = SCOPE) -> Iterator[StoreReader]:
        now = to_microseconds(self.clock.now())
        with self.store.snapshot(scope, now=now, filters=filters or Filters()) as reader:
            yield reader

    def claims(
        self,
        part: Expander,
        best: Mapping[int, float] | None = None,
        *,
        entities: Sequence[str] = (),
        filters: Filters | None = None,
        limit: int = 50,
    ) -> dict[int, float]:
        """What an expander claims, best first, after one lane that claims `best` for the whole scope."""
        with self.snapshot(filters) as reader:
            query = attrs.evolve(Query.of("?"), entities=tuple(entities))
            request = _request(reader, query, dict(best or {}), to_microseconds(self.clock.now()), limit)
            ranking = check_ranking(part.expand(request), limit)
            assert reader.visible_among(ranking.ids).all()
        return dict(zip(ranking.ids.tolist(), ranking.scores.tolist(), strict=True))


def _request(reader: StoreReader, query: Query, best: dict[int, float], now: int, limit: int) -> ExpandRequest:
    visible = reader.visible_ids()
    values = np.array([best.get(pk, 0.0) for pk in visible.tolist()])
    claims = Claims(visible, values)
    ranking = Ranking.best(visible, values, limit, claims=claims)
    ids = np.sort(ranking.ids)
    return ExpandRequest(
        query=query,
        now=now,
        snapshot=reader,
        scope_view=reader.scope_view(),
        limit=limit,
        pool=Pool(ids, claims.at(ids), {}, {"words": ranking}),
        claims={"words": claims},
        weights={"words": 2.0},
    )
