"""Fields of a memory as callers like to write them."""

from __future__ import annotations

from typing import Any

import attrs

from comis_core.errors import ComisError, shown
from comis_core.model import MemoryType, NewMemory, Trust


def new_memory(content: str, fields: dict[str, Any]) -> NewMemory:
    """A memory of these fields. Raises ComisError for one that there is not, or a word that is none of an enum."""
    check_known(fields, refused=set())
    return NewMemory(content=content, **_coerced(fields))


def _coerced(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields as callers like to write them: words for enums, lists for tuples. Raises ComisError for unknown words."""
    kinds = {"type": MemoryType, "trust": Trust}
    made: dict[str, Any] = {}
    for name, value in fields.items():
        if name in kinds and not isinstance(value, kinds[name]):
            words = [str(word) for word in kinds[name]]
            if value not in words:
                raise ComisError(f"{name} must be one of {', '.join(words)}, not {shown(value)}")
            made[name] = kinds[name](value)
        elif isinstance(value, list | set | frozenset):
            made[name] = tuple(value)
        else:
            made[name] = value
    return made


def check_known(fields: dict[str, Any], *, refused: set[str]) -> None:
    """Raises ComisError for a field that a memory has not, or that may not be set here, with a guess what was meant."""
    known = {field.name for field in attrs.fields(NewMemory)} - refused
    if unknown := sorted(set(fields) - known):
        import difflib

        guess = difflib.get_close_matches(unknown[0], known, 1)
        hint = f"did you mean {guess[0]!r}?" if guess else f"known fields: {', '.join(sorted(known))}"
        raise ComisError(f"a memory has no field {unknown[0]!r} to set here", hint=hint)
