"""What facts show of themselves, worked out from their fields when it is asked for.

The same methods made by attrs are compiled for each class when it is made, which every start would pay for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs


class Shown:
    """Base of an attrs class with `repr=False`: `repr` names the class and its fields, of an array type and shape."""

    __slots__ = ()

    def __repr__(self) -> str:
        fields = (field for field in attrs.fields(type(self)) if field.repr)  # type: ignore[arg-type]
        shown = ", ".join(f"{field.name}={_field(field.repr, getattr(self, field.name))}" for field in fields)
        return f"{type(self).__name__}({shown})"


class Compared(Shown):
    """Base of a frozen attrs class with `eq=False`: two of one class are equal when their fields are."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return _values(self) == _values(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash((type(self), *_values(self)))


def _values(fact: Any) -> list[Any]:
    fields = [field for field in attrs.fields(type(fact)) if field.eq]
    return [(field.eq_key or _itself)(getattr(fact, field.name)) for field in fields]


def _itself(value: Any) -> Any:
    return value


def _field(way: bool | Callable[[Any], str], value: Any) -> str:
    """In the way that the field asks for."""
    return way(value) if callable(way) else _shown(value)


def _shown(value: Any) -> str:
    if type(value).__module__ == "numpy" and bool(getattr(value, "ndim", 0)):
        return f"{value.dtype}[{', '.join(map(str, value.shape))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {_shown(each)}' for key, each in value.items())}}}"
    return repr(value)
