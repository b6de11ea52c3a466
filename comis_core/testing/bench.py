"""A small real store with a plugin attached: what the rules of the conformance kit run against."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from comis_core.clock import ManualClock
from comis_core.config import Config, SendersOptions, read, structure
from comis_core.engine.context import Context
from comis_core.engine.resources import Resources
from comis_core.errors import PluginError
from comis_core.host import Host, Registry, discover
from comis_core.host.building import check_part, close_part
from comis_core.host.embedder import AUTO, configured_model
from comis_core.model import Filters, NewMemory, Query, Scope, from_microseconds, to_microseconds
from comis_core.protocols import Index, SearchRequest
from comis_core.senders import Roles
from comis_core.specs import EmbedderSpec, IndexSpec, Preset, Spec
from comis_core.testing import corpus
from comis_core.testing.embedder import ToyEmbedder
from comis_core.text import Analyser

if TYPE_CHECKING:
    from comis_core.store import Store
    from comis_core.store.reader import StoreReader
    from comis_core.store.sequence import TurnSequence
    from comis_core.store.vectors import VectorStore

log = logging.getLogger(__name__)


def load_plugin(plugin: str | object) -> tuple[str, Registry]:
    """The registry in which a plugin is enabled, and its name there.

    Args:
        plugin: the name of an installed plugin, or the plugin itself: a module or object with hook implementations.

    Raises:
        PluginError: it cannot be loaded, and why.
    """
    name = plugin if isinstance(plugin, str) else _installed_name(plugin)
    if name is None:
        name = str(getattr(plugin, "__name__", "given")).rpartition(".")[2]
        registry = Host(extra={name: plugin}).load()
    else:
        registry = Host(enable=[name]).load()
    report = registry.report(name)
    assert report is not None
    if report.state != "active" or report.reason:
        raise PluginError(f"{report.label} is {report.state}: {report.reason}")
    return name, registry


def _installed_name(plugin: object) -> str | None:
    """The name under which a module is installed; one object cannot be two plugins."""
    module = getattr(plugin, "__name__", None)
    return next((name for name, claims in discover().claims.items() if claims[0].entry_point == module), None)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Bench:
    """A store with several scopes, the plugin's own indexes and tables, and everything that a part may ask for.

    Made by `Bench.open`; `close` when done.
    """

    plugin: str
    registry: Registry
    config: Config
    store: Store
    clock: ManualClock
    vectors: VectorStore
    sequence: TurnSequence
    resources: Resources
    indexes: dict[str, Index] = attrs.field(factory=dict)
    """The plugin's indexes, attached to the store."""

    @classmethod
    def open(cls, folder: Path, plugin: str | object, config: Mapping[str, Any] | None = None) -> Bench:
        """Make the store in an empty folder and fill it.

        Args:
            folder: where the file goes; relative paths of models start here too.
            plugin: the name of an installed plugin, or a module or object with hook implementations.
            config: what a config.yaml would say, e.g. where a model lies; the agent is called "home".

        Raises:
            PluginError: the plugin cannot be loaded. ConfigError: the config is wrong.
        """
        from comis_core.store import Store
        from comis_core.store.sequence import TurnSequence
        from comis_core.store.vectors import VectorStore, load_sqlite_vec

        name, registry = load_plugin(plugin)
        clock = ManualClock(corpus.NOW)
        store = Store.open(
            folder / "memory.db", clock=clock, migrations=registry.migrations(), on_connect=load_sqlite_vec
        )
        bench = cls(
            plugin=name,
            registry=registry,
            config=structure(read(config or {}), registry.schema(), registry.presets),
            store=store,
            clock=clock,
            vectors=VectorStore(),
            sequence=TurnSequence(Analyser().stem_count),
            resources=Resources(log),
        )
        try:
            bench._attach()
            bench._fill()
        except BaseException:
            bench.close()
            raise
        return bench

    def close(self) -> None:
        """Close everything; twice is harmless."""
        for index in self.indexes.values():
            close_part(index)
        self.resources.close()
        self.store.close()

    # -- the plugin's parts

    def specs(self) -> list[Spec | Preset]:
        """What the plugin contributes, in the order of the stages."""
        return self.registry.contributions(self.plugin)

    def options(self, spec: Spec) -> list[Any]:
        """The spec's options, one object a section."""
        return [self.config.options(section, corpus.HOME.agent) for section in spec.sections]

    def build(self, spec: Spec, scope: Scope = corpus.HOME) -> Any:
        """A part as an agent of the scope would have it. Raises what `build` raises, and ContractError."""
        leading = [self._model()] if isinstance(spec, EmbedderSpec) else []
        part = spec.build(self.context(scope), *leading, *self.options(spec))
        check_part(part, spec)
        return part

    def _model(self) -> str | None:
        model, _ = configured_model(self.config, corpus.HOME.agent)
        return None if model == AUTO else model

    @contextmanager
    def part(self, spec: Spec, scope: Scope = corpus.HOME) -> Iterator[Any]:
        """`build`, and close the part at the end."""
        part = self.build(spec, scope)
        try:
            yield part
        finally:
            close_part(part)

    def context(self, scope: Scope | None = corpus.HOME) -> Context:
        """What parts are built with; the embedder is a toy one."""
        roles = Roles() if scope is None else self.config.core(SendersOptions, scope.agent).roles()
        return Context(
            clock=self.clock,
            log=log,
            text=Analyser(),
            vectors=self.vectors,
            sequence=self.sequence.seen_with(roles),
            folder=str(self.store.path.parent),
            scope=scope,
            roles=roles,
            embedder=ToyEmbedder(),
            judge=lambda text, purpose: [],
            shared=self.resources.get,
            settings=self.config.setting,
            known_scopes=self.store.scopes,
        )

    # -- reading

    @property
    def now(self) -> int:
        """The present moment in epoch microseconds."""
        return to_microseconds(self.clock.now())

    @contextmanager
    def snapshot(self, scope: Scope = corpus.HOME, filters: Filters | None = None) -> Iterator[StoreReader]:
        """A read transaction on a scope."""
        with self.store.snapshot(scope, now=self.now, filters=filters or Filters()) as reader:
            yield reader

    def request(self, reader: StoreReader, text: str, *, limit: int = 10) -> SearchRequest:
        """What a lane receives."""
        return SearchRequest(
            query=Query.of(text, asker="ana"),
            now=self.now,
            snapshot=reader,
            scope_view=reader.scope_view(),
            limit=limit,
        )

    # -- writing

    def add(self, scope: Scope, memories: Sequence[NewMemory]) -> list[str]:
        """Store memories with their vectors; their ids."""
        result = self.store.add(scope, memories, allow_system=True)
        assert not result.rejected, result.rejected
        self._embed(scope)
        return [row.id for row in result.stored]

    def refill(self, name: str, index: Index, version: str) -> None:
        """Empty an index of the plugin and let the store fill it again, as after a change of version."""
        self.store.attach(name, index, version)
        self.store.catch_up()

    def _attach(self) -> None:
        self.store.attach("sequence", self.sequence, "1")
        for spec in self.specs():
            if isinstance(spec, IndexSpec):
                index = spec.build(self.context(None), *self.options(spec))
                check_part(index, spec)
                self.indexes[spec.name] = index
                self.store.attach(spec.name, index, "1")
        self.store.catch_up()

    def _fill(self) -> None:
        for scope in (corpus.NEIGHBOUR, corpus.STRANGER):
            self.add(scope, corpus.NEIGHBOURS)
        self.add(corpus.HOME, [*corpus.CONVERSATION, *corpus.FACTS, *corpus.SCRIPTS])
        _, evicted, deleted, updated = self.add(corpus.HOME, corpus.HIDDEN)
        self.store.evict(corpus.HOME, [evicted])
        self.store.delete(corpus.HOME, [deleted])
        self.clock.advance(_SECOND)
        self.store.update(corpus.HOME, updated, content="Ana lives in Lisbon, second version.")
        self._embed(corpus.HOME)

    def _embed(self, scope: Scope) -> None:
        import numpy as np

        embedder = ToyEmbedder()
        with self.snapshot(scope) as reader:
            number = reader.scope
            pks = self.vectors.missing(reader, embedder.fingerprint, number, 1_000)
            ids = np.intersect1d(reader.visible_ids(), np.array(pks, np.int64))
            vectors = embedder.embed(reader.texts(ids), "document")
        rows = {pk: [vector] for pk, vector in zip(ids.tolist(), vectors, strict=True)}
        self.store.write(lambda tx: self.vectors.write(tx, embedder.fingerprint, embedder.dimensions, number, rows))


_SECOND = from_microseconds(1_000_000) - from_microseconds(0)
