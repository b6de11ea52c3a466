"""What follows from one configuration: parts, embedders, pipelines. A new configuration is a new assembly."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from comis_core.config import Config
from comis_core.embedding.guard import GuardedEmbedder
from comis_core.engine.context import Context
from comis_core.errors import EmbedderError
from comis_core.host import (
    Compiled,
    EmbedderChoice,
    EngineParts,
    Registry,
    build_embedder,
    build_extractors,
    build_idle_indexes,
    build_indexes,
    build_validators,
    compile_agent,
)
from comis_core.model import Degraded, Scope
from comis_core.protocols import Embedder, Extractor, Validator
from comis_core.recall.parts import Bound, Pipeline

if TYPE_CHECKING:
    from comis_core.embedding.cache import VectorCache
    from comis_core.host import BoundIndex

QUERY_SECONDS = 5
"""An embedder that takes longer for a question, or longer than `rag.deadlineMs`, is given up on, and the recall answers
without it."""

DOCUMENT_SECONDS = 600
"""An embedder that takes longer for a batch of memories is given up on; they come back later."""

STANDS_IN = "the embedding model has changed: the former one answers until every memory is embedded anew"

MakeContext = Callable[["Assembly", Scope | None, Embedder | None], Context]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AgentEmbedder:
    """An agent's embedder behind its guard, or None with the reasons."""

    guarded: GuardedEmbedder | None
    degraded: tuple[Degraded, ...]
    notes: tuple[str, ...]
    close: Callable[[], None]


class Assembly:
    """The parts of one configuration. Pipelines are compiled when an agent is first used, and kept.

    Args:
        make_context: what parts are built with: (this assembly, scope, embedder) -> context.
        cache: file of the embedding cache, if there is to be one.
    """

    def __init__(
        self, registry: Registry, settings: Config, make_context: MakeContext, *, cache: VectorCache | None = None
    ) -> None:
        self.registry = registry
        self.settings = settings
        self._make_context = make_context
        self._cache = cache
        self._lock = threading.RLock()
        self._pipelines: dict[tuple[Scope, str], Compiled] = {}
        self._embedders: dict[str, AgentEmbedder] = {}
        context = make_context(self, None, None)
        self._validators = build_validators(registry, settings, context)
        self._indexes = build_indexes(registry, settings, context)
        self._extractors = build_extractors(registry, settings, context)

    @property
    def validators(self) -> tuple[Bound[Validator], ...]:
        """Every enabled validator, in order."""
        return self._validators.parts

    @property
    def indexes(self) -> tuple[BoundIndex, ...]:
        """Every index that some agent needs."""
        return self._indexes.parts

    def idle_indexes(self) -> EngineParts[BoundIndex]:
        """The indexes that no agent needs, built for the caller, who closes them."""
        return build_idle_indexes(self.registry, self.settings, self._make_context(self, None, None))

    @property
    def failures(self) -> tuple[Degraded, ...]:
        """Plugins and parts of the whole engine that could not be loaded or built."""
        parts = (self._validators, self._indexes, self._extractors)
        return (*self.registry.failures, *(each for part in parts for each in part.degraded))

    @property
    def extractors(self) -> tuple[Bound[Extractor], ...]:
        """Every extractor that some agent needs, in order."""
        return self._extractors.parts

    def pipeline(self, scope: Scope, stand_in: GuardedEmbedder | None = None) -> Pipeline:
        """The scope's pipeline, with another embedder than its own if one stands in for that.

        Raises ConfigError or PluginError when it cannot be compiled.
        """
        key = (scope, "" if stand_in is None else stand_in.fingerprint)
        compiled = self._pipelines.get(key)
        if compiled is None:
            with self._lock:
                compiled = self._pipelines.get(key) or self._compile(scope, stand_in)
                self._pipelines[key] = compiled
        return compiled.pipeline

    def embedder(self, agent: str) -> GuardedEmbedder | None:
        """The agent's embedder, if it has one."""
        return self._embedder(agent).guarded

    def close(self) -> None:
        """Close every part, pipelines first. Twice is harmless."""
        with self._lock:
            compiled, self._pipelines = list(self._pipelines.values()), {}
            embedders, self._embedders = list(self._embedders.values()), {}
        ends = [each.close for each in compiled] + [each.close for each in embedders]
        for close in (*ends, self._extractors.close, self._indexes.close, self._validators.close):
            close()

    def _compile(self, scope: Scope, stand_in: GuardedEmbedder | None) -> Compiled:
        chosen = self._embedder(scope.agent)
        parts = (self._validators, self._indexes, self._extractors)
        return compile_agent(
            self.registry,
            self.settings,
            scope,
            self._make_context(self, scope, stand_in or chosen.guarded),
            degraded=(*(each for part in parts for each in part.degraded), *chosen.degraded),
            notes=(*(each for part in parts for each in part.notes), *chosen.notes, *([STANDS_IN] if stand_in else [])),
        )

    def _embedder(self, agent: str) -> AgentEmbedder:
        with self._lock:
            if agent not in self._embedders:
                context = self._make_context(self, None, None)
                self._embedders[agent] = self._guard(
                    agent, build_embedder(self.registry, self.settings, agent, context)
                )
            return self._embedders[agent]

    def _guard(self, agent: str, choice: EmbedderChoice) -> AgentEmbedder:
        bound = choice.embedder
        guarded, degraded = None, choice.degraded
        if bound is not None:
            try:
                guarded = GuardedEmbedder(
                    bound.part,
                    plugin=bound.plugin,
                    cache=self._cache,
                    query_seconds=min(QUERY_SECONDS, self.settings.setting("rag.deadlineMs", agent) / 1000),
                    document_seconds=DOCUMENT_SECONDS,
                )
            except EmbedderError as error:
                degraded = (*degraded, Degraded(plugin=bound.plugin, stage="embedder", reason=error.message))
        return AgentEmbedder(guarded=guarded, degraded=degraded, notes=choice.notes, close=choice.close)
