"""A real file with the full-text index attached, and a way to ask it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import attrs
import pytest

from comis_core.clock import ManualClock
from comis_core.model import Filters, NewMemory, Query, Ranking, Scope, to_microseconds
from comis_core.protocols import SearchRequest
from comis_core.store import Store
from comis_core.text import Analyser
from comis_plugins.fts.index import MIGRATIONS, FtsIndex
from comis_plugins.fts.lane import FtsLane
from comis_plugins.fts.options import FtsOptions

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
SCOPE = Scope("acme", "helper")


@attrs.define
class Library:
    """A store with the index, and questions to it by content instead of by primary key."""

    store: Store
    clock: ManualClock
    analyser: Analyser = attrs.field(factory=Analyser)

    def add(self, *memories: str | NewMemory, scope: Scope = SCOPE) -> list[str]:
        """Store texts; their ids."""
        rows = [NewMemory(content=memory) if isinstance(memory, str) else memory for memory in memories]
        result = self.store.add(scope, rows, allow_system=True)
        assert not result.rejected
        return [stored.id for stored in result.stored]

    def rank(
        self,
        text: str,
        *,
        scope: Scope = SCOPE,
        filters: Filters | None = None,
        limit: int = 50,
        options: FtsOptions | None = None,
    ) -> Ranking:
        """What the lane finds."""
        ranking, _ = self._search(text, scope, filters or Filters(), limit, self.lane(options))
        return ranking

    def find(
        self,
        text: str,
        *,
        scope: Scope = SCOPE,
        filters: Filters | None = None,
        limit: int = 50,
        options: FtsOptions | None = None,
        lane: FtsLane | None = None,
    ) -> list[str]:
        """The contents that a lane finds, a new one unless one is given, best first."""
        _, contents = self._search(text, scope, filters or Filters(), limit, lane or self.lane(options))
        return contents

    def lane(self, options: FtsOptions | None = None) -> FtsLane:
        """A new lane."""
        return FtsLane(self.analyser, options or FtsOptions())

    def _search(
        self, text: str, scope: Scope, filters: Filters, limit: int, lane: FtsLane
    ) -> tuple[Ranking, list[str]]:
        now = to_microseconds(self.clock.now())
        with self.store.snapshot(scope, now=now, filters=filters) as snapshot:
            request = SearchRequest(
                query=Query.of(text), now=now, snapshot=snapshot, scope_view=snapshot.scope_view(), limit=limit
            )
            ranking = lane.search(request)
            return ranking, list(snapshot.texts(ranking.ids))

    def rows(self) -> Sequence[int]:
        """Primary keys that have a row in the index."""
        with self.store.transaction() as tx:
            return [pk for (pk,) in tx.execute("SELECT id FROM fts_text_docsize ORDER BY id")]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    clock = ManualClock(NOW)
    with Store.open(tmp_path / "memory.db", clock=clock, migrations={"fts": MIGRATIONS}) as store:
        store.attach("fts", FtsIndex(Analyser()), "1")
        store.catch_up()
        yield Library(store, clock)
