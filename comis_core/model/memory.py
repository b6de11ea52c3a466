"""What is remembered: scopes, memories, annotations, and what a caller may ask of the store."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import attrs

from comis_core.errors import ArgumentError, ComisError, shown
from comis_core.model.shown import Compared, Shown
from comis_core.model.times import to_microseconds


class MemoryType(enum.StrEnum):
    """What kind of thing is remembered; the values' order is the stored code (0..3)."""

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


class Trust(enum.StrEnum):
    """Provenance and policy label; the values' order is the stored code (0..2), higher is more trusted."""

    EXTERNAL = "external"
    LEARNED = "learned"
    SYSTEM = "system"


TYPE_CODES: Mapping[MemoryType, int] = {kind: code for code, kind in enumerate(MemoryType)}
TRUST_CODES: Mapping[Trust, int] = {trust: code for code, trust in enumerate(Trust)}
TYPES: tuple[MemoryType, ...] = tuple(MemoryType)
TRUSTS: tuple[Trust, ...] = tuple(Trust)


def _non_empty(instance: object, attribute: attrs.Attribute[str], value: str) -> None:
    if not isinstance(value, str) or not value.strip():
        raise ArgumentError(f"{attribute.name} must be a non-empty string, not {shown(value)}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ArgumentError(f"{attribute.name} has half a character in it: {shown(value)}") from None


@attrs.frozen(repr=False)
class Scope(Shown):
    """The boundary no recall crosses: one agent of one tenant."""

    tenant: str = attrs.field(validator=_non_empty)
    agent: str = attrs.field(validator=_non_empty)

    def __str__(self) -> str:
        return f"{self.tenant}/{self.agent}"


@attrs.frozen(kw_only=True, repr=False)
class Annotation(Shown):
    """Something said about a memory by a caller, a model or an extractor. It cannot be derived again, so it is truth.

    kind: "entity" (name), "alias" (name is another name of the entity `value`), "cause" (this memory is a cause of
    the memory `target`), "triple" (subject `name`, `predicate`, object `value`), "supersedes" (this memory replaces
    `target`); plugins may use kinds of their own.
    """

    kind: str
    name: str = ""
    predicate: str = ""
    value: str = ""
    target: str | None = None
    """The id of another memory."""
    confidence: float = 1.0
    origin: str = "caller"
    """"caller", "model" or "extractor"."""
    occurred_at: datetime | None = None
    """Event time of the statement; a memory's own `occurred_at` counts when it is absent."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class NewMemory(Compared):
    """What a caller asks the store to remember. Only `content` is required."""

    content: str
    title: str | None = None
    type: MemoryType = MemoryType.SEMANTIC
    trust: Trust = Trust.LEARNED
    sender: str | None = None
    channel: str | None = None
    session: str | None = None
    turn: int | None = None
    tags: tuple[str, ...] = ()
    key: str | None = None
    """Optional identifier: two live memories of one scope with the same key and different content conflict."""
    occurred_at: datetime | None = None
    expires_at: datetime | None = None
    pinned: bool = False
    proof_count: int = 1
    confidence: float = 1.0
    importance: float | None = None
    source_ids: tuple[str, ...] = ()
    id: str | None = None
    """A UUID given by the caller (import, sync, evaluation); any other string is refused."""
    created_at: datetime | None = None
    created_given: bool = True
    """Whether `created_at` is a date that somebody meant; False for one that a store stamped (restoring an export)."""
    annotations: tuple[Annotation, ...] = ()
    supersedes: tuple[str, ...] = ()


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Memory(Compared):
    """One version of a stored memory, as the API shows it."""

    id: str
    scope: Scope
    content: str
    type: MemoryType
    trust: Trust
    created_at: datetime
    """Record time: when it was stored first."""
    created_given: bool = False
    """Whether the caller gave `created_at`; only then is it a date worth searching."""
    opened_at: datetime
    """Record time of this version."""
    closed_at: datetime | None = None
    title: str | None = None
    sender: str | None = None
    channel: str | None = None
    session: str | None = None
    turn: int | None = None
    tags: tuple[str, ...] = ()
    key: str | None = None
    occurred_at: datetime | None = None
    """Event time: when it was true in the world."""
    expires_at: datetime | None = None
    evicted_at: datetime | None = None
    pinned: bool = False
    proof_count: int = 1
    confidence: float = 1.0
    importance: float | None = None
    source_ids: tuple[str, ...] = ()
    fingerprint: bytes = b""
    """16 bytes over the folded text; equal for equal text."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Stored(Compared):
    """What became of one memory: its id, whether it was there already, its trust, and the validators' words."""

    id: str
    trust: Trust
    duplicate: bool = False
    warnings: tuple[str, ...] = ()


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Rejected(Compared):
    """A row of a batch that was refused; the others went in."""

    index: int
    reason: str


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BatchResult(Compared):
    """Outcome of a batch store: `stored` in the order of the accepted rows, `rejected` by index."""

    stored: tuple[Stored, ...]
    rejected: tuple[Rejected, ...]


def _set_of(kind: type[str], value: Any) -> Any:
    """Any collection of words as a frozenset of `kind`; a single text is no collection. Raises ComisError."""
    if value is None:
        return None
    words = [] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    if isinstance(value, str) or not isinstance(value, Iterable) or not all(isinstance(word, str) for word in words):
        raise ComisError(f"a filter takes a set of {kind.__name__} values, not {shown(value)}")
    try:
        return frozenset(map(kind, words))
    except ValueError as error:
        raise ComisError(f"a filter names something unknown: {error}") from None


def _trusts(value: Any) -> frozenset[Trust] | None:
    found: frozenset[Trust] | None = _set_of(Trust, value)
    return found


def _types(value: Any) -> frozenset[MemoryType] | None:
    found: frozenset[MemoryType] | None = _set_of(MemoryType, value)
    return found


def _tags(value: Any) -> frozenset[str] | None:
    found: frozenset[str] | None = _set_of(str, value)
    return found


def _moment(value: Any) -> datetime | None:
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise ComisError(f"a filter takes a datetime, not {shown(value)}")
    to_microseconds(value)
    return value


@attrs.frozen(kw_only=True, repr=False)
class Filters(Shown):
    """What a recall may see, applied inside every lane (never after the k nearest were taken).

    None means no restriction. `since`/`until` bound the event time (else the record time), half-open [since, until).
    `record_as_of` shows the versions that were live at that moment of record time; `event_as_of` hides what happened
    later than that moment of event time.
    """

    trust: frozenset[Trust] | None = attrs.field(default=None, converter=_trusts)
    types: frozenset[MemoryType] | None = attrs.field(default=None, converter=_types)
    tags: frozenset[str] | None = attrs.field(default=None, converter=_tags)
    """A memory needs at least one of them."""
    since: datetime | None = attrs.field(default=None, converter=_moment)
    until: datetime | None = attrs.field(default=None, converter=_moment)
    record_as_of: datetime | None = attrs.field(default=None, converter=_moment)
    event_as_of: datetime | None = attrs.field(default=None, converter=_moment)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Page(Compared):
    """One page of `browse`: `cursor` continues it, None at the end."""

    memories: tuple[Memory, ...]
    cursor: str | None = None
