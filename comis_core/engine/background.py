"""The engine's background work: embedding, filling indexes, and what recalls must say while it is not done."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from comis_core.embedding.guard import GuardedEmbedder
from comis_core.embedding.handler import EMBED, EMBED_MISSING, EmbedHandler, MissingHandler
from comis_core.engine.backfill import BACKFILL, BackfillHandler
from comis_core.engine.lag import Lag
from comis_core.engine.spaces import Shelf, Spaces
from comis_core.errors import StoreError
from comis_core.jobs.worker import Worker
from comis_core.model import Scope, to_microseconds
from comis_core.protocols import Clock
from comis_core.store import Store
from comis_core.store.faults import is_locked
from comis_core.store.outbox import Handler, Outbox
from comis_core.store.vectors import VectorStore

if TYPE_CHECKING:
    from comis_core.engine.writing import Enqueue

PATIENCE_SECONDS = 10
"""How long closing waits for the batch in hand; its tasks come back when it does not end."""

OPENING_SECONDS = 0.25
"""So long opening waits for others that write before it leaves indexes that are new here to the background."""

AT_ONCE = 20_000
"""Up to so many memories in the file, an index that is behind catches up while the engine opens."""


class Background:
    """The outbox of one engine and who drains it. A file that is open for reading only has no background work.

    Args:
        spaces: the models in force.

    A scope is quiet as of a number of calls to `wake` when nothing of it was waiting: no recall looks again until the
    next call.
    """

    def __init__(
        self, store: Store, vectors: VectorStore, clock: Clock, log: logging.Logger, spaces: Callable[[], Spaces]
    ) -> None:
        self.outbox = Outbox()
        self.shelf = Shelf(store=store, vectors=vectors, outbox=self.outbox, now=self._now, wake=self.wake)
        self._store = store
        self._clock = clock
        self._spaces = spaces
        self._agents: dict[int, str] = {}
        self._calls = 0
        self._counting = threading.Lock()
        self._quiet: dict[Scope, int] = {}
        self._lag = Lag(store)
        handlers: dict[str, Handler] = {
            EMBED: EmbedHandler(store, vectors, self._embedder, clock, lambda number: spaces().stand_in(number)),
            EMBED_MISSING: MissingHandler(vectors, self.outbox, self._embedder, clock),
            BACKFILL: BackfillHandler(store),
        }
        self._worker = Worker(store, self.outbox, handlers, clock, log, seek=lambda: spaces().seek())

    def start(self, patience: float) -> None:
        """Begin to work, after indexes that are behind have caught up. patience: as for `catch_up`."""
        if not self._store.read_only:
            self.catch_up(patience)
            self._worker.start()

    def wake(self) -> None:
        """Say that there may be something to do."""
        with self._counting:
            self._calls += 1
        self._worker.wake()

    def stored(self, scope: Scope) -> None:
        """Memories of the scope were written: embed them now if that is quick, else soon, if at all."""
        embedder = self._spaces().assembly.embedder(scope.agent)
        if embedder is None:
            return
        self.wake()
        if embedder.inline:
            self._worker.drain()

    def keep_up(self) -> bool:
        """Notice what a process wrote that does not keep these indexes, and catch up with it if that is quick.

        Returns whether a recall would see more now.
        """
        return self._lag.made_up()

    def drain(self) -> int:
        """Do all that is due, in this thread. Returns how many tasks that were."""
        if self._store.read_only:
            return 0
        self._lag.settle()
        return self._worker.drain()

    def stop(self) -> None:
        """Finish the batch in hand and end. Twice is harmless."""
        self._worker.stop(PATIENCE_SECONDS)
        self._lag.stop(PATIENCE_SECONDS)

    def catch_up(self, patience: float) -> None:
        """Bring indexes up to date: now if the file is small and nobody else writes, else in the background.

        patience: seconds that each transaction waits for others.
        """
        if self._store.read_only or not self._store.pending():
            return
        try:
            if self._store.size() <= AT_ONCE:
                self._store.catch_up(patience=patience)
            else:
                self._store.write(
                    lambda tx: self.outbox.enqueue(tx, BACKFILL, 0, [None], now=self._now()), patience=patience
                )
        except StoreError as error:
            if not is_locked(error):
                raise
            self._lag.owe()

    def enqueue(self, scope: Scope) -> Enqueue | None:
        """What asks for new memories of the scope to be embedded, inside the transaction that writes them."""
        spaces = self._spaces()
        if spaces.assembly.embedder(scope.agent) is None:
            return None
        spaces.visit(scope)
        return lambda tx, number, pks: self.outbox.enqueue(tx, EMBED, number, pks, now=self._now())

    def notes(self, scope: Scope) -> tuple[str, ...]:
        """What a recall of the scope may be missing because background work is not done."""
        calls = self._calls
        if self._quiet.get(scope) == calls and not self._lag.left:
            return ()
        number = self._store.scope_number(scope)
        notes = [f"index {name}: {reason}" for name, reason in sorted(self._store.pending().items())]
        notes += filter(None, [self._spaces().note(scope)])
        waiting = self._store.read(lambda tx: self.outbox.pending(tx, now=self._now(), scope=number)).get(EMBED)
        if waiting is not None:
            count = waiting.due + waiting.later
            notes += [f"{count} memories await their embedding"] if count else []
            notes += [f"{waiting.set_aside} memories could not be embedded"] if waiting.set_aside else []
        if not notes:
            self._quiet[scope] = calls
        return tuple(notes)

    def _embedder(self, number: int) -> GuardedEmbedder | None:
        """The embedder of the agent whose scope has this number."""
        if number not in self._agents:
            self._agents = self._store.read(lambda tx: dict(tx.execute("SELECT scope, agent FROM scopes")))
        agent = self._agents.get(number)
        return None if agent is None else self._spaces().assembly.embedder(agent)

    def _now(self) -> int:
        return to_microseconds(self._clock.now())
