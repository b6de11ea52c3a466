"""Which values pass a filter, and which namespaces a condition."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from langgraph.store.base import MatchCondition

from comis_core.errors import ComisError

_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
_EQUAL: Mapping[str, Callable[[Any, Any], bool]] = {"$eq": operator.eq, "$ne": operator.ne}


def passes(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether a value has what a filter wants: for each key an equal value, or one that its operators accept.

    Raises:
        ComisError: the filter has an operator that does not exist.
    """
    return all(_equals(value.get(key), condition) for key, condition in (wanted or {}).items())


def matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    """Whether a namespace begins or ends with the condition's path, in which `*` stands for any one name."""
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", name) for wanted, name in zip(path, part, strict=True))


def _equals(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping):
        return bool(value == (list(wanted) if isinstance(wanted, tuple) else wanted))
    if any(str(name).startswith("$") for name in wanted):
        return all(_holds(value, name, operand) for name, operand in wanted.items())
    return isinstance(value, Mapping) and passes(value, wanted)


def _holds(value: Any, name: str, operand: Any) -> bool:
    if name in _EQUAL:
        return _EQUAL[name](value, operand)
    if name not in _ORDER:
        raise ComisError(f"a filter has no operator {name!r}", hint=f"there are {', '.join([*_EQUAL, *_ORDER])}")
    try:
        return _ORDER[name](value, operand)
    except TypeError:  # an absent value, or one of another kind, is neither more nor less
        return False
