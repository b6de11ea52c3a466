"""Records as JSON-ready rows and back: the form of exports, imports and `--json`.

Absent fields are left out. Reading is strict: an unknown key, a number where text is wanted or a time that is no ISO
time is an error that names the field. Times without a zone are refused, as everywhere.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from datetime import datetime
from types import GenericAlias
from typing import TYPE_CHECKING, Any, get_args, get_origin

from comis_core.errors import ComisError, shown
from comis_core.model import Annotation, Memory, MemoryType, NewMemory, Trust

if TYPE_CHECKING:
    from cattrs import Converter

CARRIED = frozenset({"tenant", "agent", "opened_at", "closed_at", "evicted_at"})
"""Keys of an exported memory that say where it was, and that an import does not set."""


def memory_row(memory: Memory) -> dict[str, Any]:
    """A memory as a row; `new_memory` reads it back."""
    row: dict[str, Any] = _converter().unstructure(memory)
    return {**row, "tenant": memory.scope.tenant, "agent": memory.scope.agent}


def row_of(record: object) -> Any:
    """Any record of this package as JSON-ready data."""
    return _converter().unstructure(record)


def new_memory(row: Mapping[str, Any]) -> NewMemory:
    """The memory that a row describes. Raises ComisError naming every field that is wrong."""
    from cattrs.errors import BaseValidationError

    fields = {key: value for key, value in row.items() if key not in CARRIED}
    if not fields.keys() >= {"content"}:
        raise ComisError("content is missing")
    try:
        made: NewMemory = _converter().structure(fields, NewMemory)
    except BaseValidationError as error:
        raise ComisError("; ".join(_words(error))) from None
    return made


@functools.cache
def _converter() -> Converter:
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
    from cattrs.preconf.json import make_converter

    made: Converter = make_converter(forbid_extra_keys=True)
    made.register_unstructure_hook(datetime, lambda moment: moment.isoformat().replace("+00:00", "Z"))
    made.register_structure_hook(datetime, lambda value, _: _moment(value))
    for kind, name in ((str, "text"), (bool, "true or false"), (int, "a whole number")):
        made.register_structure_hook(kind, functools.partial(_exactly, kind, name))
    made.register_structure_hook(float, lambda value, _: _number(value))
    for words in (MemoryType, Trust):
        made.register_structure_hook(words, functools.partial(_one_of, words))
    made.register_structure_hook_factory(_is_list, functools.partial(_list_hook, made))
    hidden = {"scope": override(omit=True), "fingerprint": override(omit=True)}
    # Left out, an import would take a stamp of the store for a date that somebody gave.
    always = {"created_given": override(omit_if_default=False)}
    made.register_unstructure_hook(
        Memory,
        make_dict_unstructure_fn(Memory, made, _cattrs_omit_if_default=True, **hidden, **always),  # type: ignore[arg-type]
    )
    made.register_unstructure_hook(Annotation, make_dict_unstructure_fn(Annotation, made, _cattrs_omit_if_default=True))
    for record in (Annotation, NewMemory):
        hook = make_dict_structure_fn(record, made, _cattrs_forbid_extra_keys=True)
        made.register_structure_hook(record, hook)
    return made


def _exactly(kind: type, name: str, value: Any, _: Any) -> Any:
    if type(value) is not kind:
        raise ValueError(f"must be {name}, not {shown(value)}")
    return value


def _one_of(words: type[MemoryType] | type[Trust], value: Any, _: Any) -> Any:
    if value not in [str(word) for word in words]:
        raise ValueError(f"must be one of {', '.join(words)}, not {shown(value)}")
    return words(value)


def _is_list(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _list_hook(made: Converter, kind: Any) -> Callable[[Any, Any], Any]:
    """A hook for tuple[X, ...] that takes lists alone: a text is no list of characters."""
    items: Any = GenericAlias(list, get_args(kind)[:1])

    def hook(value: Any, _: Any) -> Any:
        if not isinstance(value, list):
            raise ValueError(f"must be a list, not {shown(value)}")
        return tuple(made.structure(value, items))

    return hook


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"must be a number, not {shown(value)}")
    return float(value)


def _moment(value: Any) -> datetime:
    if not isinstance(value, str):
        raise ValueError(f"must be an ISO time, not {shown(value)}")
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError(f"{shown(value)} has no time zone; write 2026-03-01T09:30:00Z or with an offset")
    return moment


def _words(error: BaseException, where: str = "") -> list[str]:
    """What is wrong, field by field."""
    from cattrs.errors import AttributeValidationNote, ForbiddenExtraKeysError, IterableValidationNote

    if isinstance(error, ForbiddenExtraKeysError):
        return [f"unknown field {name!r}{f' of {where}' if where else ''}" for name in sorted(error.extra_fields)]
    if not isinstance(error, BaseExceptionGroup):
        return [f"{where}: {error}"]
    found: list[str] = []
    for inner in error.exceptions:
        place = where
        for note in getattr(inner, "__notes__", ()):
            if isinstance(note, AttributeValidationNote):
                place = f"{where}.{note.name}" if where else note.name
            elif isinstance(note, IterableValidationNote):
                place = f"{where}[{note.index}]"
        found += _words(inner, place)
    return found
