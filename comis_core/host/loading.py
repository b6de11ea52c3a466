"""One plugin: import it, register its hooks, ask each of them once, and check and stamp what it returns."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import pluggy

from comis_core.errors import ComisError, PluginError
from comis_core.host.checks import check_item, check_name
from comis_core.host.discovery import Candidate
from comis_core.host.guard import did_you_mean, guarded, one_line
from comis_core.specs import HOOKS, PluginInfo, Preset, Spec

PREFIX = "comis_"


@attrs.define(kw_only=True, eq=False, repr=False)
class Loading:
    """A plugin on its way in: what it has returned so far, and what stopped it."""

    candidate: Candidate
    specs: list[Spec | Preset] = attrs.field(factory=list)
    """Stamped, in the order of the stages and then as returned."""
    stage: str = "import"
    """What is being done: "import", "hooks" (registering them) or the hook that is being asked."""
    error: ComisError | None = None

    @property
    def info(self) -> PluginInfo:
        """What its specs are stamped with."""
        candidate = self.candidate
        return PluginInfo(
            name=candidate.name,
            distribution=candidate.distribution,
            version=candidate.version,
            module=candidate.entry_point.partition(":")[0].strip(),
        )

    @property
    def reason(self) -> str:
        """What stopped it, with its entry point."""
        return f"entry point {self.candidate.entry_point}: {one_line(str(self.error))}"


def load(manager: pluggy.PluginManager, candidate: Candidate) -> Loading:
    """Import a plugin and ask its hooks.

    A plugin that breaks the contract anywhere is left out whole, since half of one (an index without its lane) is
    worse than none; what it returned before is kept in `specs` all the same, so that its options can still be read.

    Args:
        manager: where its hooks are registered.
        candidate: what to import.

    Returns:
        What it returned; `error` says what stopped it.
    """
    loading = Loading(candidate=candidate)
    try:
        guarded(_take_in, manager, loading)
    except ComisError as error:
        loading.error = error
    return loading


def _take_in(manager: pluggy.PluginManager, loading: Loading) -> None:
    name = loading.candidate.name
    check_name(name, "plugin")
    plugin = loading.candidate.load()
    loading.stage = "hooks"
    _check_hooks(manager, plugin)
    _register(manager, plugin, name)
    for hook, kind in HOOKS.items():
        # The plugin's own functions, not the hook: its failure must not reach another plugin's answer.
        for implementation in getattr(manager.hook, hook).get_hookimpls():
            if implementation.plugin_name == name:
                loading.stage = hook
                _collect(loading, implementation.function(), kind)


def _check_hooks(manager: pluggy.PluginManager, plugin: object) -> None:
    """Everything that is or looks like a hook must be one that exists."""
    for attribute in dir(plugin):
        if attribute.startswith("__"):
            continue  # what every module and class has
        options = manager.parse_hookimpl_opts(plugin, attribute)
        if options is None:
            _check_unmarked(plugin, attribute)
        elif options.get("wrapper") or options.get("hookwrapper"):
            raise PluginError(f"{attribute} is a hook wrapper: a plugin speaks only for itself")
        elif (hook := options.get("specname") or attribute) not in HOOKS and not options.get("optionalhook"):
            raise PluginError(f"there is no hook {hook!r}{did_you_mean(hook, HOOKS)}")


def _check_unmarked(plugin: object, attribute: str) -> None:
    if not attribute.startswith(PREFIX) or not inspect.isroutine(inspect.getattr_static(plugin, attribute, None)):
        return
    if attribute in HOOKS:
        raise PluginError(f"{attribute} is not marked: write @hookimpl above it")
    raise PluginError(f"there is no hook {attribute!r}{did_you_mean(attribute, HOOKS)}")


def _register(manager: pluggy.PluginManager, plugin: object, name: str) -> None:
    try:
        manager.register(plugin, name)
    except pluggy.PluginValidationError as error:
        # Some releases of pluggy keep half of a plugin that they refuse.
        if manager.has_plugin(name):
            manager.unregister(name=name)
        raise PluginError(one_line(str(error))) from error


def _collect(loading: Loading, returned: object, kind: type[Any]) -> None:
    if inspect.iscoroutine(returned):
        returned.close()
        raise PluginError("a hook is a plain function, not a coroutine function")
    if not isinstance(returned, Iterable) or isinstance(returned, str | bytes | Mapping):
        raise PluginError(f"the hook returned {type(returned).__name__}, not an iterable of {kind.__name__}")
    for item in returned:
        check_item(item, kind)
        if any(item.stage == other.stage and item.name == other.name for other in loading.specs):
            raise PluginError(f"two {item.stage} specs are named {item.name!r}")
        loading.specs.append(attrs.evolve(item, plugin=loading.info))
