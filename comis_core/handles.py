"""Values derived from a scope, each exactly as of one change of its log, shared by the reader threads.

A reader's snapshot may be older than what another thread has built already, so a value is never changed: a change
makes a new one, and the recent few are kept. A snapshot older than all of them loads its own.

Public: the core's own services and plugins that keep something of a scope in RAM use it alike.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

import attrs

from comis_core.protocols import Change, Snapshot


class Sized(Protocol):
    """A value that knows what it occupies."""

    @property
    def memory(self) -> Mapping[int, int]:
        """Identity of each block of RAM that it holds -> bytes; values that share a block name the same identity."""
        ...


T = TypeVar("T", bound=Sized)

KEPT = 4
"""Versions kept of one key: more readers than that seldom stand at different changes of one scope."""


@attrs.define(eq=False, repr=False)
class _Entry(Generic[T]):
    """The recent versions of one key, in the order in which they were made."""

    making: threading.Lock = attrs.field(factory=threading.Lock)
    versions: deque[tuple[int, T]] = attrs.field(factory=lambda: deque(maxlen=KEPT))
    counted: int = 0
    """Bytes of this entry in the cache's total."""

    def at(self, seq: int) -> T | None:
        for made_at, value in reversed(self.versions.copy()):
            if made_at == seq:
                return value
        return None

    def before(self, seq: int) -> tuple[int, T] | None:
        older = [version for version in self.versions.copy() if version[0] < seq]
        return max(older, key=lambda version: version[0], default=None)

    def size(self) -> int:
        blocks: dict[int, int] = {}
        for _, value in self.versions.copy():
            blocks |= value.memory
        return sum(blocks.values())


class Handles(Generic[T]):
    """A cache of immutable values by (key, change number) under a byte budget, least recently used keys out first.

    Args:
        budget_bytes: what all values together may occupy; the value asked for last stays in any case.
    """

    def __init__(self, budget_bytes: int) -> None:
        self.budget_bytes = budget_bytes
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, _Entry[T]] = OrderedDict()
        self._total = 0

    def at(
        self,
        key: Hashable,
        snapshot: Snapshot,
        *,
        load: Callable[[], T],
        advance: Callable[[T, Sequence[Change]], T | None],
    ) -> T:
        """The key's value exactly as of the snapshot.

        Args:
            key: names the value; one key belongs to one scope.
            load: makes the value from the database as the snapshot sees it.
            advance: makes the value from an older one and the changes since; None when loading is cheaper. It runs
                under the key's lock.
        """
        entry = self._entry(key)
        value = entry.at(snapshot.seq)
        if value is not None:
            return value
        with entry.making:
            value = entry.at(snapshot.seq)
            if value is None:
                value = _make(entry.before(snapshot.seq), snapshot, load, advance)
                entry.versions.append((snapshot.seq, value))
        self._account(key, entry)
        return value

    def size(self) -> int:
        """What all kept values occupy."""
        return self._total

    def forget(self, key: Hashable) -> None:
        """Forget one key's values; they are loaded again when asked for."""
        with self._lock:
            entry = self._entries.pop(key, None)
            self._total -= 0 if entry is None else entry.counted

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()
            self._total = 0

    def _entry(self, key: Hashable) -> _Entry[T]:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                entry = self._entries[key] = _Entry()
            else:
                self._entries.move_to_end(key)
            return entry

    def _account(self, key: Hashable, entry: _Entry[T]) -> None:
        """Count what the entry holds now, and make room for it."""
        with self._lock:
            if self._entries.get(key) is not entry:
                return
            self._count(entry)
            while self._total > self.budget_bytes and len(self._entries) > 1:
                oldest = next(other for other in self._entries if other != key)
                self._total -= self._entries.pop(oldest).counted
            while self._total > self.budget_bytes and len(entry.versions) > 1:
                entry.versions.popleft()
                self._count(entry)

    def _count(self, entry: _Entry[T]) -> None:
        size = entry.size()
        self._total += size - entry.counted
        entry.counted = size


def _make(
    older: tuple[int, T] | None,
    snapshot: Snapshot,
    load: Callable[[], T],
    advance: Callable[[T, Sequence[Change]], T | None],
) -> T:
    if older is None:
        return load()
    changes = snapshot.changes_since(older[0])
    if changes is None:
        return load()
    value = advance(older[1], changes)
    return load() if value is None else value
