"""From specs to one agent's pipeline: built once, in (order, name), frozen; a recall then makes plain method calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import attrs

from comis_core.config import Config, ConflictOptions, RagOptions, SendersOptions, TracesOptions
from comis_core.errors import PluginError
from comis_core.host.building import Builder, bind, is_enabled, weight_of
from comis_core.host.fusion import choose_fusion, fusion_candidates
from comis_core.host.named_parts import silent_names
from comis_core.host.registry import Registry, S
from comis_core.host.stand_ins import stand_ins
from comis_core.model import Degraded, Scope
from comis_core.protocols import CORE_COLUMNS, BuildContext, Column, Lane, Scorer
from comis_core.recall.parts import Bound, Pipeline, RecallSettings
from comis_core.specs import (
    AnalyzerSpec,
    ColumnSpec,
    DiversifierSpec,
    ExpanderSpec,
    LaneSpec,
    ObserverSpec,
    RerankerSpec,
    ScorerSpec,
    Spec,
)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Compiled:
    """A pipeline and what ends it: `close` closes the parts once no recall uses them any more; twice is harmless."""

    pipeline: Pipeline
    close: Callable[[], None]


def compile_agent(
    registry: Registry,
    config: Config,
    scope: Scope,
    context: BuildContext,
    *,
    degraded: Iterable[Degraded] = (),
    notes: Iterable[str] = (),
) -> Compiled:
    """Build the parts that an agent's config enables.

    Args:
        registry: what the plugins offer.
        config: where options come from.
        scope: whose pipeline it is; its agent's keys count.
        context: what parts are built with; its scope and embedder are this agent's.
        degraded: what failed before, for every recall to repeat (an index, the embedder).
        notes: what every recall is to say besides ("no embedder is configured").

    Raises:
        ConfigError: as `check_agent`.
        PluginError: no fusion can be built, or a part failed under `plugins.strict`.
    """
    builder = Builder(context=context, degraded=[*registry.failures, *degraded], notes=list(notes))
    known = len(builder.degraded)
    try:
        pipeline = _Compiler(registry, config, scope, builder).pipeline()
        builder.finish(since=known, strict=registry.strict)
    except BaseException:
        builder.close()
        raise
    return Compiled(pipeline=pipeline, close=builder.close)


def check_agent(registry: Registry, config: Config, agent: str) -> list[str]:
    """What can be told of an agent's pipeline without building it: the notes on its lanes, the names of parts that are
    off, and that no lane can find anything.

    Raises:
        ConfigError: `rag.fusion.method` names no fusion, or none is named and several are the default; or a lane stands
            in for itself.
        PluginError: there is no fusion at all.
    """
    if not fusion_candidates(registry, config, agent):
        raise PluginError("no plugin offers a fusion, and without one nothing is recalled")
    notes = [f"{where}: {words}" for where, words in stand_ins(registry, config, agent).values()]
    notes += silent_names(registry, config, agent)
    if not any(_may_find(spec, config, agent) for spec in registry.specs(LaneSpec)):
        words = f"agent {agent!r}: no lane is enabled with a weight above 0, so"
        bringing = [spec.name for spec in registry.specs(ExpanderSpec) if _may_find(spec, config, agent)]
        enabled = any(is_enabled(_options(spec, config, agent)) for spec in registry.specs(LaneSpec))
        found = f"only what expanders bring can be found ({', '.join(bringing)})"
        notes.append(f"{words} {found if bringing and enabled else 'nothing can be found'}")
    return notes


def _options(spec: Spec, config: Config, agent: str) -> list[Any]:
    return [config.options(section, agent) for section in spec.sections]


def _may_find(spec: LaneSpec | ExpanderSpec, config: Config, agent: str) -> bool:
    options = _options(spec, config, agent)
    return is_enabled(options) and weight_of(spec, options) > 0.0


def settings_of(config: Config, agent: str) -> RecallSettings:
    """The agent's keys that the core itself obeys."""
    rag = config.core(RagOptions, agent)
    conflict = config.core(ConflictOptions, agent)
    return RecallSettings(
        enabled=rag.enabled,
        max_results=rag.max_results,
        max_context_chars=rag.max_context_chars,
        min_score=rag.min_score,
        include_trust_levels=rag.include_trust_levels,
        conflicts=conflict.enabled,
        functional_predicates=conflict.functional_predicates,
        deadline_ms=rag.deadline_ms,
        roles=config.core(SendersOptions, agent).roles(),
        traces_kept=config.core(TracesOptions, agent).keep,
    )


@attrs.frozen(eq=False, repr=False)
class _Compiler:
    """One agent's pipeline in the making."""

    registry: Registry
    config: Config
    scope: Scope
    builder: Builder

    def pipeline(self) -> Pipeline:
        """Build stage by stage."""
        agent = self.scope.agent
        fusion = choose_fusion(self.registry, self.config, agent, self._built, self.builder)
        scorers, columns = self._scorers()
        return Pipeline(
            scope=self.scope,
            settings=settings_of(self.config, agent),
            fusion=fusion,
            analyzers=tuple(self._all(AnalyzerSpec)),
            lanes=self._lanes(),
            expanders=tuple(self._all(ExpanderSpec)),
            reranker=next(self._all(RerankerSpec), None),
            columns=columns,
            scorers=scorers,
            diversifier=next(self._all(DiversifierSpec), None),
            observers=tuple(self._all(ObserverSpec)),
            degraded=tuple(self.builder.degraded),
            notes=tuple(self.builder.notes),
        )

    def _options(self, spec: Spec) -> list[Any]:
        return [self.config.options(section, self.scope.agent) for section in spec.sections]

    def _enabled(self, kind: type[S]) -> Iterator[S]:
        return (spec for spec in self.registry.specs(kind) if is_enabled(self._options(spec)))

    def _built(self, spec: Spec) -> Bound[Any] | None:
        options = self._options(spec)
        part = self.builder.build(spec, options)
        return None if part is None else bind(spec, part, options)

    def _all(self, kind: type[S]) -> Iterator[Bound[Any]]:
        """Every enabled part that can be built; lazy, so that where one is enough only one is built."""
        return (bound for spec in self._enabled(kind) if (bound := self._built(spec)) is not None)

    def _lanes(self) -> tuple[Bound[Lane], ...]:
        """The lanes; a note where one stands in for something that is no lane."""
        said = stand_ins(self.registry, self.config, self.scope.agent)
        lanes = tuple(self._all(LaneSpec))
        self.builder.notes += [said[lane.name][1] for lane in lanes if lane.name in said]
        return lanes

    def _scorers(self) -> tuple[tuple[Bound[Scorer], ...], tuple[Bound[Column], ...]]:
        """The scorers, and the columns that they and nobody else read."""
        columns: dict[str, Bound[Column] | None] = {}
        scorers = []
        for spec in self._enabled(ScorerSpec):
            required = [name for name in spec.requires if name not in CORE_COLUMNS]
            read = [*required, *spec.uses]
            columns |= {name: self._column(name) for name in read if name not in columns}
            missing = next((name for name in required if columns[name] is None), None)
            if missing is not None:
                self._without_column(spec, missing)
            elif (bound := self._built(spec)) is not None:
                scorers.append(bound)
        used = {name for scorer in scorers for name in scorer.requires}
        kept = (column for name, column in columns.items() if name in used and column is not None)
        return tuple(scorers), tuple(sorted(kept, key=lambda column: (column.order, column.name)))

    def _column(self, name: str) -> Bound[Column] | None:
        spec = next((spec for spec in self._enabled(ColumnSpec) if spec.name == name), None)
        return None if spec is None else self._built(spec)

    def _without_column(self, spec: Spec, column: str) -> None:
        words = f"it needs the column {column!r}"
        if ("column", column) in self.builder.inactive:
            self.builder.note(spec, f"{words}, which is inactive")
        else:
            self.builder.fail(spec, f"{words}, which no enabled plugin offers")
