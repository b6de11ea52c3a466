"""Ids of memories, and the folded form in which names are compared."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable

from comis_core.text import fold_name

_COUNTER_LIMIT = 1 << 12

fold = fold_name
"""The form in which names, predicates and values are compared."""


def to_bytes(id: str) -> bytes | None:
    """The 16 bytes of a UUID, or None when the string is none."""
    try:
        return uuid.UUID(id).bytes
    except (ValueError, AttributeError, TypeError):
        return None


def to_text(id: bytes) -> str:
    """The canonical form of a UUID's 16 bytes."""
    digits = id.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


_DRAWN = 64
"""Ids for which randomness is drawn at once: a call of the system costs more than everything else about an id."""


class IdMaker:
    """Makes UUIDs of version 7 (RFC 9562, section 5.7) that grow strictly, also when the clock stands still.

    The 12 bits after the millisecond are a counter (section 6.2, method 1) that starts at a random place in its lower
    half; when it overflows, the millisecond is counted up ahead of the clock.

    Args:
        now: epoch microseconds.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._millisecond = -1
        self._counter = 0
        self._noise = b""
        self._process = 0

    def make(self) -> bytes:
        """The next id, as 16 bytes."""
        millisecond = max(0, self._now() // 1000)
        with self._lock:
            noise = self._draw()
            if millisecond > self._millisecond:
                self._millisecond, self._counter = millisecond, noise >> 69
            else:
                self._counter += 1
                if self._counter == _COUNTER_LIMIT:
                    self._millisecond, self._counter = self._millisecond + 1, 0
            head = (self._millisecond & 0xFFFF_FFFF_FFFF) << 16 | 0x7000 | self._counter
        return (head << 64 | 0b10 << 62 | noise & 0x3FFF_FFFF_FFFF_FFFF).to_bytes(16, "big")

    def _draw(self) -> int:
        """80 random bits; the system is asked for many at once, and again after a fork, for two must not share them."""
        if not self._noise or self._process != os.getpid():
            self._noise, self._process = os.urandom(10 * _DRAWN), os.getpid()
        noise, self._noise = self._noise[:10], self._noise[10:]
        return int.from_bytes(noise, "big")
