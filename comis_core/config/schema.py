"""The schema: exactly the union of the core's keys and those of the plugins at hand, each key with one owner."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from comis_core.config.core import CORE_SECTIONS, DORMANT_SECTIONS, PLUGINS_SECTION
from comis_core.config.names import is_key
from comis_core.config.nodes import KeyPath
from comis_core.config.options import OptionField, fields_of
from comis_core.config.reserved import RESERVED_SECTIONS
from comis_core.errors import PluginError
from comis_core.model.shown import Shown
from comis_core.specs import Level, PluginInfo, Section

IN_USE = 2
"""Rank of sections that something obeys; only between these can a key be contested."""


@attrs.frozen(kw_only=True, repr=False)
class OwnedSection(Shown):
    """A section and whose it is.

    owner: None for the core. active: whether something in this version obeys it. enabled_plugin: False for a
    built-in that `plugins.disable` names; its keys stay known, and yield to a plugin that brings them too.
    """

    section: Section
    owner: PluginInfo | None = None
    active: bool = True
    enabled_plugin: bool = True

    @property
    def rank(self) -> int:
        """Who gives way: a section of higher rank takes over the keys of a lower one."""
        return 0 if not self.active else IN_USE if self.enabled_plugin else 1

    @property
    def owner_words(self) -> str:
        """The owner, for messages."""
        return str(self.owner) if self.owner else "the core"

    @property
    def inactive_reason(self) -> str:
        """Why a key of this section does nothing; empty when it does something."""
        if not self.active:
            return "not active in this version"
        return "" if self.enabled_plugin else f"{self.owner_words} is disabled"


@attrs.frozen(eq=False, repr=False)
class Leaf:
    """A key with a value, and the section it belongs to."""

    field: OptionField
    owned: OwnedSection


@attrs.frozen(eq=False, repr=False)
class Branch:
    """A key that groups others."""

    children: dict[str, Leaf | Branch] = attrs.field(factory=dict)

    def leaves(self, above: KeyPath = ()) -> Iterator[tuple[KeyPath, Leaf]]:
        """Every key below, with its path."""
        for key, child in self.children.items():
            if isinstance(child, Leaf):
                yield (*above, key), child
            else:
                yield from child.leaves((*above, key))


def _all_of(sections: Iterable[OwnedSection]) -> tuple[OwnedSection, ...]:
    return tuple(sections)


@attrs.frozen(eq=False, repr=False)
class Schema:
    """What a config may say.

    Args:
        sections: the plugins' sections; the core's and the reserved ones are always there.
        known_disabled: path -> name of an installed plugin that is not enabled, for the message about its keys:
            "rag.lanes.mine" below an agent, "memory.mine" below the engine.
        unavailable: names of enabled plugins that could not be imported. While there are any, a key that nobody knows
            is a warning, not an error: it may be theirs, and one broken plugin must not keep the engine shut. So is a
            part's name, even one that resembles a known one, as `lexical_de` does.
        parts: stage -> names of the parts that the plugins at hand offer, switched off or not; None lets every name
            pass.

    Raises:
        PluginError: for a key with two owners, a section that cannot stand where it wants to, or an options class that
            is no good; all of them at once, each naming its plugins.
    """

    sections: tuple[OwnedSection, ...] = attrs.field(default=(), converter=_all_of)
    known_disabled: Mapping[str, str] = attrs.field(factory=dict, kw_only=True)
    unavailable: Sequence[str] = attrs.field(default=(), kw_only=True)
    parts: Mapping[str, Collection[str]] | None = attrs.field(default=None, kw_only=True)
    all_sections: tuple[OwnedSection, ...] = attrs.field(init=False)
    """The sections with the core's and the reserved ones, by rank: where two are equal, the last one counts."""
    engine: Branch = attrs.field(init=False)
    """Keys below `memory`."""
    agent: Branch = attrs.field(init=False)
    """Keys below `agents.<name>`."""
    plugins: Branch = attrs.field(init=False)
    """Keys below `plugins`."""

    @all_sections.default
    def _with_the_core(self) -> tuple[OwnedSection, ...]:
        core = [OwnedSection(section=section) for section in CORE_SECTIONS]
        dormant = (*DORMANT_SECTIONS, *RESERVED_SECTIONS)
        reserved = [OwnedSection(section=section, active=False) for section in dormant]
        return tuple(sorted(dict.fromkeys([*core, *self.sections, *reserved]), key=lambda owned: owned.rank))

    @engine.default
    def _engine_keys(self) -> Branch:
        faults = [fault for owned in self.all_sections for fault in _faults(owned)]
        if faults:
            raise PluginError("\n".join(faults))
        return _grow(self.of_level("engine"))

    @agent.default
    def _agent_keys(self) -> Branch:
        return _grow(self.of_level("agent"))

    @plugins.default
    def _plugins_keys(self) -> Branch:
        return _grow([OwnedSection(section=PLUGINS_SECTION)])

    @property
    def idle_plugins(self) -> frozenset[str]:
        """Installed plugins that are not enabled."""
        return frozenset(self.known_disabled.values())

    def of_level(self, level: Level) -> list[OwnedSection]:
        """The sections of one level."""
        return [owned for owned in self.all_sections if owned.section.level == level]

    def homes(self, key: str) -> list[str]:
        """Where a key of this name lives, for somebody who put it elsewhere."""
        roots: list[tuple[KeyPath, Branch]] = [
            (("memory",), self.engine),
            (("agents", "<name>"), self.agent),
            (("plugins",), self.plugins),
        ]
        return sorted({home for path, root in roots for home in _homes(key, root, path)})


def _faults(owned: OwnedSection) -> Iterator[str]:
    """What is wrong with one section on its own."""
    section = owned.section
    who = f"{owned.owner_words}: section {section.path!r}"
    if section.level not in ("agent", "engine"):
        yield f"{who}: level is 'agent' or 'engine', not {section.level!r}"
    if section.path and not all(is_key(part) for part in section.path.split(".")):
        yield f"{who}: a path is camelCase keys joined by dots, such as rag.lanes.mine"
    try:
        fields_of(section.options_class)
        section.options_class()
    except Exception as error:  # noqa: BLE001 - an options class is a plugin's own code
        yield f"{who}: {error}"


def _grow(sections: Sequence[OwnedSection]) -> Branch:
    """The tree of the sections' keys; those of higher rank first, so that lower ones find their place taken."""
    root = Branch()
    conflicts: list[str] = []
    for owned in sorted(sections, key=lambda owned: -owned.rank):
        path = tuple(owned.section.path.split(".")) if owned.section.path else ()
        branch = _descend(root, path, owned, conflicts)
        if branch is not None:
            for field in fields_of(owned.section.options_class):
                _claim(branch, (*path, field.key), Leaf(field, owned), conflicts)
    if conflicts:
        raise PluginError("\n".join(conflicts), hint="disable one of them with plugins.disable")
    return root


def _descend(root: Branch, path: tuple[str, ...], owned: OwnedSection, conflicts: list[str]) -> Branch | None:
    """The branch of a section, made where it is missing; None where a key stands in the way."""
    branch = root
    for depth, part in enumerate(path, 1):
        child = branch.children.setdefault(part, Branch())
        if isinstance(child, Leaf):
            if child.owned.rank == owned.rank == IN_USE:
                conflicts.append(_conflict(path[:depth], child.owned, owned))
            return None
        branch = child
    return branch


def _claim(branch: Branch, path: tuple[str, ...], leaf: Leaf, conflicts: list[str]) -> None:
    present = branch.children.setdefault(path[-1], leaf)
    if present is leaf:
        return
    others = [present.owned] if isinstance(present, Leaf) else [held.owned for _, held in present.leaves()]
    if any(other.rank == leaf.owned.rank == IN_USE for other in others):
        conflicts.append(_conflict(path, others[0], leaf.owned))


def _conflict(path: Sequence[str], first: OwnedSection, second: OwnedSection) -> str:
    return f"the config key {'.'.join(path)} has two owners: {first.owner_words} and {second.owner_words}"


def _homes(key: str, branch: Branch, path: KeyPath) -> Iterator[str]:
    for name, child in branch.children.items():
        if name == key:
            yield ".".join(str(part) for part in path)
        if isinstance(child, Branch):
            yield from _homes(key, child, (*path, name))


def leaf_at(branch: Branch, path: Sequence[Any]) -> Leaf | None:
    """The key at a path below a branch, if there is one."""
    child: Leaf | Branch | None = branch
    for part in path:
        child = child.children.get(part) if isinstance(child, Branch) else None
    return child if isinstance(child, Leaf) else None
