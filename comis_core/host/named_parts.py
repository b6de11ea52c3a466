"""Options that name a part which exists and takes no part in an agent's recalls; unknown names are the config's."""

from __future__ import annotations

from comis_core.config import Config
from comis_core.config.part_names import NamedPart
from comis_core.host.building import is_enabled
from comis_core.host.registry import KINDS, Registry
from comis_core.specs import Spec


def silent_names(registry: Registry, config: Config, agent: str) -> list[str]:
    """One sentence for each part that the user's keys of an agent name and that is off for that agent.

    Keys of a part that is off itself say nothing, and names that nothing has are left to the config's own check.
    """
    return [
        f"{part}: {words}"
        for part in config.named_parts(agent)
        if is_enabled([config.options(part.section, agent)])
        if (words := _silence(part, registry, config, agent))
    ]


def _silence(part: NamedPart, registry: Registry, config: Config, agent: str) -> str:
    """Why the part is not heard; empty when it is, or when nothing is known of it."""
    if not any((stage, part.name) in registry.known_parts for stage in part.stages):
        return ""
    specs = [spec for spec in _specs(registry) if spec.name == part.name and spec.stage in part.stages]
    if not specs:
        return f"the {part.kind} {part.name!r} is named here, and its plugin is disabled: the name counts for nothing"
    if any(is_enabled([config.options(section, agent) for section in spec.sections]) for spec in specs):
        return ""
    switch = f"{specs[0].sections[0].path}.enabled"
    return f"the {part.kind} {part.name!r} is named here, and {switch} is false: the name counts for nothing"


def _specs(registry: Registry) -> list[Spec]:
    return [spec for kind in KINDS for spec in registry.specs(kind)]
