"""Lanes that stand in for others, as the config says it: for whom one can, and for whom not."""

from __future__ import annotations

from collections.abc import Mapping

from comis_core.config import Config
from comis_core.errors import ConfigError
from comis_core.host.building import is_enabled, stands_in_for
from comis_core.host.guard import did_you_mean
from comis_core.host.registry import Registry
from comis_core.specs import LaneSpec

KEY = "standsInFor"


def stand_ins(registry: Registry, config: Config, agent: str) -> Mapping[str, tuple[str, str]]:
    """Enabled lane -> where it was said and what is to be said of it, for those that stand in for something that no
    plugin offers.

    Raises:
        ConfigError: a lane stands in for itself, and would never be asked.
    """
    known = [spec.name for spec in registry.specs(LaneSpec)]
    notes = {}
    for spec in registry.specs(LaneSpec):
        options = [config.options(section, agent) for section in spec.sections]
        other = stands_in_for(options) if is_enabled(options) else ""
        if other == spec.name:
            raise ConfigError(
                f"{_where(spec, config, agent)}: the lane {other!r} cannot stand in for itself",
                hint="name another lane, or leave the key out",
            )
        if other and other not in known:
            guess = did_you_mean(other, known)
            words = f"stands in for {other!r}, which no plugin offers{guess or ':'} it is always asked"
            notes[spec.name] = (_where(spec, config, agent), f"the lane {spec.name!r} {words}")
    return notes


def _where(spec: LaneSpec, config: Config, agent: str) -> str:
    section = spec.sections[0]
    key = ".".join(filter(None, ("memory" if section.level == "engine" else "", section.path, KEY)))
    return f"{config.origin(key, agent)}: {key}"
