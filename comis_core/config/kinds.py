"""What a value may be: one small class a kind of type, each of which reads, describes and exports itself.

Reading is strict. Nothing is coerced except a whole number where a fraction is wanted, which loses nothing.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from typing import Any, ClassVar, Final, Protocol

import attrs

from comis_core.config.names import did_you_mean
from comis_core.config.nodes import NOT_FINITE, KeyPath, MappingNode, Node, ScalarNode, SequenceNode, is_empty
from comis_core.config.problems import Problems

LARGEST = 2**63 - 1
"""Whole numbers beyond it fit nowhere."""


class _Failed(enum.Enum):
    FAILED = "failed"


FAILED: Final = _Failed.FAILED
"""What reading returns after noting a problem."""


class Kind(Protocol):
    """One kind of value. shape: how a node must be built to be one at all; None for no value."""

    shape: ClassVar[type[Any] | None]

    def describe(self) -> str:
        """What is wanted, to go after "must be"."""
        ...

    def read(self, node: Node, path: KeyPath, problems: Problems) -> Any:
        """The value of `node`, or FAILED after noting at least one problem."""
        ...

    def json_schema(self) -> dict[str, Any]:
        """The same as JSON Schema (draft 2020-12)."""
        ...


@attrs.frozen(eq=False, repr=False)
class TruthKind:
    """true or false. YAML's yes, no, on and off mean the same."""

    shape: ClassVar[type[Any] | None] = ScalarNode

    def describe(self) -> str:
        return "true or false"

    def read(self, node: Node, path: KeyPath, problems: Problems) -> Any:
        if isinstance(node, ScalarNode) and isinstance(node.value, bool):
            return node.value
        quoted = isinstance(node, ScalarNode) and str(node.value).lower() in ("true", "false")
        return refuse(self, node, path, problems, "write it without quotes" if quoted else "")

    def json_schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@attrs.frozen(eq=False, repr=False)
class NumberKind:
    """A finite number. whole: 5.0 is refused."""

    shape: ClassVar[type[Any] | None] = ScalarNode

    whole: bool

    def describe(self) -> str:
        return "a whole number" if self.whole else "a number"

    def read(self, node: Node, path: KeyPath, problems: Problems) -> Any:
        if isinstance(node, ScalarNode):
            value = node.value
            if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST:
                return value if self.whole else float(value)
            if isinstance(value, float) and not self.whole and math.isfinite(value):
                return value
        return refuse(self, node, path, problems, self.advice(node))

    def advice(self, node: Node) -> str:
        """How to write what was probably meant."""
        if not isinstance(node, ScalarNode) or isinstance(node.value, bool):
            return ""
        if node.odd:
            return "" if node.odd == NOT_FINITE else "write it as a plain decimal number"
        try:
            meant = float(node.text)
        except ValueError:
            return ""
        if not math.isfinite(meant):
            return "it must be finite"
        if abs(meant) > LARGEST:
            return "it is too large"
        if self.whole and not meant.is_integer():
            return ""
        return f"write {int(meant) if self.whole else meant}"

    def json_schema(self) -> dict[str, Any]:
        return {"type": "integer" if self.whole else "number"}


@attrs.frozen(eq=False, repr=False)
class TextKind:
    """Text. A number, truth value or date must stand in quotes to be one."""

    shape: ClassVar[type[Any] | None] = ScalarNode

    def describe(self) -> str:
        return "text"

    def read(self, node: Node, path: KeyPath, problems: Problems) -> Any:
        if isinstance(node, ScalarNode) and isinstance(node.value, str) and not node.odd:
            return node.value
        quotable = isinstance(node, ScalarNode) and not is_empty(node)
        return refuse(self, node, path, problems, "write it in quotes" if quotable else "")

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string"}


@attrs.frozen(eq=False, repr=False)
class NothingKind:
    """No value: `key:` or `key: null`."""

    shape: ClassVar[type[Any] | None] = None

    def describe(self) -> str:
        return "nothing"

    def read(self, node: Node, path: KeyPath, problems: Problems) -> Any:
        return None if is_empty(node) else refuse(self, node, path, problems)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "null"}


@attrs.frozen(eq=False, repr=False)
class ChoiceKind:
    """One of a few words (a Literal or an Enum). members: (word in the file, value in Python)."""

    shape: ClassVar[type[Any] | None] = ScalarNode

    members: tuple[tuple[Any, Any], ...]

    def describe(self) -> str:
        return "one of " + ", ".join(_shown(word) for word, _ in self.members)

    def read(self, node: Node, path: KeyPath, problems: Problems) -> Any:
        if isinstance(node, ScalarNode) and not node.odd:
            for word, value in self.members:
                if type(word) is type(node.value) and word == node.value:
                    return value
        return refuse(self, node, path, problems, self.advice(node))

    def advice(self, node: Node) -> str:
        """The word that was probably meant."""
        if not isinstance(node, ScalarNode):
            return ""
        if any(_shown(word) == node.text for word, _ in self.members):
            is_text = any(word == node.text for word, _ in self.members)
            return "write it in quotes" if is_text else "write it without quotes"
        guess = did_you_mean(node.text, (_shown(word) for word, _ in self.members))
        return f"did you mean {guess}?" if guess else ""

    def json_schema(self) -> dict[str, Any]:
        return {"enum": [word for word, _ in self.members]}


@attrs.frozen(eq=False, repr=False)
class ListKind:
    """Any number of values of one kind. build: makes the tuple, list or frozenset."""

    shape: ClassVar[type[Any] | None] = SequenceNode

    item: Kind
    build: Callable[[list[Any]], Any]

    def describe(self) -> str:
        return "a list"

    def read(self, node: Node, path: KeyPath, problems: Problems) -> Any:
        if not isinstance(node, SequenceNode):
            alone = isinstance(node, ScalarNode) and not is_empty(node)
            text = node.text if isinstance(node, ScalarNode) else ""
            return refuse(self, node, path, problems, f"write [{text}]" if alone else "")
        values = [self.item.read(item, (*path, index), problems) for index, item in enumerate(node.items)]
        return FAILED if FAILED in values else self.build(values)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.item.json_schema()}


@attrs.frozen(eq=False, repr=False)
class TableKind:
    """Free keys with values of one kind."""

    shape: ClassVar[type[Any] | None] = MappingNode

    value: Kind

    def describe(self) -> str:
        return "a group of keys"

    def read(self, node: Node, path: KeyPath, problems: Problems) -> Any:
        if not isinstance(node, MappingNode):
            return refuse(self, node, path, problems)
        values = {key: self.value.read(entry.node, (*path, key), problems) for key, entry in node.entries.items()}
        return FAILED if FAILED in values.values() else values

    def json_schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": self.value.json_schema()}


@attrs.frozen(eq=False, repr=False)
class EitherKind:
    """One of several kinds; the first that reads without a problem wins."""

    shape: ClassVar[type[Any] | None] = None

    kinds: tuple[Kind, ...]

    def describe(self) -> str:
        return " or ".join(dict.fromkeys(kind.describe() for kind in self.kinds))

    def read(self, node: Node, path: KeyPath, problems: Problems) -> Any:
        attempts = []
        for kind in self.kinds:
            attempt = Problems()
            value = kind.read(node, path, attempt)
            if not attempt:
                return value
            attempts.append(attempt)
        telling = [attempt for kind, attempt in zip(self.kinds, attempts, strict=True) if kind.shape is type(node)]
        if len(telling) != 1:
            return refuse(self, node, path, problems)
        problems.extend(telling[0])
        return FAILED

    def json_schema(self) -> dict[str, Any]:
        schemas = [kind.json_schema() for kind in self.kinds]
        if all(set(schema) == {"type"} for schema in schemas):
            return {"type": [schema["type"] for schema in schemas]}
        return {"anyOf": schemas}


def refuse(kind: Kind, node: Node, path: KeyPath, problems: Problems, advice: str = "") -> _Failed:
    """Note that `node` is not of this kind, with what to do about it."""
    problems.add(node.place, path, f"must be {kind.describe()}, not {node}" + (f"; {advice}" if advice else ""))
    return FAILED


def _shown(word: Any) -> str:
    return str(word).lower() if isinstance(word, bool) or word is None else str(word)
