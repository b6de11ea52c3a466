"""One level of a config read against its branch of the schema: values, who said them, and the options they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

import attrs

from comis_core.config.kinds import FAILED
from comis_core.config.names import did_you_mean
from comis_core.config.nodes import Entry, KeyPath, MappingNode, Node, Place, is_empty
from comis_core.config.options import Given, make, unknown_key
from comis_core.config.part_names import NamedPart, named_parts, unknown_part
from comis_core.config.problems import Problems
from comis_core.config.schema import Branch, Leaf, OwnedSection, Schema
from comis_core.specs import Level, Section


@attrs.frozen(eq=False, repr=False)
class Tree:
    """The keys of the engine or of one agent. given: what was written, by path below the level's head."""

    branch: Branch
    given: Mapping[KeyPath, Given]
    options: Mapping[Section, Any]

    def values(self) -> Iterator[tuple[KeyPath, Leaf, Any, Place | None]]:
        """Every key in the schema's order: path, key, value, and where it was written (None for a default)."""
        for path, leaf in self.branch.leaves():
            options = self.options[leaf.owned.section]
            place = self.given[path].place if path in self.given else None
            yield path, leaf, getattr(options, leaf.field.attribute.name), place

    def named_parts(self) -> Iterator[NamedPart]:
        """The parts that were named in writing, by keys that something obeys."""
        for path, leaf in self.branch.leaves():
            if path in self.given and not leaf.owned.inactive_reason:
                given = self.given[path]
                yield from named_parts(leaf.field, given.node, given.path, leaf.owned.section)


@attrs.frozen(eq=False, repr=False)
class TreeReader:
    """Reads layers of nodes against one level of the schema.

    level: which. head: the path above it, for messages. problems: where faults are noted.
    """

    schema: Schema
    level: Level
    head: KeyPath
    problems: Problems

    @property
    def branch(self) -> Branch:
        """The level's keys."""
        return self.schema.agent if self.level == "agent" else self.schema.engine

    def read(self, layers: Sequence[Node | None]) -> Tree:
        """The tree of the layers, the strongest first; in each key the first layer that has it speaks."""
        return self.read_branch(self.branch, self.schema.of_level(self.level), layers)

    def read_branch(self, branch: Branch, sections: Sequence[OwnedSection], layers: Sequence[Node | None]) -> Tree:
        """`read` for any branch and its sections."""
        given: dict[KeyPath, Given] = {}
        failed: set[KeyPath] = set()
        self._walk(branch, [layer for layer in layers if layer is not None], (), given, failed)
        return Tree(branch, given, self._options(branch, sections, given, failed))

    def _walk(
        self, branch: Branch, layers: Sequence[Node], path: KeyPath, given: dict[KeyPath, Given], failed: set[KeyPath]
    ) -> None:
        mappings = [layer for layer in layers if self._is_group(layer, path)]
        for mapping in mappings:
            for key, entry in mapping.entries.items():
                if key not in branch.children:
                    self._unknown(key, entry, branch, path)
        for key, child in branch.children.items():
            nodes = [mapping.entries[key].node for mapping in mappings if key in mapping.entries]
            here = (*path, key)
            if isinstance(child, Branch):
                self._walk(child, nodes, here, given, failed)
            elif nodes:
                value = child.field.kind.read(nodes[0], (*self.head, *here), self.problems)
                if value is FAILED:
                    failed.add(here)
                else:
                    given[here] = Given(value, nodes[0], (*self.head, *here))
                    self._check_parts(child, given[here])

    def _check_parts(self, leaf: Leaf, given: Given) -> None:
        """Note each part that the value names and no plugin offers; one that could not be loaded may offer it."""
        parts = self.schema.parts
        if parts is None or leaf.owned.inactive_reason:
            return
        for part in named_parts(leaf.field, given.node, given.path, leaf.owned.section):
            words = unknown_part(part, parts, self.schema.idle_plugins)
            whole = not part.place.preset or self.level != "agent"
            path = part.path if whole else part.path[len(self.head) :]
            if words and self.schema.unavailable:
                self.problems.warn(part.place, path, words)
            elif words:
                self.problems.add(part.place, path, words)

    def _is_group(self, node: Node, path: KeyPath) -> TypeGuard[MappingNode]:
        if isinstance(node, MappingNode):
            return True
        if not is_empty(node):
            self.problems.add(node.place, (*self.head, *path), f"must be a group of keys, not {node}")
        return False

    def _unknown(self, key: str, entry: Entry, branch: Branch, path: KeyPath) -> None:
        whose = () if entry.key_place.preset and self.level == "agent" else self.head
        here = (*whose, *path, key)
        words = self._disabled_owner((*path, key)) or self._elsewhere(key, branch)
        if not words and self.schema.unavailable and not did_you_mean(key, branch.children):
            plugins = " or ".join(repr(name) for name in self.schema.unavailable)
            words = f"unknown key, let pass because it may belong to the plugin {plugins}, which could not be loaded"
            self.problems.warn(entry.key_place, here, words)
            return
        self.problems.add(entry.key_place, here, words or unknown_key(key, branch.children))

    def _disabled_owner(self, path: KeyPath) -> str:
        """The words for a key of a plugin that is installed and not enabled; empty for any other key."""
        parts = path if self.level == "agent" else ("memory", *path)
        for length in range(len(parts), 0, -1):
            plugin = self.schema.known_disabled.get(".".join(str(part) for part in parts[:length]))
            if plugin:
                return (
                    f"belongs to the plugin {plugin!r}, which is installed but not enabled; "
                    f"add it to the file: plugins: {{ enable: [{plugin}] }}"
                )
        return ""

    def _elsewhere(self, key: str, branch: Branch) -> str:
        """The words for a key that exists elsewhere; empty when it exists nowhere, or in too many places to tell."""
        homes = self.schema.homes(key)
        if not 1 <= len(homes) <= 3 or did_you_mean(key, branch.children, likeness=0.9):
            return ""
        allowed = ", ".join(sorted(branch.children))
        return f"is no key here but one of {' and of '.join(homes)}; check the indentation (allowed here: {allowed})"

    def _options(
        self,
        branch: Branch,
        sections: Sequence[OwnedSection],
        given: Mapping[KeyPath, Given],
        failed: set[KeyPath],
    ) -> dict[Section, Any]:
        owned_leaves: dict[OwnedSection, list[tuple[KeyPath, Leaf]]] = {owned: [] for owned in sections}
        for path, leaf in branch.leaves():
            owned_leaves[leaf.owned].append((path, leaf))
        return {
            owned.section: make(
                owned.section.options_class,
                [leaf.field for _, leaf in leaves],
                {leaf.field.key: given[path] for path, leaf in leaves if path in given},
                self.problems,
                place=None,
                path=(*self.head, *owned.section.path.split(".")) if owned.section.path else self.head,
                complete=not any(path in failed for path, _ in leaves),
            )
            for owned, leaves in owned_leaves.items()
        }
