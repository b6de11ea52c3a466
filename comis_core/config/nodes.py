"""Plain data that remembers where it was written: what a config file or a mapping becomes before it is checked."""

from __future__ import annotations

import enum
import os
from collections.abc import Mapping
from typing import Any

import attrs

from comis_core.errors import ConfigError
from comis_core.model.shown import Compared

NOT_FINITE = "no finite number"
"""What `ScalarNode.odd` says of infinity and NaN."""

MAX_DEPTH = 32
"""Levels of nesting; the deepest documented key has six."""

KeyPath = tuple[str | int, ...]
"""Keys and list indexes from the top of the file."""


@attrs.frozen(eq=False, repr=False)
class Place(Compared):
    """Where something was written.

    source: a file name, "<python>" for a mapping given from Python, or the words for a preset. line, column: from 1;
    0 where there are no lines. preset: name of the preset that says it, empty for the user's own words.
    """

    source: str
    line: int = 0
    column: int = 0
    preset: str = ""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}" if self.line else self.source

    @property
    def origin(self) -> str:
        """How `Config.effective` calls this place: `preset NAME` or `file:line`."""
        if self.preset:
            return f"preset {self.preset}"
        return f"{self.source}:{self.line}" if self.line else self.source


@attrs.frozen(eq=False, repr=False)
class ScalarNode(Compared):
    """One value. text: as it was written. odd: why YAML reads it as something else than it looks, else empty."""

    value: str | int | float | bool | None
    place: Place
    text: str = ""
    odd: str = ""

    def __str__(self) -> str:
        if self.odd:
            return f"{self.text} ({self.odd} in YAML)"
        if isinstance(self.value, str):
            return f'the text "{self.value}"'
        return self.meaning if self.value is None else f"{self.text} ({self.meaning})"

    @property
    def meaning(self) -> str:
        """What YAML makes of it, in words."""
        if self.odd:
            return self.odd
        if self.value is None:
            return "nothing"
        if isinstance(self.value, bool):
            return "a truth value"
        return "text" if isinstance(self.value, str) else "a number"


@attrs.frozen(eq=False, repr=False)
class SequenceNode(Compared):
    """A list."""

    items: tuple[Node, ...]
    place: Place

    def __str__(self) -> str:
        return "a list"


@attrs.frozen(eq=False, repr=False)
class Entry(Compared):
    """A key's value and where the key stands."""

    key_place: Place
    node: Node


@attrs.frozen(eq=False, repr=False)
class MappingNode(Compared):
    """Keys and values; keys are text and unique."""

    entries: Mapping[str, Entry]
    place: Place

    def __str__(self) -> str:
        return "a group of keys"


Node = ScalarNode | SequenceNode | MappingNode


def is_empty(node: Node) -> bool:
    """Whether nothing stands there: a key whose lines below are all commented out."""
    return isinstance(node, ScalarNode) and node.value is None and not node.odd


def show_path(path: KeyPath) -> str:
    """A path as people write it: `agents.helper.rag.includeTrustLevels[0]`; odd names are quoted."""
    shown = ""
    for part in path:
        if isinstance(part, int):
            shown += f"[{part}]"
            continue
        plain = part != "" and not any(character in '.[]"' or character.isspace() for character in part)
        shown += ("." if shown else "") + (part if plain else f'"{part}"')
    return shown


def from_python(data: Any, place: Place, path: KeyPath = ()) -> Node:
    """Nodes of plain Python data: mappings with text keys, lists, tuples, text, numbers, truth values, None, paths.

    Raises:
        ConfigError: for anything else, and for data that nests too deep or contains itself.
    """
    if len(path) > MAX_DEPTH:
        raise ConfigError(f"{place}: {show_path(path[:8])}...: nested more than {MAX_DEPTH} levels deep")
    if isinstance(data, Mapping):
        return _mapping_from_python(data, place, path)
    if isinstance(data, list | tuple):
        return SequenceNode(tuple(from_python(item, place, (*path, index)) for index, item in enumerate(data)), place)
    if isinstance(data, enum.Enum):
        data = data.value
    if isinstance(data, os.PathLike):
        data = os.fspath(data)
    if data is None or type(data) in (str, bool, int, float):
        return ScalarNode(data, place, text=_text(data))
    raise ConfigError(
        f"{place}: {show_path(path) or 'the config'}: a {type(data).__name__} is no plain data",
        hint="give mappings, lists, text, numbers, True, False or None",
    )


def _mapping_from_python(data: Mapping[Any, Any], place: Place, path: KeyPath) -> MappingNode:
    entries = {}
    for key, value in data.items():
        if type(key) is not str:
            raise ConfigError(f"{place}: {show_path(path) or 'the config'}: the key {key!r} is not text")
        entries[key] = Entry(place, from_python(value, place, (*path, key)))
    return MappingNode(entries, place)


def _text(value: str | int | float | bool | None) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
