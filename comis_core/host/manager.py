"""The plugins of one engine: found, chosen, imported, asked, and made into a registry. Hosts share nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

import attrs
import pluggy

from comis_core import hookspecs
from comis_core.config import RawConfig
from comis_core.errors import ConfigError, PluginError
from comis_core.host.choice import Choice, choose, not_installed
from comis_core.host.conflicts import refuse_taken_keys, without_taken_names
from comis_core.host.discovery import discover
from comis_core.host.loading import Loading, load
from comis_core.host.registry import Registry, sorted_by_kind
from comis_core.host.report import PluginReport
from comis_core.model import Degraded
from comis_core.model.shown import Compared
from comis_core.specs import Preset, Spec

log = logging.getLogger(__name__)

NOTHING = "it contributes nothing: none of its functions carries @hookimpl and returns a spec"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Host(Compared):
    """Loads plugins.

    enable: third parties' plugins to import, by name. disable: plugins that contribute nothing. strict: any failure
    is an error. extra: plugin name -> module or object that the caller passes without installing it; always enabled.
    where: (key, place in its list) -> where the config says so, for messages.
    """

    enable: Sequence[str] = ()
    disable: Sequence[str] = ()
    strict: bool = False
    extra: Mapping[str, object] = attrs.field(factory=dict)
    where: Callable[[str, int], str] = lambda key, index: f"plugins.{key}[{index}]"

    @classmethod
    def of(cls, raw: RawConfig, *, extra: Mapping[str, object] | None = None) -> Host:
        """The host that a config asks for.

        Args:
            raw: the config as read, before any schema; only its `plugins` section counts here.
            extra: plugin name -> module or object that the caller passes without installing it.
        """
        chosen = raw.plugins
        return cls(
            enable=chosen.enable,
            disable=chosen.disable,
            strict=chosen.strict,
            extra=extra or {},
            where=lambda key, index: f"{raw.where('plugins', key, index)}: plugins.{key}",
        )

    def load(self, *, tolerant: bool = False) -> Registry:
        """Import the chosen plugins, each guarded, and ask their hooks.

        Args:
            tolerant: pass over names that are not installed and over `strict`, for commands that must run whatever
                the config says.

        Raises:
            ConfigError: `plugins` names something that is not installed.
            PluginError: `strict`, and something failed.
        """
        found = discover(self.extra)
        missing = [
            *not_installed(found, self.enable, lambda index: self.where("enable", index)),
            *not_installed(found, self.disable, lambda index: self.where("disable", index)),
        ]
        if missing and not tolerant:
            raise ConfigError(
                "the config names plugins that are not installed",
                problems=missing,
                hint="install what brings them, or take the names out; `comis plugins list` shows what there is",
            )
        choices = choose(found, self.enable, self.disable)
        registry = _registry(choices, unreadable=found.unreadable, missing=missing, strict=self.strict)
        for failure in registry.failures:
            log.warning("%s", failure)
        if self.strict and not tolerant:
            refuse_failures(registry.failures)
        return registry


def refuse_failures(failures: Iterable[Degraded]) -> None:
    """Raise PluginError if anything failed, naming all of it (`plugins.strict`)."""
    if lines := [str(failure) for failure in failures]:
        raise PluginError("\n".join(["plugins.strict is on, and this failed:", *lines]))


def _registry(
    choices: Sequence[Choice], *, unreadable: Mapping[str, str], missing: Sequence[str], strict: bool
) -> Registry:
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    loadings = {choice.name: load(manager, choice.candidate) for choice in choices if choice.imported}
    active = [loadings[choice.name] for choice in choices if choice.state == "active"]
    used = frozenset(loading.candidate.name for loading in active)
    sections = refuse_taken_keys(tuple(loadings.values()), used)
    kept, refused = without_taken_names([loading for loading in active if loading.error is None])
    by_kind = sorted_by_kind(kept)
    presets = sorted((each for each in kept if isinstance(each, Preset)), key=lambda preset: preset.name)
    failures = (*_unusable_names(choices), *_broken(active), *refused)
    contributions: list[Spec | Preset] = [*chain.from_iterable(by_kind.values()), *presets]
    reports = [_report(choice, loadings.get(choice.name), contributions, refused) for choice in choices]
    return Registry(
        by_kind=by_kind,
        presets=MappingProxyType({preset.name: preset for preset in presets}),
        reports=tuple(sorted(reports, key=lambda report: report.name)),
        failures=failures,
        sections=sections,
        unreadable=unreadable,
        known_parts=frozenset((spec.stage, spec.name) for loading in loadings.values() for spec in loading.specs),
        missing=tuple(missing),
        strict=strict,
    )


def _unusable_names(choices: Iterable[Choice]) -> list[Degraded]:
    return [
        Degraded(plugin=f"plugin {choice.name!r}", stage="discovery", reason=choice.reason)
        for choice in choices
        if choice.missed
    ]


def _broken(loadings: Iterable[Loading]) -> list[Degraded]:
    return [
        Degraded(plugin=str(loading.info), stage=loading.stage, reason=loading.reason)
        for loading in loadings
        if loading.error is not None
    ]


def _report(
    choice: Choice, loading: Loading | None, contributions: Iterable[Spec | Preset], refused: Iterable[Degraded]
) -> PluginReport:
    if choice.state == "active" and loading is not None and loading.error is not None:
        return choice.report(state="failed", reason=loading.reason)
    mine = [(spec.stage, spec.name) for spec in contributions if spec.plugin and spec.plugin.name == choice.name]
    left_out = "; ".join(each.reason for each in refused if loading is not None and each.plugin == str(loading.info))
    idle = "" if mine or left_out or choice.state != "active" else NOTHING
    return choice.report(reason=left_out or choice.reason or idle, contributes=mine)
