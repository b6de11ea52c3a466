"""The engine: one file and one configuration, for any number of agents and threads."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import attrs

from comis_core.config import Config, MemoryOptions
from comis_core.embedding.cache import VectorCache
from comis_core.embedding.guard import GuardedEmbedder
from comis_core.embedding.handler import EMBED, EMBED_MISSING, EmbedHandler, MissingHandler, embed_missing
from comis_core.engine.assembly import Assembly
from comis_core.engine.backfill import BACKFILL, BackfillHandler
from comis_core.engine.context import Context
from comis_core.engine.resources import Resources
from comis_core.engine.writing import Enqueue, Writes
from comis_core.host import PluginReport, Registry
from comis_core.jobs.worker import Worker
from comis_core.model import Filters, Recall, Scope, to_microseconds
from comis_core.protocols import Clock, Embedder
from comis_core.recall import Supervisor, recall, search
from comis_core.recall.parts import Pipeline
from comis_core.store import Store
from comis_core.store.outbox import Handler, Outbox
from comis_core.store.sequence import VERSION, TurnSequence
from comis_core.store.vectors import VectorStore
from comis_core.text import Analyser

if TYPE_CHECKING:
    from comis_core.agent import Agent
    from comis_core.tenant import Tenant

MEGABYTE = 1024 * 1024
PATIENCE_SECONDS = 10
"""How long closing waits for the batch in hand; its tasks come back when it does not end."""
AT_ONCE = 20_000
"""Up to so many memories in the file, an index that is behind catches up while the engine opens."""


class Engine:
    """One memory file under one configuration. `comis_core.open` makes it; close it, or use it as a context manager.

    Usable from any thread. Two engines share nothing, in one process or several, on one file or two.
    """

    def __init__(
        self,
        *,
        store: Store,
        registry: Registry,
        settings: Config,
        clock: Clock,
        embedding_cache: Path | None = None,
    ) -> None:
        self.log = logging.getLogger("comis_core")
        self.store = store
        self.clock = clock
        self.path = store.path
        memory = settings.core(MemoryOptions)
        self.text = Analyser(memory.language)
        self._vectors = VectorStore(memory.vector_budget_mb * MEGABYTE)
        self._sequence = TurnSequence(self.text.stem_count)
        self._outbox = Outbox()
        self._resources = Resources(self.log)
        self._supervisor = Supervisor(log=self.log, text=self.text)
        self._cache = None if embedding_cache is None else VectorCache(embedding_cache, clock=clock)
        self._assembly = Assembly(registry, settings, self._context, cache=self._cache)
        self._retired: list[Assembly] = []
        self._agents: dict[Any, Any] = {}
        self._attach()
        self._worker = Worker(store, self._outbox, self._handlers(), clock, self.log)
        self._unsettled = not store.read_only
        if not store.read_only:
            self._catch_up()
            self._worker.start()

    # -- agents

    def agent(self, name: str = "default", tenant: str = "default", *, admin: bool = False) -> Agent:
        """A handle on one agent's memory. An `admin` handle may store and change system memories."""
        from comis_core.agent import Agent

        return Agent(self, Scope(tenant, name), admin)

    def tenant(self, name: str) -> Tenant:
        """An operator's view over all agents of a tenant."""
        from comis_core.tenant import Tenant

        return Tenant(self, name)

    def scopes(self) -> list[Scope]:
        """Every scope that was ever stored to."""
        return self.store.scopes()

    def clear(self, tenant: str, agent: str | None = None) -> int:
        """Remove the non-system, non-pinned memories of a tenant, or of one of its agents. Returns how many."""
        Scope(tenant, agent if agent is not None else "any")
        return self.store.clear(tenant, agent)

    # -- recall

    def pipeline(self, agent: str = "default", tenant: str = "default") -> Pipeline:
        """The agent's pipeline as it is compiled."""
        return self._assembly.pipeline(Scope(tenant, agent))

    def ask(self, scope: Scope, text: str, *, kind: str, now: int, **options: Any) -> Recall:
        """One recall ("recall") or search ("search") of a scope; see `Agent.recall` and `Agent.search`."""
        walk = recall if kind == "recall" else search
        answer = walk(self._assembly.pipeline(scope), self.store, text, now=now, supervisor=self._supervisor, **options)
        notes = self._pending_notes(scope) if self._unsettled else ()
        return attrs.evolve(answer, notes=(*answer.notes, *notes)) if notes else answer

    # -- the file

    @property
    def settings(self) -> Config:
        """The configuration in force."""
        return self._assembly.settings

    @property
    def plugins(self) -> tuple[PluginReport, ...]:
        """Every installed plugin and what became of it."""
        return self._assembly.registry.reports

    @property
    def writes(self) -> Writes:
        """How memories get into the file."""
        assembly = self._assembly
        return Writes(
            store=self.store,
            validators=assembly.validators,
            extractors=assembly.extractors,
            enqueue=self._enqueue,
            stored=self._stored,
            now=self._now,
            log=self.log,
        )

    def reconfigure(self, config: Any = None, *, preset: str | None = None, **options: Any) -> None:
        """Put another configuration in force. Recalls that run finish on the old one.

        Args:
            config, preset, options: as for `load_settings`; `memory.dbPath`, `walMode` and `language` stay as they are.

        Raises:
            ConfigError: the configuration is wrong; the old one stays in force.
        """
        from comis_core.engine.opening import load_settings

        loaded = load_settings(config, preset=preset, **options)
        assembly = Assembly(loaded.registry, loaded.settings, self._context, cache=self._cache)
        self._retired.append(self._assembly)
        self._assembly = assembly
        self._attach()
        if not self.store.read_only:
            self._catch_up()

    def drain(self) -> int:
        """Do all background work that is due, in this thread. Returns how many tasks that were."""
        return 0 if self.store.read_only else self._worker.drain()

    def vacuum(self) -> None:
        """Rewrite the file without anything of what was deleted."""
        self.store.vacuum()

    def backup(self, path: Path | str) -> None:
        """Copy the file, as it is now, to a path where there is nothing yet; others may read and write meanwhile."""
        self.store.backup(path)

    def close(self) -> None:
        """Finish the work in hand and close the file; what is left to do waits in it. Twice is harmless."""
        self._worker.stop(PATIENCE_SECONDS)
        for assembly in (self._assembly, *reversed(self._retired)):
            assembly.close()
        self._retired.clear()
        self._resources.close()
        if self._cache is not None:
            self._cache.close()
        self.store.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    # -- inside

    def _context(self, assembly: Assembly, scope: Scope | None, embedder: Embedder | None) -> Context:
        agent = scope.agent if scope is not None else None
        return Context(
            clock=self.clock,
            log=self.log,
            text=self.text,
            vectors=self._vectors,
            sequence=self._sequence,
            folder=str(assembly.settings.folder),
            scope=scope,
            embedder=embedder,
            judge=assembly.judge,
            shared=self._resources.get,
            settings=lambda path: assembly.settings.setting(path, agent),
            known_scopes=self.store.scopes,
        )

    def _attach(self) -> None:
        self.store.attach("sequence", self._sequence, f"{VERSION}-{self.text.fingerprint_id}")
        for bound in self._assembly.indexes:
            self.store.attach(bound.name, bound.index, bound.version)

    def _catch_up(self) -> None:
        """Bring indexes up to date: now if the file is small, else in the background."""
        if not self.store.pending():
            return
        if self.store.size() <= AT_ONCE:
            self.store.catch_up()
        else:
            self.store.write(lambda tx: self._outbox.enqueue(tx, BACKFILL, 0, [None], now=self._now()))

    def _handlers(self) -> Mapping[str, Handler]:
        return {
            EMBED: EmbedHandler(self.store, self._vectors, self._embedder_for, self.clock),
            EMBED_MISSING: MissingHandler(self._vectors, self._outbox, self._embedder_for, self.clock),
            BACKFILL: BackfillHandler(self.store),
        }

    def _embedder_for(self, number: int) -> GuardedEmbedder | None:
        """The embedder of the agent whose scope has this number."""
        if number not in self._agents:
            rows = self.store.write(lambda tx: list(tx.execute("SELECT scope, agent FROM scopes")))
            self._agents |= dict(rows)
        agent = self._agents.get(number)
        return None if agent is None else self._assembly.embedder(agent)

    def _enqueue(self, scope: Scope) -> Enqueue | None:
        if self._assembly.embedder(scope.agent) is None:
            return None
        return lambda tx, number, pks: self._outbox.enqueue(tx, EMBED, number, pks, now=self._now())

    def _ready(self, scope: Scope) -> Pipeline:
        """The scope's pipeline. At first use, memories that its embedder has not seen yet are asked for."""
        assembly = self._assembly
        pipeline = assembly.pipeline(scope)
        embedder = assembly.embedder(scope.agent)
        if embedder is not None and not self.store.read_only and assembly.first_use(scope):
            number = self.store.scope_number(scope)
            space = embedder.fingerprint
            ask = lambda tx: embed_missing(tx, self._outbox, self._vectors, space, number, now=self._now())  # noqa: E731
            if self.store.write(ask):
                self._stored()
        return pipeline

    def _stored(self) -> None:
        self._unsettled = True
        self._worker.wake()

    def _pending_notes(self, scope: Scope) -> tuple[str, ...]:
        """What a recall may be missing because background work is not done."""
        now = self._now()
        behind = self.store.pending()
        with self.store.snapshot(scope, now=now, filters=Filters()) as reader:
            pending = self._outbox.pending(reader, now=now, scope=reader.scope)
        notes = [f"index {name}: {reason}" for name, reason in sorted(behind.items())]
        if waiting := pending.get(EMBED):
            count = waiting.due + waiting.later
            notes += [f"{count} memories await their embedding"] if count else []
            notes += [f"{waiting.set_aside} memories could not be embedded"] if waiting.set_aside else []
        self._unsettled = bool(notes)
        return tuple(notes)

    def _now(self) -> int:
        return to_microseconds(self.clock.now())
