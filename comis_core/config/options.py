"""Options classes: what their attributes may be, and how an instance is made with every validator heard."""

from __future__ import annotations

import copy
import enum
import types
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Literal, Union, cast, get_args, get_origin, get_type_hints

import attrs

from comis_core.config.constraints import constraints
from comis_core.config.kinds import (
    FAILED,
    ChoiceKind,
    EitherKind,
    Kind,
    ListKind,
    NothingKind,
    NumberKind,
    TableKind,
    TextKind,
    TruthKind,
    refuse,
)
from comis_core.config.names import did_you_mean, to_key
from comis_core.config.nodes import KeyPath, MappingNode, Node, Place
from comis_core.config.problems import Problems
from comis_core.model.shown import Compared

_LISTS: Mapping[Any, Any] = types.MappingProxyType({tuple: tuple, list: list, frozenset: frozenset, Sequence: tuple})
_NAMED: Mapping[str, type[Any]] = types.MappingProxyType({each.__name__: each for each in (bool, int, float, str)})
"""Types as they are written where annotations are kept as text."""
_SIMPLE: Mapping[Any, Kind] = types.MappingProxyType({
    bool: TruthKind(),
    int: NumberKind(whole=True),
    float: NumberKind(whole=False),
    str: TextKind(),
    type(None): NothingKind(),
})


@attrs.frozen(eq=False, repr=False)
class OptionField(Compared):
    """One attribute of an options class as a config key."""

    key: str
    attribute: attrs.Attribute[Any]
    kind: Kind

    @property
    def argument(self) -> str:
        """What the class calls it when an instance is made."""
        return self.attribute.alias or self.attribute.name

    @property
    def help(self) -> str:
        """The attribute's `metadata={"help": ...}`."""
        return str(self.attribute.metadata.get("help", ""))

    def json_schema(self, default: Any) -> dict[str, Any]:
        """JSON Schema of the key: type, range, words and the given default."""
        schema = self.kind.json_schema()
        schema |= constraints(self.attribute.validator, schema)
        if self.help:
            schema["description"] = self.help
        return {**schema, "default": plain(default)}


@attrs.frozen(eq=False, repr=False)
class Given(Compared):
    """A value that was read. node: what it was read from; its place says who wrote it."""

    value: Any
    node: Node
    path: KeyPath

    @property
    def place(self) -> Place:
        """Where it was written."""
        return self.node.place


def fields_of(options_class: type[Any], inside: tuple[type[Any], ...] = ()) -> tuple[OptionField, ...]:
    """The keys of an options class.

    Raises:
        TypeError: when it is no attrs class, an attribute has no default, a name that is no key, or a type that
            cannot stand in a config; the message names class and attribute.
    """
    return _fields_of(cast(Hashable, options_class), inside)


@lru_cache(maxsize=512)
def _fields_of(options_class: Any, inside: tuple[type[Any], ...]) -> tuple[OptionField, ...]:
    # Kept, because a schema asks for the keys of each class several times and type hints take long to resolve.
    if not attrs.has(options_class):
        raise TypeError(f"{options_class.__name__} is not an attrs class")
    if options_class in inside:
        raise TypeError(f"{options_class.__name__} holds itself")
    hints = _hints(options_class)
    fields = []
    for attribute in attrs.fields(options_class):
        where = f"{options_class.__name__}.{attribute.name}"
        if not attribute.init:
            continue
        if attribute.default is attrs.NOTHING:
            raise TypeError(f"{where} has no default; every option needs one")
        try:
            key = to_key(attribute.name)
            kind = kind_of(hints.get(attribute.name), (*inside, options_class))
        except (ValueError, TypeError) as error:
            raise TypeError(f"{where}: {error}") from error
        fields.append(OptionField(key, attribute, kind))
    return tuple(fields)


def _hints(options_class: type[Any]) -> dict[str, Any]:
    written = {attribute.name: attribute.type for attribute in attrs.fields(options_class)}
    if all(isinstance(hint, str) and hint in _NAMED for hint in written.values()):
        return {name: _NAMED[hint] for name, hint in written.items()}  # as most are: there is nothing to resolve
    try:
        return get_type_hints(options_class)
    except NameError as error:
        raise TypeError(f"{options_class.__name__}: {error}; import the types of options at run time") from error


def kind_of(hint: Any, inside: tuple[type[Any], ...] = ()) -> Kind:
    """The kind for a type hint: bool, int, float, str, None, Literal, Enum, unions, lists, text-keyed mappings and
    attrs classes of these.

    Raises:
        TypeError: for any other type.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(hint, type) and hint in _SIMPLE:
        return _SIMPLE[hint]
    if origin is Literal:
        return ChoiceKind(tuple((word, word) for word in arguments))
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return ChoiceKind(tuple((member.value, member) for member in hint))
    if origin in (Union, types.UnionType):
        return EitherKind(tuple(kind_of(argument, inside) for argument in arguments))
    if origin in _LISTS and (origin is not tuple or arguments[1:] == (...,)):
        return ListKind(kind_of(arguments[0], inside), _LISTS[origin])
    if origin in (dict, Mapping) and arguments[0] is str:
        return TableKind(kind_of(arguments[1], inside))
    if isinstance(hint, type) and attrs.has(hint):
        return RecordKind(hint, fields_of(hint, inside))
    raise TypeError(
        f"options cannot be of type {hint}; use bool, int, float, str, None, Literal, Enum, tuple[X, ...], "
        "list, frozenset, Mapping[str, X] or an attrs class"
    )


@attrs.frozen(eq=False, repr=False)
class RecordKind(Compared):
    """A group of keys that an attrs class inside an options class stands for; as strict as a section."""

    shape: ClassVar[type[Any] | None] = MappingNode

    options_class: type[Any]
    fields: tuple[OptionField, ...]

    def describe(self) -> str:
        return "a group of keys"

    def read(self, node: Node, path: KeyPath, problems: Problems) -> Any:
        if not isinstance(node, MappingNode):
            return refuse(self, node, path, problems)
        fields = {field.key: field for field in self.fields}
        given, sound = {}, True
        for key, entry in node.entries.items():
            if key not in fields:
                problems.add(entry.key_place, (*path, key), unknown_key(key, fields))
                sound = False
                continue
            value = fields[key].kind.read(entry.node, (*path, key), problems)
            sound = sound and value is not FAILED
            if value is not FAILED:
                given[key] = Given(value, entry.node, (*path, key))
        made = make(self.options_class, self.fields, given, problems, place=node.place, path=path, complete=sound)
        return made if sound else FAILED

    def json_schema(self) -> dict[str, Any]:
        defaults = self.options_class()
        properties = {field.key: field.json_schema(getattr(defaults, field.attribute.name)) for field in self.fields}
        return {"type": "object", "properties": properties, "additionalProperties": False}


def unknown_key(key: str, allowed: Mapping[str, Any]) -> str:
    """The words for a key that does not exist: a guess at what was meant, and what is allowed."""
    guess = did_you_mean(key, allowed)
    words = "unknown key" + (f"; did you mean {guess}?" if guess else "")
    return f"{words} (allowed here: {', '.join(sorted(allowed)) or 'nothing'})"


def make(
    options_class: type[Any],
    fields: Sequence[OptionField],
    given: Mapping[str, Given],
    problems: Problems,
    *,
    place: Place | None,
    path: KeyPath,
    complete: bool,
) -> Any:
    """An instance of an options class from the values that were read, by key.

    Every validator's words become a problem at the value it refused; what the class says as a whole becomes one at
    `place` and `path`. complete: whether every value that was written could be read; else only single values are
    judged. Returns FAILED when there is any problem.
    """
    known = [field for field in fields if field.key in given]
    try:
        return options_class(**{field.argument: given[field.key].value for field in known})
    except Exception as error:  # noqa: BLE001 - validators are a plugin's own code
        if not _blame(options_class, known, given, problems) and complete:
            problems.add(place or _first_place(given), path, _words(error))
    return FAILED


def _blame(
    options_class: type[Any], known: Sequence[OptionField], given: Mapping[str, Given], problems: Problems
) -> bool:
    """Ask each validator on its own, with all values in sight, so that none hides behind another."""
    draft = copy.copy(options_class())
    for field in known:
        object.__setattr__(draft, field.attribute.name, given[field.key].value)
    found = False
    for field in known:
        if field.attribute.validator is None:
            continue
        value = given[field.key]
        try:
            field.attribute.validator(draft, field.attribute, value.value)
        except Exception as error:  # noqa: BLE001 - as above
            words = _words(error).replace(f"'{field.attribute.name}'", f"'{field.key}'")
            problems.add(value.place, value.path, words)
            found = True
    return found


def _words(error: Exception) -> str:
    return str(error.args[0]) if error.args else type(error).__name__


def _first_place(given: Mapping[str, Given]) -> Place | None:
    return next((value.place for value in given.values()), None)


def plain(value: Any) -> Any:
    """The value as it would stand in a file: enums as words, tuples and sets as lists, attrs instances as keys."""
    if attrs.has(type(value)):
        return {field.key: plain(getattr(value, field.attribute.name)) for field in fields_of(type(value))}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: plain(held) for key, held in value.items()}
    if isinstance(value, frozenset | set):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
