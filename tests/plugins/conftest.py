"""A talk in a real file, for the expanders that look at who said what beside what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import numpy as np
import pytest

from comis_core.clock import ManualClock
from comis_core.model import Claims, Filters, NewMemory, Pool, Query, Ranking, Scope, to_microseconds
from comis_core.protocols import Expander, ExpandRequest
from comis_core.senders import Roles
from comis_core.store import Store
from comis_core.store.sequence import TurnSequence
from comis_core.store.vectors import VectorStore, load_sqlite_vec
from comis_core.text import Analyser

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
SCOPE = Scope("acme", "helper")
SPACE = "plane"


@attrs.define(kw_only=True)
class Talk:
    """A store with its sequence and vectors, and what lanes claim; `expand` asks an expander."""

    store: Store
    sequence: TurnSequence
    vectors: VectorStore
    lanes: dict[str, dict[int, float]] = attrs.field(factory=dict)
    """Lane -> memory -> claim; attached for the whole scope, unless the lane is in `without_claims`."""
    without_claims: set[str] = attrs.field(factory=set)
    weights: dict[str, float] = attrs.field(factory=dict)
    """1.0 where nothing is said."""
    roles: Roles = attrs.field(factory=Roles)

    def add(self, *memories: NewMemory, scope: Scope = SCOPE) -> list[int]:
        """Store memories; their ids inside."""
        return list(self.store.add(scope, memories).pks)

    def say(self, *lines: str, session: str | None = "s1") -> list[int]:
        """Store turns of a session, each "Sender: what is said"."""
        turns = enumerate(line.split(": ", 1) for line in lines)
        return self.add(*(NewMemory(content=said, sender=who, session=session, turn=at) for at, (who, said) in turns))

    def embed(self, vectors: Mapping[int, Sequence[float]]) -> None:
        """Give memories vectors (of unit length)."""
        rows = {pk: [np.array(vector, np.float32)] for pk, vector in vectors.items()}
        with self.store.transaction() as tx:
            ((number,),) = tx.execute("SELECT DISTINCT scope FROM memories WHERE pk = ?", (next(iter(vectors)),))
            self.vectors.write(tx, SPACE, len(next(iter(vectors.values()))), number, rows)

    def part(self, build: Callable[..., Expander], options: Any, *, embedder: bool = True) -> Expander:
        """An expander as an agent of this file would have it."""
        context = SimpleNamespace(
            sequence=self.sequence.seen_with(self.roles),
            roles=self.roles,
            text=Analyser(),
            vectors=self.vectors,
            embedder=SimpleNamespace(fingerprint=SPACE) if embedder else None,
        )
        return build(context, options)

    def expand(
        self,
        part: Expander,
        query: Query | None = None,
        *,
        filters: Filters | None = None,
        limit: int = 50,
        scope: Scope = SCOPE,
    ) -> Ranking:
        """What the expander makes of the lanes' claims. What is not in sight is claimed for by nobody."""
        now = to_microseconds(NOW)
        with self.store.snapshot(scope, now=now, filters=filters or Filters()) as snapshot:
            rankings = {name: self._ranking(name, snapshot.visible_ids(), limit) for name in self.lanes}
            found = [ranking.ids for ranking in rankings.values()]
            ids = np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
            columns = snapshot.columns(ids) if len(ids) else {}
            request = ExpandRequest(
                query=query or Query.of("?"),
                now=now,
                snapshot=snapshot,
                scope_view=snapshot.scope_view(),
                limit=limit,
                pool=Pool(ids, np.zeros(len(ids)), columns, rankings),
                claims={name: ranking.claims for name, ranking in rankings.items() if ranking.claims is not None},
                weights={name: self.weights.get(name, 1.0) for name in self.lanes},
            )
            return part.expand(request)

    def _ranking(self, name: str, visible: Any, limit: int) -> Ranking:
        values = np.array([self.lanes[name].get(pk, 0.0) for pk in visible.tolist()])
        claims = None if name in self.without_claims else Claims(visible, values)
        return Ranking.best(visible, values, limit, claims=claims)


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    """An empty file."""
    sequence = TurnSequence(Analyser().stem_count)
    with Store.open(tmp_path / "memory.db", clock=ManualClock(NOW), on_connect=load_sqlite_vec) as store:
        store.attach("sequence", sequence, "1")
        store.catch_up()
        yield Talk(store=store, sequence=sequence, vectors=VectorStore(2**28))
