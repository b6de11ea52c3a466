"""Calls into blocking parts: one at a time a part, each with a wall-clock limit after which it is given up.

A thread cannot be stopped from outside. A call that was given up is told so through its `cancelled` event and, until
it ends, further calls into the same part are refused at once instead of piling up on the processor.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

import attrs

from comis_core.errors import ComisError

T = TypeVar("T")


class TimedOut(ComisError):
    """The part gave no answer within its time."""


class Busy(ComisError):
    """The part is still at work for an earlier call."""


@attrs.define(eq=False, repr=False)
class Flight(Generic[T]):
    """One call under way."""

    done: threading.Event = attrs.field(factory=threading.Event)
    cancelled: threading.Event = attrs.field(factory=threading.Event)
    result: T | None = None
    error: BaseException | None = None


@attrs.define(eq=False, repr=False)
class Flights:
    """The calls under way, by part."""

    _lock: threading.Lock = attrs.field(factory=threading.Lock, init=False)
    _running: dict[int, Flight[Any]] = attrs.field(factory=dict, init=False)

    def run(
        self, part: object, work: Callable[[threading.Event], T], *, seconds: float, since: float | None = None
    ) -> T:
        """Run `work` in a thread of its own.

        Args:
            part: at most one call runs for each; a second one waits for its turn within its own time.
            work: gets the event that is set when nobody waits for it any longer.
            seconds: wall clock for waiting and working together.
            since: value of `time.monotonic()` from which they count; None for now.

        Raises:
            Busy: an earlier call was given up and still runs, or did not end in time.
            TimedOut: no result within `seconds`.
            BaseException: whatever `work` raised.
        """
        deadline = (time.monotonic() if since is None else since) + seconds
        flight = self._start(part, work, deadline)
        if not flight.done.wait(max(0.0, deadline - time.monotonic())):
            flight.cancelled.set()
            raise TimedOut(f"gave no answer within {round(seconds * 1000)} ms")
        if flight.error is not None:
            raise flight.error
        return cast(T, flight.result)

    def _start(self, part: object, work: Callable[[threading.Event], T], deadline: float) -> Flight[T]:
        while True:
            with self._lock:
                current = self._running.get(id(part))
                if current is None:
                    return self._launch(part, work)
            if current.cancelled.is_set():
                raise Busy("is still at work for a call that was given up")
            if not current.done.wait(max(0.0, deadline - time.monotonic())):
                raise Busy("was at work for another call all the time")

    def _launch(self, part: object, work: Callable[[threading.Event], T]) -> Flight[T]:
        flight: Flight[T] = Flight()
        self._running[id(part)] = flight
        # A daemon: a part that never returns must not keep the process from ending.
        thread = threading.Thread(target=self._fly, args=(part, work, flight), name="comis-blocking-part", daemon=True)
        try:
            thread.start()
        except BaseException:
            del self._running[id(part)]
            raise
        return flight

    def _fly(self, part: object, work: Callable[[threading.Event], T], flight: Flight[T]) -> None:
        try:
            flight.result = work(flight.cancelled)
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that waits
            flight.error = error
        finally:
            with self._lock:
                del self._running[id(part)]
            flight.done.set()
