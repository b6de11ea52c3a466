"""Waiting for another process's lock, which closing cuts short."""

from __future__ import annotations

import math
import threading
import time

GRACE_SECONDS = 0.5
"""So long in all whoever writes waits for others once the file is being closed: enough for short transactions."""

_PAUSES = (0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.025, 0.025, 0.025, 0.05, 0.05, 0.1)
"""Seconds between two tries, the last one for all that follow; SQLite's own steps."""


class LockWait:
    """The busy handler of one writing connection, which is used by one thread at a time.

    SQLite's own timeout sleeps where nothing can wake it. This one is woken by `end`, and by an interrupt from the
    keyboard.
    """

    def __init__(self) -> None:
        self._ending = threading.Event()
        self._deadline = math.inf
        self._since = 0.0

    @property
    def ended(self) -> bool:
        """Whether waiting is cut short."""
        return self._ending.is_set()

    def end(self) -> None:
        """From now on nobody waits for more than a moment. Twice is harmless."""
        if not self.ended:
            self._deadline = time.monotonic() + GRACE_SECONDS
            self._ending.set()

    def again(self, limit: float, tries: int) -> bool:
        """Pause, and say whether to try again.

        Args:
            limit: seconds after which a statement gives up.
            tries: how often this was called for the same lock.
        """
        now = time.monotonic()
        if tries == 0:
            self._since = now
        left = min(self._since + limit, self._deadline) - now
        if left <= 0.0:
            return False
        pause = min(left, _PAUSES[min(tries, len(_PAUSES) - 1)])
        if self.ended:
            time.sleep(pause)
        else:
            self._ending.wait(pause)
        return True
