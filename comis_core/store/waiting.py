"""Waiting for another process's lock, which closing cuts short."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import apsw

from comis_core.errors import StoreError
from comis_core.store.faults import is_locked

ASKED_AT: ContextVar[float | None] = ContextVar("ASKED_AT", default=None)
"""`time.monotonic()` when whoever waits asked for the write, where that was before the write itself began."""

GRACE_SECONDS = 0.5
"""So long in all whoever needs a lock waits for others once the file is being closed: enough for short transactions."""

_PAUSES = (0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.025, 0.025, 0.025, 0.05, 0.05, 0.1)
"""Seconds between two tries, the last one for all that follow; SQLite's own steps."""


class _Begun(threading.local):
    """When this thread's wait began: it waits for one lock at a time, whatever connections it has in hand."""

    since = 0.0


class LockWait:
    """The busy handlers of the connections to one file: of the writing one (`again`) and of readers (`read_again`).

    SQLite's own timeout sleeps where nothing can wake it. This one is woken by `end`, and by an interrupt from the
    keyboard.

    The limit is one for a call: what a write waits for the process's other writers, while these wait for the same
    lock, counts too. What it waits for writers that write does not.
    """

    def __init__(self) -> None:
        self._ending = threading.Event()
        self._deadline = math.inf
        self._since = 0.0
        self._reading = _Begun()
        self._asked: float | None = None
        self._until = math.inf
        self._blocked: float | None = None

    @contextmanager
    def turn(self, lock: threading.Lock, patience: float | None = None) -> Iterator[None]:
        """Hold the lock of the process's writers; the block's waits for other processes end with its patience.

        Args:
            patience: seconds in all; None waits for as long as writers of this process write, and as statements wait.

        Raises:
            StoreError: another thread wrote for longer than that.
        """
        now = time.monotonic()
        with lock if patience is None else _Briefly(lock, patience):
            self._asked = now
            if (earlier := ASKED_AT.get()) is not None:
                # It is said of the first write; what a call does between its writes is no waiting.
                ASKED_AT.set(None)
                self._asked = earlier
            self._until = math.inf if patience is None else now + patience
            refused = False
            try:
                yield
            except StoreError as error:
                refused = is_locked(error)
                raise
            finally:
                # Who gave up leaves a lock behind that was held all the time; else this process had it.
                self._blocked = self._blocked if refused else None
                self._asked, self._until = None, math.inf

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
        """Pause, and say whether to try again; for the writing connection, which one thread at a time uses.

        Args:
            limit: seconds after which a statement gives up.
            tries: how often this was called for the same lock.
        """
        now = time.monotonic()
        if tries == 0:
            self._since = self._start(now)
        return self._pause(min(self._since + limit, self._until) - now, now, tries)

    def read_again(self, limit: float, tries: int) -> bool:
        """The same for reading connections: each wait has its limit, and all end with the file."""
        now = time.monotonic()
        if tries == 0:
            self._reading.since = now
        return self._pause(self._reading.since + limit - now, now, tries)

    def _pause(self, left: float, now: float, tries: int) -> bool:
        left = min(left, self._deadline - now)
        if left <= 0.0:
            return False
        pause = min(left, _PAUSES[min(tries, len(_PAUSES) - 1)])
        if self.ended:
            time.sleep(pause)
        else:
            self._ending.wait(pause)
        return True

    def _start(self, now: float) -> float:
        """When the wait that begins now began to count: when both the call and the other's lock were there."""
        asked, self._asked = self._asked, None
        # A second wait of the same block: the first was not in vain, and the lock is another one.
        if asked is None or self._blocked is None:
            self._blocked = now
        return now if asked is None else max(asked, self._blocked)


class _Briefly:
    """A lock that is waited for for some seconds."""

    def __init__(self, lock: threading.Lock, seconds: float) -> None:
        self._lock = lock
        self._seconds = seconds

    def __enter__(self) -> None:
        if not self._lock.acquire(timeout=max(0.0, self._seconds)):
            raise StoreError(
                "another thread is still writing", hint="try again when it has finished"
            ) from apsw.BusyError("another thread is still writing")

    def __exit__(self, *_: object) -> None:
        self._lock.release()
