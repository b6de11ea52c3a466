"""YAML to nodes with positions: the safe part of YAML 1.1 that a config needs, and a clear word for everything else.

It works on parser events, so nothing is ever constructed: no tags, no Python objects, no merge keys, no surprise types.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import attrs
import yaml

from comis_core.config.nodes import (
    MAX_DEPTH,
    NOT_FINITE,
    Entry,
    KeyPath,
    MappingNode,
    Node,
    Place,
    ScalarNode,
    SequenceNode,
    is_empty,
)
from comis_core.config.problems import Problems
from comis_core.errors import ConfigError

MAX_BYTES = 1_048_576
MAX_VALUES = 50_000
"""Values after every alias has been followed; aliases of aliases grow without bound otherwise."""

_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FRACTION = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")
_TRUTH = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}
_TAG = "tag:yaml.org,2002:"


def parse(text: str, source: str) -> MappingNode | None:
    """The mapping that a YAML text holds, or None when it holds nothing but comments.

    Raises:
        ConfigError: for text that is no YAML, no mapping at the top, or uses what a config must not use; duplicate
            and non-text keys are collected and raised together.
    """
    problems = Problems()
    composer = _Composer(source, problems)
    try:
        node = composer.document(yaml.parse(text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        raise ConfigError(_syntax(error, source)) from None
    except yaml.reader.ReaderError as error:
        place = _place_of_index(text, error.position, source)
        raise ConfigError(f"{place}: the character U+{ord(text[error.position]):04X} is not allowed in YAML") from None
    problems.raise_any(source)
    if node is None or isinstance(node, MappingNode):
        return node
    raise ConfigError(
        f"{node.place}: a config is made of keys (memory:, agents:, plugins:), not {node}",
        hint="put `key: value` lines at the top of the file",
    )


def decode(data: bytes, source: str) -> str:
    """UTF-8 text of a file's bytes.

    Raises:
        ConfigError: for another encoding, and for a file that is empty or too large to be a config.
    """
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{source}: {len(data):,} bytes are too many for a config (at most {MAX_BYTES:,})")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{source}:{line}: not UTF-8 (byte 0x{data[error.start]:02x})", hint="save the file as UTF-8"
        ) from None
    if not text.strip():
        raise ConfigError(f"{source}: the file is empty", hint="write one with `comis init`, or delete it")
    return text


@attrs.define
class _Composer:
    """Turns one document's events into nodes; holds what is open, what is anchored, and how much came of it."""

    source: str
    problems: Problems
    anchors: dict[str, tuple[Node, int]] = attrs.field(factory=dict)
    open_anchors: set[str] = attrs.field(factory=set)
    loader: yaml.SafeLoader = attrs.field(factory=lambda: yaml.SafeLoader(""))

    def document(self, events: Iterator[yaml.Event]) -> Node | None:
        node: Node | None = None
        for event in events:
            if not isinstance(event, yaml.NodeEvent):
                continue
            if node is not None:
                raise ConfigError(f"{self.place(event)}: a second document begins here; a config is one document")
            node, _ = self.node(event, events, ())
        return None if node is None or is_empty(node) else node

    def node(self, event: yaml.Event, events: Iterator[yaml.Event], path: KeyPath) -> tuple[Node, int]:
        """The node that begins with `event`, and how many values it holds."""
        if len(path) > MAX_DEPTH:
            raise ConfigError(f"{self.place(event)}: nested more than {MAX_DEPTH} levels deep")
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event)
        anchor: str | None = getattr(event, "anchor", None)
        if anchor is not None:
            self.open_anchors.add(anchor)
        node, size = self.own_node(event, events, path)
        if size > MAX_VALUES:
            raise ConfigError(f"{self.place(event)}: more than {MAX_VALUES:,} values once its aliases are followed")
        if anchor is not None:
            self.open_anchors.discard(anchor)
            self.anchors[anchor] = (node, size)
        return node, size

    def own_node(self, event: yaml.Event, events: Iterator[yaml.Event], path: KeyPath) -> tuple[Node, int]:
        tag: str | None = getattr(event, "tag", None)
        if tag is not None:
            shown = tag.replace(_TAG, "!!")
            raise ConfigError(f"{self.place(event)}: the tag {shown} is not allowed", hint="write the value without it")
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(event, events, path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(event, events, path)
        assert isinstance(event, yaml.ScalarEvent)
        return self.scalar(event), 1

    def alias(self, event: yaml.AliasEvent) -> tuple[Node, int]:
        name = event.anchor
        if name in self.open_anchors:
            raise ConfigError(f"{self.place(event)}: *{name} stands inside its own anchor &{name}")
        if name not in self.anchors:
            raise ConfigError(f"{self.place(event)}: no anchor &{name} stands above this alias")
        return self.anchors[name]

    def sequence(self, start: yaml.Event, events: Iterator[yaml.Event], path: KeyPath) -> tuple[Node, int]:
        items: list[Node] = []
        size = 1
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            item, held = self.node(event, events, (*path, len(items)))
            items.append(item)
            size += held
        return SequenceNode(tuple(items), self.place(start)), size

    def mapping(self, start: yaml.Event, events: Iterator[yaml.Event], path: KeyPath) -> tuple[Node, int]:
        entries: dict[str, Entry] = {}
        size = 1
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            place = self.place(event)
            key, _ = self.node(event, events, (*path, "?"))
            name = self.key(key, place, path)
            value, held = self.node(next(events), events, (*path, name or "?"))
            size += held
            if name in entries:
                first = entries[name].key_place
                self.problems.add(place, (*path, name), f"given twice; it stands in line {first.line} already")
            elif name is not None:
                entries[name] = Entry(place, value)
        return MappingNode(entries, self.place(start)), size

    def key(self, node: Node, place: Place, path: KeyPath) -> str | None:
        """The text of a key, or None after noting why it has none."""
        if not isinstance(node, ScalarNode):
            self.problems.add(place, path, f"a key must be text, not {node}")
        elif node.text == "<<" and node.odd:
            self.problems.add(place, path, "merge keys (<<) are no part of a config; use a preset or repeat the keys")
        elif isinstance(node.value, str) and not node.odd:
            return node.value
        else:
            self.problems.add(place, path, f"YAML reads the key `{node.text}` as {node.meaning}; write it in quotes")
        return None

    def scalar(self, event: yaml.ScalarEvent) -> ScalarNode:
        place, text = self.place(event), event.value
        if not event.implicit[0]:
            return ScalarNode(text, place, text)
        tag: str = self.loader.resolve(yaml.ScalarNode, text, event.implicit)  # type: ignore[no-untyped-call] # its stub
        return _resolved(tag.removeprefix(_TAG), text, place)

    def place(self, event: yaml.Event) -> Place:
        mark = event.start_mark
        return Place(self.source, mark.line + 1, mark.column + 1) if mark else Place(self.source)


def _resolved(tag: str, text: str, place: Place) -> ScalarNode:
    """A plain scalar as YAML 1.1 reads it; what looks like one thing and is read as another is marked odd."""
    if tag == "str":
        return ScalarNode(text, place, text)
    if tag == "null":
        return ScalarNode(None, place, text)
    if tag == "bool":
        return ScalarNode(_TRUTH[text.lower()], place, text)
    if tag == "int" and _DECIMAL.fullmatch(text):
        return ScalarNode(int(text), place, text)
    if tag == "float" and _FRACTION.fullmatch(text) and math.isfinite(float(text)):
        return ScalarNode(float(text), place, text)
    return ScalarNode(text, place, text, odd=_oddity(tag, text))


def _oddity(tag: str, text: str) -> str:
    digits = text.lstrip("+-").lower()
    if tag == "timestamp":
        return "a date"
    if tag not in ("int", "float"):
        return "a sign of its own"
    if ":" in digits:
        return "a number to base 60"
    if "_" in digits:
        return "a number with separators"
    if digits.startswith(("0x", "0b")):
        return "a hexadecimal or binary number"
    if tag == "float":
        return NOT_FINITE
    return "an octal number" if digits.startswith("0") else "a number too long to hold"


def _syntax(error: yaml.MarkedYAMLError, source: str) -> str:
    mark = error.problem_mark or error.context_mark
    place = Place(source, mark.line + 1, mark.column + 1) if mark else Place(source)
    problem = error.problem or "not YAML"
    if "'\\t'" in problem:
        return f"{place}: a tab where YAML wants spaces (indent with spaces)"
    if "mapping values are not allowed" in problem:
        return f"{place}: a second `key:` in one line, or the line above is indented otherwise (check the indentation)"
    context = f" ({error.context})" if error.context else ""
    return f"{place}: not YAML: {problem}{context}"


def _place_of_index(text: str, index: int, source: str) -> Place:
    line = text.count("\n", 0, index) + 1
    return Place(source, line, index - text.rfind("\n", 0, index))
