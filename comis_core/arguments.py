"""What callers of the facade may pass, checked at the door: what is wrong, with which argument, and what to pass."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from comis_core.errors import ArgumentError, shown
from comis_core.model import to_microseconds

MOST = 1_000_000_000
"""Above anything that is counted here, and below what SQLite counts with."""


def a_text(name: str, value: object, *, hint: str = "") -> str:
    """The value, if it is a string that can be stored and looked up. Raises ArgumentError."""
    if not isinstance(value, str):
        raise ArgumentError(f"{name} must be a string, not {_shown(value)}", hint=hint)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ArgumentError(
                f"{name} has half a character in it: {shown(value)}", hint="pass whole Unicode"
            ) from None
    return value


def a_text_or_none(name: str, value: object) -> str | None:
    """The value, if it is a string or None. Raises ArgumentError."""
    return None if value is None else a_text(name, value)


def a_flag(name: str, value: object) -> bool:
    """The value, if it is True or False: "false" is true to an `if`, and nobody means it so. Raises ArgumentError."""
    if not isinstance(value, bool):
        raise ArgumentError(f"{name} must be True or False, not {_shown(value)}")
    return value


def a_count(name: str, value: object, *, least: int = 1, most: int = MOST) -> int:
    """The value, if it is a whole number of `least` to `most`. Raises ArgumentError."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ArgumentError(f"{name} must be a whole number of at least {least}, not {_shown(value)}")
    if value > most:
        raise ArgumentError(f"{name} must be a whole number of at most {most:,}, not {_shown(value)}")
    return value


def a_moment(name: str, value: object) -> datetime:
    """The value, if it is a datetime with a time zone. Raises ArgumentError, or ComisError beyond the calendar."""
    if not isinstance(value, datetime):
        raise ArgumentError(f"{name} must be a datetime, not {_shown(value)}")
    if value.utcoffset() is None:
        raise ArgumentError(
            f"{name} has no time zone: {value.isoformat()}", hint="for instance datetime(2026, 3, 1, tzinfo=UTC)"
        )
    to_microseconds(value)
    return value


def an_id(name: str, value: object, *, hint: str = "pass the `id` of what `store` returned") -> str:
    """The value, if it is a string; whether it is anybody's id is for the store to say. Raises ArgumentError."""
    if not isinstance(value, str):
        raise ArgumentError(f"{name} must be an id as text, not {_shown(value)}", hint=hint)
    return value


def a_trace_id(value: object) -> str:
    """As `an_id`; an answer has none unless its trace was kept. Raises ArgumentError."""
    return an_id("trace_id", value, hint="pass the `trace_id` of an answer that was asked for with keep_trace=True")


def ids(name: str, values: Iterable[object]) -> tuple[str, ...]:
    """The values, if all are strings. Raises ArgumentError; also for a list in place of several arguments."""
    for value in values:
        if isinstance(value, list | tuple | set | frozenset):
            raise ArgumentError(
                f"{name} takes ids one by one, not {_shown(value)}", hint="write a star before the list: *ids"
            )
        an_id(f"each argument of {name}", value)
    return tuple(map(str, values))


def a_file(name: str, value: object) -> Path:
    """The value as a path, with the home folder filled in. Raises ArgumentError."""
    if not isinstance(value, str | os.PathLike) or not str(value):
        raise ArgumentError(f"{name} must be the path of a file, not {_shown(value)}")
    text = a_text(name, os.fspath(value))
    if "\0" in text:
        raise ArgumentError(f"{name} has a NUL in it: {text!r}")
    if text.startswith((":memory:", "file:")):
        # SQLite's own names. As a path they would make a file of that name in the working folder.
        raise ArgumentError(
            f"{name} must name a file, not {text!r}", hint="for a while only: a file in a temporary folder"
        )
    return Path(text).expanduser()


def several(name: str, values: object, what: str) -> list[Any]:
    """The values as a list; a single text or mapping is no collection of `what`. Raises ArgumentError."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ArgumentError(f"{name} must be a collection of {what}, not {_shown(values)}", hint="pass a list")
    return list(values)


def _shown(value: object) -> str:
    return "None" if value is None else f"{type(value).__name__} {shown(value)}"
