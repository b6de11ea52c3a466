"""Ranges as JSON Schema: what attrs' own validators say about a value.

They are recognised by what they carry, since attrs keeps their classes to itself; a validator of another make simply
adds nothing here and still speaks when a value is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_BOUNDS: Mapping[str, str] = MappingProxyType({
    ">=": "minimum",
    ">": "exclusiveMinimum",
    "<=": "maximum",
    "<": "exclusiveMaximum",
})
_LENGTHS: Mapping[str, str] = MappingProxyType({"string": "Length", "array": "Items", "object": "Properties"})


def constraints(validator: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    """JSON Schema keywords for a validator on a value of the given schema; empty for None and unknown validators."""
    if validator is None:
        return {}
    found: dict[str, Any] = {}
    for part in getattr(validator, "_validators", ()):
        found |= constraints(part, schema)
    if hasattr(validator, "compare_op"):
        found[_BOUNDS[validator.compare_op]] = validator.bound
    if hasattr(validator, "validator"):
        found |= constraints(validator.validator, schema)
        found |= {"enum": [*found["enum"], None]} if "enum" in found else {}
    elif hasattr(validator, "options"):
        found["enum"] = list(validator.options)
    if hasattr(validator, "pattern"):
        found["pattern"] = validator.pattern.pattern
    if hasattr(validator, "member_validator") and "items" in schema:
        found["items"] = {**schema["items"], **constraints(validator.member_validator, schema["items"])}
    return found | _lengths(validator, schema)


def _lengths(validator: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    kinds = schema.get("type", ())
    noun = next((_LENGTHS[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind in _LENGTHS), "")
    limits = {"min": getattr(validator, "min_length", None), "max": getattr(validator, "max_length", None)}
    return {f"{end}{noun}": limit for end, limit in limits.items() if noun and limit is not None}
