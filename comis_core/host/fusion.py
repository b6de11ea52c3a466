"""Which fusion an agent has: the one its config names, else the one that declares itself the default."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from comis_core.config import Config, FusionOptions
from comis_core.errors import ConfigError, PluginError
from comis_core.host.building import Builder
from comis_core.host.guard import did_you_mean
from comis_core.host.registry import Registry
from comis_core.model import Degraded
from comis_core.protocols import Fusion
from comis_core.recall.parts import Bound
from comis_core.specs import FusionSpec, Spec

KEY = "rag.fusion.method"


def choose_fusion(
    registry: Registry, config: Config, agent: str, build: Callable[[Spec], Bound[Fusion] | None], builder: Builder
) -> Bound[Fusion]:
    """The agent's fusion; where the named one fails, the default takes its place and every recall says so.

    Args:
        build: makes the part of a spec; None when it fails or is inactive.
        builder: where it is noted that a fusion is missing.

    Raises:
        ConfigError: the config names a fusion that nobody offers, or names none and there is not exactly one default.
        PluginError: none can be built.
    """
    candidates = fusion_candidates(registry, config, agent)
    method = config.core(FusionOptions, agent).method
    if method is not None and all(spec.name != method for spec in candidates):
        reason = f"no plugin that works offers {method!r} ({KEY})"
        builder.degraded.append(Degraded(plugin="the core", stage="fusion", reason=reason))
    for spec in candidates:
        if (bound := build(spec)) is not None:
            return bound
    words = "; ".join([*(str(failure) for failure in builder.degraded), *builder.notes])
    raise PluginError(f"no fusion can be used{': ' if words else ''}{words}")


def fusion_candidates(registry: Registry, config: Config, agent: str) -> Sequence[FusionSpec]:
    """The fusions to try, in order. Raises ConfigError as `choose_fusion` does."""
    specs = registry.specs(FusionSpec)
    method = config.core(FusionOptions, agent).method
    defaults = [spec for spec in specs if spec.default]
    if method is None:
        return _single(defaults, specs, config)
    named = [spec for spec in specs if spec.name == method]
    if named:
        return [*named, *(spec for spec in defaults[:1] if spec.name != method)]
    if not registry.failures:
        known = ", ".join(spec.name for spec in specs) or "none"
        guess = did_you_mean(method, [spec.name for spec in specs])
        words = f"there is no fusion {method!r}{guess}"
        if (FusionSpec.stage, method) in registry.known_parts:
            words = f"the plugin of the fusion {method!r} is disabled"
        raise ConfigError(f"{config.origin(KEY, agent)}: {KEY}: {words} (known: {known})")
    # The plugin that offers it may be among those that failed; its fault must not keep the engine from opening.
    return _single(defaults, specs, config)


def _single(defaults: Sequence[FusionSpec], specs: Sequence[FusionSpec], config: Config) -> Sequence[FusionSpec]:
    if len(defaults) == 1 or not specs:
        return defaults
    named = ", ".join(f"{spec.name} of {spec.plugin}" for spec in defaults or specs)
    words = "several fusions are the default" if defaults else "no fusion is the default"
    if not defaults and config.plugins.disable:  # what left the others without a default
        words = f"{config.origin('plugins.disable')}: plugins.disable: {words}"
    raise ConfigError(f"{words}: {named}", hint=f"set {KEY} to one of them")
