"""What a memory must be to be stored; each rule says what is wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from comis_core.errors import ComisError, MemoryRejected, shown
from comis_core.model import Annotation, MemoryType, NewMemory, Trust, to_microseconds
from comis_core.store.identity import to_bytes, to_text
from comis_core.text import check_text, normalise

MAX_CONTENT = 64 * 1024
"""Bytes of UTF-8."""
MAX_TITLE = 1_000
MAX_NAME = 512
"""Characters of a sender, channel, session, key, tag or annotation name."""
MAX_VALUE = 4_000
"""Characters of an annotation's value."""
MAX_LIST = 256
"""Tags, sources or annotations of one memory."""
MAX_INTEGER = 2**63 - 1
ORIGINS = ("caller", "model", "extractor")

Choice = TypeVar("Choice", MemoryType, Trust)


class _Refused(Exception):
    """A rule was broken; becomes MemoryRejected with the row's index."""


def checked(memory: NewMemory, index: int, *, allow_system: bool) -> NewMemory:
    """The memory in the form in which it is stored: NFC, trimmed names, canonical ids.

    Raises:
        MemoryRejected: naming the field and the rule.
    """
    try:
        return _checked(memory, allow_system=allow_system)
    except _Refused as refused:
        raise MemoryRejected(str(refused), index=index) from None


def checked_annotations(annotations: Sequence[Annotation], index: int = 0) -> tuple[Annotation, ...]:
    """Annotations in the form in which they are stored. Raises MemoryRejected."""
    try:
        return _annotations(annotations)
    except _Refused as refused:
        raise MemoryRejected(str(refused), index=index) from None


def sound_annotations(annotations: Sequence[Annotation]) -> tuple[Annotation, ...]:
    """Those annotations that keep the rules, in the form in which they are stored; an extractor's may not all do."""
    kept: list[Annotation] = []
    for annotation in annotations:
        try:
            kept += _annotations([annotation])
        except _Refused:
            continue
    return tuple(kept)


def _checked(memory: NewMemory, *, allow_system: bool) -> NewMemory:
    if not isinstance(memory, NewMemory):
        raise _Refused(f"a NewMemory is wanted, not {type(memory).__name__}")
    content = _content(memory.content)
    trust = _member("trust", memory.trust, Trust)
    if trust is Trust.SYSTEM and not allow_system:
        raise _Refused("trust 'system' is given by an administrator only")
    return NewMemory(
        content=content,
        title=_optional("title", memory.title, MAX_TITLE),
        type=_member("type", memory.type, MemoryType),
        trust=trust,
        sender=_optional("sender", memory.sender, MAX_NAME),
        channel=_optional("channel", memory.channel, MAX_NAME),
        session=_optional("session", memory.session, MAX_NAME),
        key=_optional("key", memory.key, MAX_NAME),
        turn=None if memory.turn is None else _integer("turn", memory.turn, 0),
        tags=_tags(memory.tags),
        occurred_at=_moment("occurred_at", memory.occurred_at),
        expires_at=_moment("expires_at", memory.expires_at),
        created_at=_moment("created_at", memory.created_at),
        created_given=_boolean("created_given", memory.created_given),
        pinned=_boolean("pinned", memory.pinned),
        proof_count=_integer("proof_count", memory.proof_count, 1),
        confidence=_fraction("confidence", memory.confidence),
        importance=None if memory.importance is None else _fraction("importance", memory.importance),
        source_ids=_uuids("source_ids", memory.source_ids),
        supersedes=_uuids("supersedes", memory.supersedes),
        id=None if memory.id is None else _uuid("id", memory.id),
        annotations=_annotations(memory.annotations),
    )


def _content(value: object) -> str:
    content = _text("content", value, None)
    if not content.strip():
        raise _Refused("content is empty")
    if len(content) > MAX_CONTENT // 4 and len(content.encode()) > MAX_CONTENT:
        raise _Refused(f"content is {len(content.encode()):,} bytes long; at most {MAX_CONTENT:,} are stored")
    return content


def _annotations(annotations: Sequence[Annotation]) -> tuple[Annotation, ...]:
    return tuple(map(_annotation, _list("annotations", annotations)))


def _annotation(annotation: Annotation) -> Annotation:
    if not isinstance(annotation, Annotation):
        raise _Refused(f"an annotation must be an Annotation, not {type(annotation).__name__}")
    kind = _text("an annotation's kind", annotation.kind, MAX_NAME)
    if not kind.strip():
        raise _Refused("an annotation's kind is empty")
    if annotation.origin not in ORIGINS:
        raise _Refused(f"an annotation's origin must be one of {', '.join(ORIGINS)}, not {shown(annotation.origin)}")
    return Annotation(
        kind=kind,
        origin=annotation.origin,
        name=_text("an annotation's name", annotation.name, MAX_NAME),
        predicate=_text("an annotation's predicate", annotation.predicate, MAX_NAME),
        value=_text("an annotation's value", annotation.value, MAX_VALUE),
        target=None if annotation.target is None else _uuid("an annotation's target", annotation.target),
        confidence=_fraction("an annotation's confidence", annotation.confidence),
        occurred_at=_moment("an annotation's occurred_at", annotation.occurred_at),
    )


def _text(name: str, value: object, limit: int | None) -> str:
    """The storage form of a string without NUL and lone surrogates, at most `limit` characters."""
    if not isinstance(value, str):
        raise _Refused(f"{name} must be a string, not {type(value).__name__}")
    if value.isascii() and "\0" not in value:
        text = value
    else:
        try:
            check_text(value)
        except ValueError as error:
            raise _Refused(f"{name} has {error}") from None
        text = normalise(value)
    if limit is not None and len(text) > limit:
        raise _Refused(f"{name} is {len(text):,} characters long; at most {limit:,} are stored")
    return text


def _optional(name: str, value: object, limit: int) -> str | None:
    return None if value is None else _text(name, value, limit) or None


def _tags(values: object) -> tuple[str, ...]:
    tags = _list("tags", values)
    return tuple(dict.fromkeys([_text("a tag", tag, MAX_NAME) for tag in tags])) if tags else ()


def _list(name: str, values: object) -> Sequence[Any]:
    if not isinstance(values, tuple | list):
        raise _Refused(f"{name} must be a tuple, not {type(values).__name__}")
    if len(values) > MAX_LIST:
        raise _Refused(f"{name} has {len(values)} entries; at most {MAX_LIST} are stored")
    return values


def _member(name: str, value: Any, kind: type[Choice]) -> Choice:
    if value.__class__ is kind:
        return value
    try:
        return kind(value)
    except ValueError:
        raise _Refused(
            f"{name} must be one of {', '.join(member.value for member in kind)}, not {shown(value)}"
        ) from None


def _moment(name: str, value: object) -> datetime | None:
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise _Refused(f"{name} must be a datetime, not {type(value).__name__}")
    if value.tzinfo is UTC:  # then nothing can be wrong with it
        return value
    if value.utcoffset() is None:
        raise _Refused(f"{name} has no time zone; give an aware datetime")
    try:
        to_microseconds(value)
    except ComisError as error:
        raise _Refused(f"{name}: {error.message}") from None
    return value


def _boolean(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _Refused(f"{name} must be true or false, not {shown(value)}")
    return value


def _integer(name: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _Refused(f"{name} must be a whole number, not {shown(value)}")
    if value < least:
        raise _Refused(f"{name} must be at least {least}, not {shown(value)}")
    if value > MAX_INTEGER:
        raise _Refused(f"{name} must be at most {MAX_INTEGER}, not {shown(value)}")
    return value


def _fraction(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Refused(f"{name} must be a finite number, not {shown(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise _Refused(f"{name} must be a finite number, not {value}")
    if not 0 <= value <= 1:
        raise _Refused(f"{name} must lie in 0..1, not {shown(value)}")
    return float(value)


def _uuids(name: str, values: object) -> tuple[str, ...]:
    ids = _list(name, values)
    return tuple(dict.fromkeys([_uuid(f"an entry of {name}", value) for value in ids])) if ids else ()


def _uuid(name: str, value: object) -> str:
    number = to_bytes(value) if isinstance(value, str) else None
    if number is None:
        raise _Refused(f"{name} must be a UUID, not {shown(value)}")
    return to_text(number)
