"""Which pipelines an evaluation compares: config files, presets, overrides, and one plugin less at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from comis_core.config.settings import DEFAULT_AGENT
from comis_core.errors import ComisError, ConfigError
from comis_core.evaluation.runner import Variant
from comis_core.evaluation.story import CaseClock

if TYPE_CHECKING:
    from comis_core.engine import Engine

DEFAULT_PRESET = "tuned"


@attrs.frozen(kw_only=True)
class Pipeline:
    """How to open an engine: `Variant.open` for a config file or a preset.

    overrides: keys of the agent's section that win over everything. without: plugins to do without.
    """

    config: Path | None = None
    preset: str | None = None
    overrides: Mapping[str, Any] = attrs.field(factory=dict)
    without: tuple[str, ...] = ()
    cache: Path | None = None

    def __call__(self, path: Path) -> Engine:
        """Open an engine on an empty file."""
        import comis_core

        return comis_core.open(
            path,
            clock=CaseClock(),
            config=self.config if self.config is not None else {},
            preset=self.preset,
            overrides=self.overrides,
            disable=self.without,
            embedding_cache=self.cache,
        )


def variants(
    *, configs: Sequence[Path], presets: Sequence[str], overrides: Sequence[str], agent: str, cache: Path | None
) -> list[Variant]:
    """One variant a config file and a preset, in that order; the preset `tuned` where nothing is named.

    Args:
        overrides: "rag.mmr.enabled=true" and the like, applied to every variant.
        agent: whose section of the config files counts; a preset is the same for every agent.

    Raises:
        ComisError: an override is none.
        ConfigError: a config has no such agent, or is wrong.
    """
    keys = parse_overrides(overrides)
    if agent != DEFAULT_AGENT:
        _refuse_unknown_agent(agent, configs, keys)
    suffix = f" {' '.join(overrides)}" if overrides else ""
    named = [(path.name, Pipeline(config=path, overrides=keys, cache=cache)) for path in configs]
    named += [(preset, Pipeline(preset=preset, overrides=keys, cache=cache)) for preset in presets]
    if not named:
        named = [(DEFAULT_PRESET, Pipeline(preset=DEFAULT_PRESET, overrides=keys, cache=cache))]
    return [Variant(name=name + suffix, open=pipeline, agent=agent) for name, pipeline in named]


def _refuse_unknown_agent(agent: str, configs: Sequence[Path], overrides: Mapping[str, Any]) -> None:
    """Raises ConfigError where a config has no section of this agent: the keys of another one would be measured."""
    from comis_core.engine import load_settings

    if not configs:
        raise ConfigError(f"there is no agent {agent!r} without a config", hint="name one with --config")
    for path in configs:
        known = load_settings(path, overrides=overrides).settings.agents
        if agent not in known:
            raise ConfigError(f"{path} has no agent {agent!r}", hint=f"it has: {', '.join(known) or 'none'}")


def ablations(variant: Variant) -> list[Variant]:
    """The variant without each plugin that has a part in its pipeline, in the pipeline's order; its fusion stays."""
    pipeline = variant.open
    if not isinstance(pipeline, Pipeline):
        raise ComisError("only a config file or a preset can be ablated")
    return [
        Variant(
            name=f"without {plugin}",
            open=attrs.evolve(pipeline, without=(*pipeline.without, plugin)),
            agent=variant.agent,
        )
        for plugin in _plugins_of(variant)
    ]


def _plugins_of(variant: Variant) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="comis-eval-") as folder, variant.open(Path(folder) / "empty.db") as engine:
        stages = engine.pipeline(variant.agent).describe()
        active = {part: report.name for report in engine.plugins for part in report.contributes}
    kinds = {"analyze": "analyzer", "search": "lane", "expand": "expander", "rerank": "reranker", "score": "scorer"}
    kinds["diversity"] = "diversifier"
    found = [active.get((kinds[row["stage"]], row["name"])) for row in stages if row["stage"] in kinds]
    return [name for name in dict.fromkeys(found) if name is not None]


def parse_overrides(pairs: Sequence[str]) -> Mapping[str, Any]:
    """Nested mapping of "key.path=value" pairs; values are YAML scalars or flow collections. Raises ComisError."""
    import yaml

    tree: dict[str, Any] = {}
    for pair in pairs:
        path, mark, text = pair.partition("=")
        if not mark or not path:
            raise ComisError(f"{pair!r} is no KEY=VALUE pair", hint="for example rag.mmr.enabled=true")
        *parents, last = path.split(".")
        place = tree
        for parent in parents:
            place = place.setdefault(parent, {})
            if not isinstance(place, dict):
                raise ComisError(f"{pair!r}: {parent!r} has a value already")
        try:
            place[last] = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ComisError(f"{pair!r}: {text!r} is no value") from error
    return tree
