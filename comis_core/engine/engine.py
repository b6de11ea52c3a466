"""The engine: one file and one configuration, for any number of agents and threads."""

from __future__ import annotations

import logging
import time
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import attrs

from comis_core import arguments
from comis_core.config import Config, MemoryOptions, SendersOptions
from comis_core.engine.assembly import Assembly
from comis_core.engine.background import OPENING_SECONDS, Background
from comis_core.engine.context import Context
from comis_core.engine.derived import Derived, derived_of
from comis_core.engine.resources import Resources
from comis_core.engine.spaces import Spaces
from comis_core.errors import ComisError
from comis_core.host import PluginReport, Registry
from comis_core.model import Recall, Scope, to_microseconds
from comis_core.protocols import Clock, Embedder
from comis_core.recall import Supervisor, recall, search
from comis_core.recall.parts import Pipeline
from comis_core.senders import Roles
from comis_core.store import Store
from comis_core.store.sequence import TurnSequence
from comis_core.store.spaces import Space
from comis_core.store.vectors import VectorStore
from comis_core.text import Analyser

if TYPE_CHECKING:
    from comis_core.agent import Agent
    from comis_core.embedding.cache import VectorCache
    from comis_core.engine.diagnosis import Diagnosis
    from comis_core.engine.traces import Traces
    from comis_core.engine.turns import Turns
    from comis_core.engine.writing import Writes
    from comis_core.tenant import Tenant

MEGABYTE = 1024 * 1024


class Engine:
    """One memory file under one configuration. `comis_core.open` makes it; close it, or use it as a context manager.

    Usable from any thread. Two engines share nothing, in one process or several, on one file or two. What neither
    opening nor recalling needs is imported by the methods that do.
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
        self._resources = Resources(self.log)
        self._supervisor = Supervisor(log=self.log, text=self.text)
        self._cache: VectorCache | None = None
        if embedding_cache is not None:
            from comis_core.embedding.cache import VectorCache

            self._cache = VectorCache(embedding_cache, clock=clock)
        self._background = Background(store, self._vectors, clock, self.log, lambda: self._spaces)
        assembly = Assembly(registry, settings, self._context, cache=self._cache)
        self._spaces = Spaces(assembly, None, self._background.shelf)
        self._retired: list[Assembly] = []
        self._background.start(self._attach())

    # -- agents

    def agent(self, name: str = "default", tenant: str = "default", *, admin: bool = False) -> Agent:
        """A handle on one agent's memory. An `admin` handle may store, change, remove and hide system memories."""
        from comis_core.agent import Agent

        return Agent(self, Scope(tenant, name), arguments.a_flag("admin", admin))

    def tenant(self, name: str) -> Tenant:
        """An operator's view over all agents of a tenant."""
        from comis_core.tenant import Tenant

        return Tenant(self, Scope(name, "any").tenant)

    def scopes(self) -> list[Scope]:
        """Every scope that was ever stored to."""
        return self.store.scopes()

    def clear(self, tenant: str, agent: str | None = None) -> int:
        """Remove the non-system, non-pinned memories of a tenant, or of one of its agents. Returns how many."""
        Scope(tenant, agent if agent is not None else "any")
        return self.store.clear(tenant, agent)

    # -- recall

    def pipeline(self, agent: str = "default", tenant: str = "default") -> Pipeline:
        """The agent's pipeline as it is compiled; with the former model while another one's vectors are being made."""
        return self._spaces.pipeline(Scope(tenant, agent))

    def ask(
        self, scope: Scope, text: str, *, kind: str, now: int, keep_trace: bool | None = None, **options: Any
    ) -> Recall:
        """One recall ("recall") or search ("search") of a scope; see `Agent.recall` and `Agent.search`."""
        walk = recall if kind == "recall" else search
        began = time.monotonic()
        pipeline = self._spaces.pipeline(scope)
        with self.text.remembering():
            answer = walk(pipeline, self.store, text, now=now, supervisor=self._supervisor, **options)
            if self._background.keep_up():
                answer = walk(pipeline, self.store, text, now=now, supervisor=self._supervisor, **options)
        if notes := self._background.notes(scope):
            answer = attrs.evolve(answer, notes=(*answer.notes, *notes))
        standing = pipeline.settings.traces_kept
        if not (standing if keep_trace is None else keep_trace):
            return answer
        left = began + pipeline.settings.deadline_ms / 1000 - time.monotonic()
        return self.traces.kept(scope, answer, asked=bool(keep_trace), standing=standing, seconds=left)

    @property
    def traces(self) -> Traces:
        """How answers came about, as far as it was kept."""
        from comis_core.engine.traces import Traces

        return Traces(store=self.store, supervisor=self._supervisor, pipeline=self._spaces.pipeline)

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
    def turns(self) -> Turns:
        """How the end of a turn is told to observers."""
        from comis_core.engine.turns import Turns

        return Turns(store=self.store, observers=lambda scope: self._assembly.pipeline(scope).observers, log=self.log)

    @property
    def writes(self) -> Writes:
        """How memories get into the file."""
        from comis_core.engine.writing import Writes

        assembly = self._assembly
        return Writes(
            store=self.store,
            text=self.text,
            validators=assembly.validators,
            extractors=assembly.extractors,
            enqueue=self._background.enqueue,
            stored=self._background.stored,
            now=lambda: to_microseconds(self.clock.now()),
            log=self.log,
        )

    def reconfigure(self, config: Any = None, *, preset: str | None = None, **options: Any) -> None:
        """Put another configuration in force. Recalls that run finish on the old one.

        Another embedding model makes its vectors in the background; meanwhile the former one answers. Its vectors stay
        in the file until `drop_space`.

        Args:
            config, preset, options: as for `load_settings`; `memory.dbPath`, `walMode` and `language` stay as they
                are, and a warning in the log says so if the new configuration has them otherwise.

        Raises:
            ConfigError, PluginError: the configuration cannot be used; the old one stays in force.
        """
        from comis_core.engine.opening import load_settings, unchanged, with_tables

        loaded = load_settings(config, preset=preset, **options)
        registry = with_tables(loaded.registry, self.store)
        assembly = Assembly(registry, loaded.settings, self._context, cache=self._cache)
        spaces = Spaces(assembly, self._spaces, self._background.shelf)
        try:
            spaces.adopt()
        except BaseException:
            assembly.close()
            raise
        for words in unchanged(self.store.path, self.settings, loaded.settings):
            self.log.warning("reconfigure: %s", words)
        self._retired.append(self._assembly)
        former = {derived.name for derived in self._derived()}
        self._spaces = spaces
        patience = self._attach()
        for name in sorted(former - {derived.name for derived in self._derived()}):
            self.store.detach(name)
        self._background.catch_up(patience)
        self._background.wake()

    def drain(self) -> int:
        """Do all background work that is due, in this thread. Returns how many tasks that were."""
        return self._background.drain()

    def restored(self, scope: Scope) -> None:
        """Say that memories of the scope have come back into sight, which its model may not have seen."""
        self._spaces.recheck(scope)

    def embedding_spaces(self) -> list[Space]:
        """The embedding spaces of the file, each with the number of memories that have a vector in it."""
        return self.store.read(self._vectors.spaces)

    def drop_space(self, fingerprint: str) -> int:
        """Remove the vectors of an embedding model that is no longer used. Returns how many memories had one.

        Raises:
            ComisError: the file has no such space, or an agent of this configuration uses it.
        """
        known = [space.fingerprint for space in self.embedding_spaces()]
        if arguments.a_text("fingerprint", fingerprint) not in known:
            raise ComisError(
                f"{self.path} has no embedding space {fingerprint!r}",
                hint=f"known: {', '.join(known)}" if known else "it has none",
            )
        users = [scope for scope in self.scopes() if fingerprint in self._spaces.fingerprints(scope)]
        if users:
            raise ComisError(f"the embedding space {fingerprint!r} is in use, for instance by {users[0]}")
        return self.store.write(lambda tx: self._vectors.drop_space(tx, fingerprint))

    def vacuum(self) -> tuple[str, ...]:
        """Rewrite the file without anything of what was deleted.

        Returns:
            Derived indexes that could not be tidied because their plugin is not here: words of deleted memories may be
            left in their tables. Empty when nothing is left.
        """
        with closing(self._assembly.idle_indexes()) as idle:
            attached = {derived.name for derived in self._derived()}
            visitors = [bound for bound in idle.parts if bound.name in self.store.known_indexes() - attached]
            for bound in visitors:
                self.store.attach(bound.name, bound.index, bound.version)
            try:
                self.store.catch_up()
                self.store.vacuum()
                left = self.store.known_indexes() - attached - {bound.name for bound in visitors}
                return tuple(sorted(left | self.store.pending().keys()))
            finally:
                for bound in visitors:
                    self.store.detach(bound.name)

    def backup(self, path: Path | str) -> None:
        """Copy the file, as it is now, to a path where there is nothing yet; others may read and write meanwhile."""
        self.store.backup(arguments.a_file("path", path))

    def doctor(self, *, repair: bool = False) -> Diagnosis:
        """Compare every derived table with the truth, and the truth with itself; others may read and write meanwhile.

        Args:
            repair: build derived tables again where they are not sound. Nothing that was stored is touched.
        """
        from comis_core.engine.diagnosis import Diagnosis, Problem
        from comis_core.engine.doctor import Doctor

        doctor = Doctor(
            store=self.store,
            indexes=self._derived(),
            vectors=self._vectors,
            outbox=self._background.outbox,
            now=lambda: to_microseconds(self.clock.now()),
        )
        repaired = doctor.repair() if arguments.a_flag("repair", repair) else []
        if repaired:
            self._spaces.recheck_all()
        problems = [
            Problem(area="plugins", what=str(failure), remedy="see `comis plugins list`")
            for failure in self._assembly.failures
        ]
        return Diagnosis(
            path=self.path, problems=(*problems, *doctor.examine()), repaired=tuple(repaired), facts=doctor.facts()
        )

    def close(self) -> None:
        """Finish the work in hand and close the file; what is left to do waits in it. Twice is harmless.

        Nobody waits for another process's lock for more than a moment: a write or a read of another thread that does so
        fails, and what was in the background's hands is taken up again after the file is opened next.
        """
        self.store.stop_waiting()
        self._background.stop()
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
        roles = Roles() if agent is None else assembly.settings.core(SendersOptions, agent).roles()
        return Context(
            clock=self.clock,
            log=self.log,
            text=self.text,
            vectors=self._vectors,
            sequence=self._sequence.seen_with(roles),
            folder=str(assembly.settings.folder),
            scope=scope,
            roles=roles,
            embedder=embedder,
            judge=lambda text, purpose: self.writes.findings(text, purpose),
            shared=self._resources.get,
            settings=lambda path: assembly.settings.setting(path, agent),
            known_scopes=self.store.scopes,
        )

    def _attach(self) -> float:
        """Keep the indexes of the configuration up; returns what patience is left with others that write."""
        patience = OPENING_SECONDS
        for derived in self._derived():
            if not self.store.attach(derived.name, derived.index, derived.version, patience=patience):
                patience = 0.0
        return patience

    def _derived(self) -> list[Derived]:
        return derived_of(self._assembly.registry, self._assembly.indexes, self._sequence, self.text)

    @property
    def _assembly(self) -> Assembly:
        """The parts in force."""
        return self._spaces.assembly
