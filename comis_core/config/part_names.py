"""Options whose values name parts of the pipeline: where each name stands, and whether any plugin offers it.

An attribute says so with `metadata={"parts": ("lane", "expander")}`, the stages of parts that may be named. The names
are the value itself, the texts of a list, or the innermost keys of a group.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

import attrs

from comis_core.config.names import did_you_mean
from comis_core.config.nodes import KeyPath, MappingNode, Node, Place, ScalarNode, SequenceNode, show_path
from comis_core.model.shown import Compared

if TYPE_CHECKING:
    from comis_core.config.options import OptionField
    from comis_core.specs import Section

PARTS = "parts"
"""The key of an attribute's metadata."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class NamedPart(Compared):
    """A part that a config names. stages: of which stages it may be. section: whose option names it."""

    name: str
    path: KeyPath
    place: Place
    stages: tuple[str, ...]
    section: Section

    def __str__(self) -> str:
        return f"{self.place}: {show_path(self.path)}"

    @property
    def kind(self) -> str:
        """What is named, in words: "lane or expander"."""
        return " or ".join(stage.replace("_", " ") for stage in self.stages)

    def known(self, parts: Mapping[str, Collection[str]]) -> list[str]:
        """The names that may stand there. parts: stage -> names."""
        return sorted({name for stage in self.stages for name in parts.get(stage, ())})


def named_parts(field: OptionField, node: Node, path: KeyPath, section: Section) -> Iterator[NamedPart]:
    """The parts that an option's value names; none for an option that names no parts, or for an empty text."""
    stages = tuple(field.attribute.metadata.get(PARTS, ()))
    if stages:
        for name, at, place in _names(node, path):
            yield NamedPart(name=name, path=at, place=place, stages=stages, section=section)


def _names(node: Node, path: KeyPath) -> Iterator[tuple[str, KeyPath, Place]]:
    if isinstance(node, ScalarNode) and isinstance(node.value, str) and node.value:
        yield node.value, path, node.place
    elif isinstance(node, SequenceNode):
        for index, item in enumerate(node.items):
            yield from _names(item, (*path, index))
    elif isinstance(node, MappingNode):
        for key, entry in node.entries.items():
            if isinstance(entry.node, MappingNode):
                yield from _names(entry.node, (*path, key))
            else:
                yield key, (*path, key), entry.key_place


def unknown_part(part: NamedPart, parts: Mapping[str, Collection[str]], idle_plugins: Collection[str]) -> str:
    """What is wrong with a name that no plugin offers; empty for one that some plugin offers.

    Args:
        parts: stage -> names of its parts.
        idle_plugins: plugins that are installed and not enabled; what they offer is not known.
    """
    known = part.known(parts)
    if part.name in known:
        return ""
    if part.name in idle_plugins:
        return (
            f"no plugin offers a {part.kind} {part.name!r}, and the plugin of that name is installed but not enabled; "
            f"add it to the file: plugins: {{ enable: [{part.name}] }}"
        )
    guess = did_you_mean(part.name, known)
    words = f"no plugin offers a {part.kind} {part.name!r}" + (f"; did you mean {guess}?" if guess else "")
    return f"{words} (there are: {', '.join(known) or 'none'}; a third party's needs its plugin in plugins.enable)"
