"""What the plugins of one engine contribute, checked, stamped and in order; immutable."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar, cast

import attrs

from comis_core.config import OwnedSection, Schema, to_key
from comis_core.host.checks import NAME
from comis_core.host.report import PluginReport
from comis_core.model import Degraded
from comis_core.specs import HOOKS, Migration, Preset, Spec

S = TypeVar("S", bound=Spec)

KINDS: tuple[type[Spec], ...] = tuple(kind for kind in HOOKS.values() if issubclass(kind, Spec))
"""Every spec type, in the order of the hooks."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Registry:
    """Specs by type, presets by name, what became of each plugin, and what the config schema needs."""

    by_kind: Mapping[type[Spec], tuple[Spec, ...]]
    presets: Mapping[str, Preset]
    reports: tuple[PluginReport, ...]
    """Every installed plugin by name, whatever its state."""
    failures: tuple[Degraded, ...]
    """What should be here and is not; repeated by every recall."""
    sections: tuple[OwnedSection, ...]
    """Where options live: of every plugin here, and of built-ins that are off."""
    unreadable: Mapping[str, str]
    """Distributions whose metadata could not be read, and why."""
    known_parts: frozenset[tuple[str, str]] = frozenset()
    """(stage, name) of the parts of every plugin here and of built-ins that are off; a config may name them."""
    missing: tuple[str, ...] = ()
    """What `plugins` names and nothing installed has; a load that is not tolerant raises it instead."""
    strict: bool = False
    """Whether a part that cannot be built is an error (`plugins.strict`)."""

    def specs(self, kind: type[S]) -> tuple[S, ...]:
        """The specs of one type, sorted by (order, name)."""
        return cast(tuple[S, ...], self.by_kind.get(kind, ()))

    def contributions(self, plugin: str) -> list[Spec | Preset]:
        """What one plugin contributes, in the order of the stages, presets last."""
        found: list[Spec | Preset] = [spec for kind in KINDS for spec in self.specs(kind)]
        return [each for each in (*found, *self.presets.values()) if _of(each, plugin)]

    def schema(self) -> Schema:
        """What a config may say with these plugins; keys that may belong to one that failed are let pass."""
        failed = [report.name for report in self.reports if report.state == "failed"]
        return Schema(self.sections, known_disabled=self.known_disabled, unavailable=failed, parts=self._part_names())

    def _part_names(self) -> Mapping[str, frozenset[str]]:
        """`known_parts` by stage."""
        parts: dict[str, set[str]] = {}
        for stage, name in self.known_parts:
            parts.setdefault(stage, set()).add(name)
        return {stage: frozenset(names) for stage, names in parts.items()}

    @property
    def known_disabled(self) -> Mapping[str, str]:
        """Config path -> installed plugin that is not enabled and whose options would by convention live there."""
        idle = [report.name for report in self.reports if report.state == "not enabled" and NAME.fullmatch(report.name)]
        return {f"{head}.{to_key(name)}": name for name in idle for head in ("rag.lanes", "memory")}

    def migrations(self) -> Mapping[str, tuple[Migration, ...]]:
        """Plugin name -> its migrations, in the order of the stages; a migration that two specs share counts once."""
        sets: dict[str, dict[Migration, None]] = {}
        for kind in KINDS:
            for spec in self.specs(kind):
                if spec.plugin is not None and spec.migrations:
                    sets.setdefault(spec.plugin.name, {}).update(dict.fromkeys(spec.migrations))
        return {plugin: tuple(migrations) for plugin, migrations in sorted(sets.items())}

    def report(self, plugin: str) -> PluginReport | None:
        """What became of one plugin."""
        return next((report for report in self.reports if report.name == plugin), None)

    def without(self, plugin: str, stage: str, reason: str) -> Registry:
        """The registry without a plugin that turned out unusable after loading, e.g. because its tables are newer.

        Its sections stay, so that the config file stays valid.
        """
        report = self.report(plugin)
        label = f"plugin {plugin!r}" if report is None else report.label
        return attrs.evolve(
            self,
            by_kind={
                kind: tuple(spec for spec in specs if not _of(spec, plugin)) for kind, specs in self.by_kind.items()
            },
            presets={name: preset for name, preset in self.presets.items() if not _of(preset, plugin)},
            reports=tuple(
                attrs.evolve(each, state="failed", reason=reason, contributes=()) if each.name == plugin else each
                for each in self.reports
            ),
            failures=(*self.failures, Degraded(plugin=label, stage=stage, reason=reason)),
        )


def sorted_by_kind(specs: list[Spec | Preset]) -> Mapping[type[Spec], tuple[Spec, ...]]:
    """Specs by type, each by (order, name), whatever order they came in."""
    found = [spec for spec in specs if isinstance(spec, Spec)]
    return MappingProxyType({
        kind: tuple(sorted((spec for spec in found if isinstance(spec, kind)), key=_order)) for kind in KINDS
    })


def _order(spec: Spec) -> tuple[int, str]:
    return spec.order, spec.name


def _of(spec: Spec | Preset, plugin: str) -> bool:
    return spec.plugin is not None and spec.plugin.name == plugin
