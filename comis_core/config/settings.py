"""The checked configuration: options for whoever asks, and where each value comes from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from comis_core.config.core import CORE_SECTIONS, DORMANT_SECTIONS, PLUGINS_SECTION, MemoryOptions, PluginsOptions
from comis_core.config.names import did_you_mean
from comis_core.config.nodes import KeyPath, Place, show_path
from comis_core.config.options import plain
from comis_core.config.part_names import NamedPart
from comis_core.config.problems import ConfigWarning
from comis_core.config.schema import Schema
from comis_core.config.tree import Tree
from comis_core.errors import ConfigError
from comis_core.model.shown import Compared
from comis_core.specs import Section

Options = TypeVar("Options")

DEFAULT_AGENT = "default"
"""The agent whose keys count for every agent that the file does not name."""


@attrs.frozen(eq=False, repr=False)
class Setting(Compared):
    """One key as it stands after presets and defaults.

    path: whole documented path. value: plain data. origin: "default", "preset NAME" or "file:line". active: whether
    something in this version obeys it.
    """

    path: str
    value: Any
    origin: str
    active: bool


@attrs.frozen(eq=False, repr=False)
class InactiveKey(Compared):
    """A key that the user has set and that nothing obeys."""

    path: str
    place: Place
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.path}: {self.reason}"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Config:
    """A configuration that has been checked as a whole.

    An agent that the file does not name has the keys of `agents.default`; where that is missing too, those of the
    default preset over the defaults. One that the file names has its own keys alone: sections do not inherit.
    """

    schema: Schema
    source: str
    """What messages call it: the file's name, or "<python>"."""
    file: Path | None
    folder: Path
    """What relative paths are relative to."""
    engine: Tree
    plugins_tree: Tree
    agent_trees: Mapping[str, Tree]
    other_agents: Tree
    """The keys of agents that the file does not name."""
    presets: Mapping[str | None, str | None]
    """Agent -> its preset; None stands for agents that the file does not name."""
    warnings: tuple[ConfigWarning, ...] = ()
    """What is allowed and worth a look: moved keys, changed frozen keys."""

    @property
    def plugins(self) -> PluginsOptions:
        """The `plugins` section."""
        options: PluginsOptions = self.plugins_tree.options[PLUGINS_SECTION]
        return options

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that the file names, in its order."""
        return tuple(self.agent_trees)

    def preset(self, agent: str | None = None) -> str | None:
        """The name of the preset under an agent's keys, or None."""
        return self.presets[agent if agent in self.presets else None]

    def options(self, section: Section, agent: str | None = None) -> Any:
        """The options object of a section: an instance of its options class, the same one at every call.

        Raises:
            ConfigError: when the section is no part of the schema.
        """
        tree = self.engine if section.level == "engine" else self._tree(agent)
        try:
            return tree.options[section]
        except KeyError:
            raise ConfigError(
                f"the section {section.path!r} ({section.options_class.__name__}) is no part of the schema"
            ) from None

    def core(self, options_class: type[Options], agent: str | None = None) -> Options:
        """The core's own options of that class, e.g. `core(RagOptions, "helper").max_results`."""
        known = (*CORE_SECTIONS, *DORMANT_SECTIONS)
        section = next((section for section in known if section.options_class is options_class), None)
        if section is None:
            raise ConfigError(f"{options_class.__name__} is no options class of the core")
        options: Options = self.options(section, agent)
        return options

    def setting(self, path: str, agent: str | None = None) -> Any:
        """The value at a documented path, as Python sees it.

        Args:
            path: "memory.recall.rerankerModel", "agents.helper.rag.maxResults", or "rag.maxResults" of `agent`.
            agent: whose value, for a path that names no agent.

        Raises:
            ConfigError: when there is no such key.
        """
        return self._look_up(path, agent)[0]

    def is_explicit(self, path: str, agent: str | None = None) -> bool:
        """Whether the user has written the key; what a preset says does not count."""
        place = self._look_up(path, agent)[1]
        return place is not None and not place.preset

    def origin(self, path: str, agent: str | None = None) -> str:
        """Where a value comes from: "default", "preset NAME" or "file:line"."""
        place = self._look_up(path, agent)[1]
        return place.origin if place else "default"

    def effective(self, agent: str | None = None) -> list[Setting]:
        """Every key of the engine, of `plugins` and of one agent with its value and origin, in the schema's order."""
        trees: list[tuple[KeyPath, Tree]] = [
            (("memory",), self.engine),
            (("plugins",), self.plugins_tree),
            (("agents", agent or DEFAULT_AGENT), self._tree(agent)),
        ]
        return [setting for head, tree in trees for setting in _settings(head, tree)]

    @property
    def inactive(self) -> tuple[InactiveKey, ...]:
        """The keys that the user has set and that nothing obeys, in the order of the schema."""
        trees: list[tuple[KeyPath, Tree]] = [(("memory",), self.engine)]
        trees += [(("agents", name), tree) for name, tree in self.agent_trees.items()]
        return tuple(
            InactiveKey(show_path((*head, *path)), place, leaf.owned.inactive_reason)
            for head, tree in trees
            for path, leaf, _, place in tree.values()
            if place is not None and not place.preset and leaf.owned.inactive_reason
        )

    def named_parts(self, agent: str | None = None) -> list[NamedPart]:
        """The parts of pipelines that the user has named in an agent's keys; what a preset names does not count."""
        return [part for part in self._tree(agent).named_parts() if not part.place.preset]

    def database_path(self) -> Path:
        """Where the database file is: `memory.dbPath`, relative to the config's folder (the current one for a mapping
        given from Python); a leading `~` is the home."""
        return self.folder / Path(self.core(MemoryOptions).db_path).expanduser()

    def _tree(self, agent: str | None) -> Tree:
        return self.agent_trees.get(agent or DEFAULT_AGENT, self.other_agents)

    def _look_up(self, path: str, agent: str | None) -> tuple[Any, Place | None]:
        tree, keys = self._split(path, agent)
        for at, _, value, place in tree.values():
            if at == keys:
                return value, place
        guess = did_you_mean(show_path(keys), (show_path(at) for at, _ in tree.branch.leaves()))
        raise ConfigError(f"no config key {path}" + (f"; did you mean {guess}?" if guess else ""))

    def _split(self, path: str, agent: str | None) -> tuple[Tree, KeyPath]:
        """The tree that a path leads to, and the keys below its head."""
        head, _, rest = path.partition(".")
        if head in ("memory", "plugins"):
            return self.engine if head == "memory" else self.plugins_tree, tuple(rest.split("."))
        if head == "agents":
            names = sorted((*self.agent_trees, DEFAULT_AGENT), key=len, reverse=True)
            agent = next((name for name in names if rest.startswith(f"{name}.")), rest.partition(".")[0])
            path = rest.removeprefix(f"{agent}.")
        return self._tree(agent), tuple(path.split("."))


def _settings(head: KeyPath, tree: Tree) -> list[Setting]:
    return [
        Setting(
            path=show_path((*head, *path)),
            value=plain(value),
            origin=place.origin if place else "default",
            active=not leaf.owned.inactive_reason,
        )
        for path, leaf, value, place in tree.values()
    ]
