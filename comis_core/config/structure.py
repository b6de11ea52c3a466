"""From plain data to a checked configuration: presets below the user's keys, every fault found in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from comis_core.config.core import PLUGINS_SECTION
from comis_core.config.moved import FROZEN, move_keys
from comis_core.config.names import did_you_mean
from comis_core.config.nodes import KeyPath, MappingNode, Node, Place, from_python, is_empty, show_path
from comis_core.config.options import plain, unknown_key
from comis_core.config.problems import Problems
from comis_core.config.reading import RawConfig, read
from comis_core.config.schema import OwnedSection, Schema
from comis_core.config.settings import DEFAULT_AGENT, Config
from comis_core.config.tree import Tree, TreeReader
from comis_core.errors import ConfigError
from comis_core.specs import Preset

BARE_PRESET = "comis"
"""The preset that changes nothing: every key at its documented default."""

OVERRIDES = "<overrides>"
"""What places of overrides are called."""


def load(
    source: Path | str | Mapping[str, Any] | None,
    schema: Schema,
    presets: Mapping[str, Preset] | None = None,
    *,
    default_preset: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Config:
    """`read` and `structure` in one, for a schema that is known beforehand."""
    return structure(read(source, environ=environ), schema, presets, default_preset)


def structure(
    raw: RawConfig,
    schema: Schema,
    presets: Mapping[str, Preset] | None = None,
    default_preset: str | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
) -> Config:
    """The checked configuration of plain data.

    Args:
        raw: what `read` returned.
        schema: what it may say.
        presets: every preset at hand, by name. `comis`, which changes nothing, is always at hand.
        default_preset: the preset of agents that name none.
        overrides: keys of every agent that win over the file and its presets, as a nested mapping.

    Raises:
        ConfigError: with every problem there is, each with file, line, column and key.
    """
    known = {BARE_PRESET: Preset(name=BARE_PRESET), **(presets or {})}
    return _Structuring(raw, schema, known, default_preset, overrides or {}).run()


@attrs.define(eq=False, repr=False)
class _Structuring:
    """One pass over one config; collects problems on its way."""

    raw: RawConfig
    schema: Schema
    presets: Mapping[str, Preset]
    default_preset: str | None
    overrides: Mapping[str, Any]
    problems: Problems = attrs.field(factory=Problems)
    overlays: dict[str, dict[str, MappingNode]] = attrs.field(factory=dict)
    """Preset -> level -> its values, for the presets in use that are sound."""
    override: MappingNode | None = None
    """The overrides, when they are sound."""

    def run(self) -> Config:
        heads = self._heads()
        names = self._agent_presets(heads["agents"])
        self._load_overlays([name for name in names.values() if name])
        self._load_overrides()
        plugins_reader = TreeReader(self.schema, "engine", ("plugins",), self.problems)
        plugins_section = OwnedSection(section=PLUGINS_SECTION)
        plugins = plugins_reader.read_branch(self.schema.plugins, [plugins_section], [heads["plugins"]])
        engine = self._engine(heads["memory"])
        agents = {name: self._agent(name, names[name], entry.node) for name, entry in heads["agents"].entries.items()}
        others = agents[DEFAULT_AGENT] if DEFAULT_AGENT in agents else self._agent(None, names[None], None)
        self._warn_of_frozen_keys(agents)
        self._warn_of_lone_preset(heads["agents"], names)
        self.problems.raise_any(self.raw.source)
        return Config(
            schema=self.schema,
            source=self.raw.source,
            file=self.raw.file,
            folder=self.raw.folder,
            plugins_tree=plugins,
            engine=engine,
            agent_trees=agents,
            other_agents=others,
            presets=names,
            warnings=tuple(self.problems.warnings),
        )

    def _heads(self) -> dict[str, MappingNode]:
        """The top-level groups; a missing or empty one is an empty group."""
        heads = {name: MappingNode({}, self.raw.root.place) for name in ("memory", "agents", "plugins")}
        for key, entry in self.raw.root.entries.items():
            if key not in heads:
                self.problems.add(entry.key_place, (key,), self._unknown_head(key, heads))
            elif isinstance(entry.node, MappingNode):
                heads[key] = entry.node
            elif not is_empty(entry.node):
                self.problems.add(entry.node.place, (key,), f"must be a group of keys, not {entry.node}")
        return heads

    def _unknown_head(self, key: str, heads: Mapping[str, Any]) -> str:
        homes = self.schema.homes(key)
        if homes:
            where = " or ".join(homes[:3])
            return f"stands at the top of the file but is a key of {where}; check the indentation"
        return unknown_key(key, heads)

    def _agent_presets(self, agents: MappingNode) -> dict[str | None, str | None]:
        """Agent -> preset, None as the agent for those that the file does not name; unknown presets are noted."""
        names: dict[str | None, str | None] = {None: self._known_preset(self.default_preset, None)}
        for agent, entry in agents.entries.items():
            if not agent.strip():
                self.problems.add(entry.key_place, ("agents", agent), "an agent needs a name")
            own = self.raw.preset_of(agent)
            names[agent] = self._known_preset(own, agent) if own is not None else names[None]
        if DEFAULT_AGENT in names:
            names[None] = names[DEFAULT_AGENT]
        return names

    def _known_preset(self, name: str | None, agent: str | None) -> str | None:
        if name is None or name in self.presets:
            return name
        guess = did_you_mean(name, self.presets)
        words = f"no preset {name!r}" + (f"; did you mean {guess}?" if guess else "")
        words += f" (there are: {', '.join(sorted(self.presets))}; a third party's needs its plugin in plugins.enable)"
        node = self.raw.at("agents", agent, "preset") if agent is not None else None
        self.problems.add(node.place if node else None, ("agents", agent, "preset") if agent is not None else (), words)
        return None

    def _load_overlays(self, names: Sequence[str]) -> None:
        for name in dict.fromkeys(names):
            preset = self.presets[name]
            place = Place(f"preset {name!r}" + (f" of {preset.plugin}" if preset.plugin else ""), preset=name)
            found = Problems()
            overlay = {
                level: self._overlay(values, place, found)
                for level, values in (("agent", preset.agent), ("engine", preset.engine))
            }
            TreeReader(self.schema, "agent", (), found).read([overlay["agent"]])
            TreeReader(self.schema, "engine", ("memory",), found).read([overlay["engine"]])
            if "preset" in overlay["agent"].entries:
                found.add(place, ("preset",), "a preset cannot name a preset")
            self.problems.extend(found)
            if not found:
                self.overlays[name] = overlay

    def _load_overrides(self) -> None:
        """Take the overrides up, or note what is wrong with them, once for all agents."""
        place = Place(OVERRIDES)
        found = Problems()
        node = self._overlay(self.overrides, place, found)
        TreeReader(self.schema, "agent", (), found).read([node])
        if "preset" in node.entries:
            found.add(place, ("preset",), "cannot be overridden; choose the preset itself")
        self.problems.extend(found)
        self.override = None if found else node

    def _overlay(self, values: Mapping[str, Any], place: Place, found: Problems) -> MappingNode:
        """Values from Python as nodes; an empty group after noting why they are none."""
        try:
            node = from_python(values, place)
        except ConfigError as error:
            found.add(None, (), error.message)
            return MappingNode({}, place)
        if isinstance(node, MappingNode):
            return node
        found.add(place, (), f"must be a group of keys, not {node}")
        return MappingNode({}, place)

    def _engine(self, memory: MappingNode) -> Tree:
        memory = move_keys(memory, self.problems)
        self._refuse_disagreement(memory)
        reader = TreeReader(self.schema, "engine", ("memory",), self.problems)
        return reader.read([memory, *(overlay["engine"] for overlay in self.overlays.values())])

    def _refuse_disagreement(self, memory: MappingNode) -> None:
        """Two presets that want different things of the one engine, where the file does not decide."""
        reader = TreeReader(self.schema, "engine", (), Problems())
        decided = reader.read([memory]).given
        wishes: dict[KeyPath, tuple[str, Any]] = {}
        for name, overlay in self.overlays.items():
            for path, given in reader.read([overlay["engine"]]).given.items():
                first, value = wishes.setdefault(path, (name, given.value))
                if path not in decided and value != given.value:
                    words = f"the presets {first} ({plain(value)}) and {name} ({plain(given.value)}) disagree"
                    self.problems.add(None, ("memory", *path), f"{words}; write the key in the config")

    def _agent(self, name: str | None, preset: str | None, node: Node | None) -> Tree:
        layers = [self.override, node]
        if preset in self.overlays:
            chosen = from_python({"preset": preset}, Place(f"preset {preset}", preset=preset))
            layers += [self.overlays[preset]["agent"], chosen]
        head = ("agents", name if name is not None else DEFAULT_AGENT)
        return TreeReader(self.schema, "agent", head, self.problems).read(layers)

    def _warn_of_frozen_keys(self, agents: Mapping[str, Tree]) -> None:
        """A notice for every frozen key that an agent has at another value than the shipped one."""
        for name, tree in agents.items():
            for path, leaf in tree.branch.leaves():
                given = tree.given.get(path)
                if given is None or show_path(path) not in FROZEN:
                    continue
                shipped = getattr(leaf.owned.section.options_class(), leaf.field.attribute.name)
                if given.value != shipped:
                    words = f"is frozen: it belongs to the trust boundary; the shipped value is {plain(shipped)}"
                    self.problems.warn(given.place, ("agents", name, *path), words)

    def _warn_of_lone_preset(self, agents: MappingNode, names: Mapping[str | None, str | None]) -> None:
        """A notice for every agent that may have been meant to have the preset of `default`, and has another."""
        if self.raw.preset_of(DEFAULT_AGENT) is None:
            return
        theirs = names[DEFAULT_AGENT] or BARE_PRESET
        for name, entry in agents.entries.items():
            own = names[name] or BARE_PRESET
            if self.raw.preset_of(name) is None and own != theirs:
                words = f"names no preset and runs {own}, for a section inherits nothing from agents.{DEFAULT_AGENT}"
                advice = f"write preset: {theirs} (or {own}) in it"
                self.problems.warn(entry.key_place, ("agents", name), f"{words}; {advice}")
