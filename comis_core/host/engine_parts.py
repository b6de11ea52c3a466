"""Parts that are built once an engine, not once an agent: indexes, extractors, validators."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

import attrs

from comis_core.config import Config
from comis_core.errors import ComisError
from comis_core.host.building import Builder, bind, is_enabled
from comis_core.host.guard import guarded, one_line
from comis_core.host.registry import KINDS, Registry, S
from comis_core.model import Degraded
from comis_core.protocols import BuildContext, Extractor, Index, Validator
from comis_core.recall.parts import Bound
from comis_core.specs import ExtractorSpec, IndexSpec, Spec, ValidatorSpec

P = TypeVar("P")

DERIVING = (IndexSpec, ExtractorSpec)
"""What serves others; it is never itself a reason to keep something up."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class EngineParts(Generic[P]):
    """Parts in (order, name), and what became of the others. `close` closes them; twice is harmless."""

    parts: tuple[P, ...]
    degraded: tuple[Degraded, ...]
    notes: tuple[str, ...]
    close: Callable[[], None]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BoundIndex:
    """A built index. version: rows of another one are rebuilt."""

    name: str
    plugin: str
    index: Index
    version: str


def build_indexes(registry: Registry, config: Config, context: BuildContext) -> EngineParts[BoundIndex]:
    """Build the indexes that some agent needs.

    An index is kept up while any agent enables a part that it serves; one that serves nobody in particular always.
    Options that live below an agent are those of agents that the file does not name.

    Raises:
        PluginError: one failed under `plugins.strict`.
    """
    return _build(registry, config, context, _needed(registry, config, IndexSpec), _bound_index)


def build_idle_indexes(registry: Registry, config: Config, context: BuildContext) -> EngineParts[BoundIndex]:
    """Build the other indexes, which nobody needs now: their tables may hold rows from a time when somebody did."""
    needed = _needed(registry, config, IndexSpec)
    idle = [spec for spec in registry.specs(IndexSpec) if spec not in needed]
    return _build(attrs.evolve(registry, strict=False), config, context, idle, _bound_index)


def build_extractors(registry: Registry, config: Config, context: BuildContext) -> EngineParts[Bound[Extractor]]:
    """Build the extractors that some agent needs; the rules are those of `build_indexes`."""
    return _build(registry, config, context, _needed(registry, config, ExtractorSpec), _bound)


def build_validators(registry: Registry, config: Config, context: BuildContext) -> EngineParts[Bound[Validator]]:
    """Build every enabled validator."""
    return _build(registry, config, context, _wanted(registry, config, ValidatorSpec), _bound)


def enabled_names(registry: Registry, config: Config) -> frozenset[str]:
    """The names of all parts that at least one agent enables, agents that the file does not name included."""
    kinds = [kind for kind in KINDS if kind not in DERIVING]
    return frozenset(spec.name for kind in kinds for spec in _wanted(registry, config, kind))


def _needed(registry: Registry, config: Config, kind: type[S]) -> list[S]:
    names = enabled_names(registry, config)
    wanted = _wanted(registry, config, kind)
    return [spec for spec in wanted if not (serves := getattr(spec, "serves", ())) or names.intersection(serves)]


def _wanted(registry: Registry, config: Config, kind: type[S]) -> list[S]:
    agents = (None, *config.agents)
    return [spec for spec in registry.specs(kind) if any(is_enabled(_options(config, spec, each)) for each in agents)]


def _options(config: Config, spec: Spec, agent: str | None = None) -> list[Any]:
    return [config.options(section, agent) for section in spec.sections]


def _build(
    registry: Registry,
    config: Config,
    context: BuildContext,
    specs: Iterable[Spec],
    make: Callable[[Builder, Any, Any, list[Any]], P | None],
) -> EngineParts[P]:
    builder = Builder(context=context)
    try:
        parts = []
        for spec in specs:
            options = _options(config, spec)
            part = builder.build(spec, options)
            made = None if part is None else make(builder, spec, part, options)
            if made is not None:
                parts.append(made)
        builder.finish(strict=registry.strict)
    except BaseException:
        builder.close()
        raise
    return EngineParts(
        parts=tuple(parts), degraded=tuple(builder.degraded), notes=tuple(builder.notes), close=builder.close
    )


def _bound(builder: Builder, spec: Spec, part: Any, options: list[Any]) -> Bound[Any]:
    return bind(spec, part, options)


def _bound_index(builder: Builder, spec: IndexSpec, part: Any, options: list[Any]) -> BoundIndex | None:
    try:
        version = spec.version if isinstance(spec.version, str) else guarded(spec.version, builder.context, *options)
    except ComisError as error:
        builder.fail(spec, f"version raised {one_line(str(error))}")
        return None
    return BoundIndex(name=spec.name, plugin=str(spec.plugin), index=part, version=str(version))
