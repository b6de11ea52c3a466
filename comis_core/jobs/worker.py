"""The engine's worker: drains the outbox in the background, or in the calling thread when asked to."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from comis_core.errors import ComisError
from comis_core.model import to_microseconds
from comis_core.protocols import Clock, Transaction
from comis_core.store.outbox import SECOND, Handler, Outbox, Settlement, Task, Writing

LOOK_SECONDS = 30.0
"""Longest rest: another process may have written tasks, or died with some in hand."""

PAUSE_SECONDS = 5.0
"""Rest after the database could not be used."""


class Worker:
    """Takes due tasks in batches and hands them to the handler of their kind.

    One batch at a time in this process, whoever drains: a handler need not be thread-safe. A batch's outcome and its
    writes are one transaction; a task whose outcome could not be written comes back when its lease ends.

    Args:
        store: where tasks are and outcomes go.
        handlers: kind -> handler; tasks of other kinds are left for others.
        seek: puts into the outbox what nobody has asked for yet; called before the worker looks for tasks, while no
            batch is in hand.
    """

    def __init__(
        self,
        store: Writing,
        outbox: Outbox,
        handlers: Mapping[str, Handler],
        clock: Clock,
        log: logging.Logger,
        seek: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._outbox = outbox
        self._handlers = dict(handlers)
        self._clock = clock
        self._log = log
        self._seek = seek
        # Reentrant, for a handler may store memories and with them drain.
        self._in_hand = threading.RLock()
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to work in the background; twice is harmless."""
        if self._thread is None and self._handlers:
            self._thread = threading.Thread(target=self._work, name="comis-worker", daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Say that there may be something to do."""
        self._woken.set()

    def stop(self, patience: float | None = None) -> bool:
        """Finish the batch in hand and end; what is left stays in the outbox. Twice is harmless.

        Args:
            patience: seconds after which a batch that does not end is left to itself; its tasks come back when their
                lease ends. None waits for it.

        Returns:
            Whether the background work has ended.
        """
        self._stopping.set()
        self._woken.set()
        thread = self._thread
        if thread is None or thread is threading.current_thread():
            return True
        thread.join(patience)
        if thread.is_alive():
            self._log.warning("background work did not end within %g s and is left to itself", patience)
            return False
        self._thread = None
        return True

    def drain(self) -> int:
        """Do everything that is due, in the calling thread; waits for a batch that the background has in hand.

        Returns:
            How many tasks were worked on, failed ones too.

        Raises:
            StoreError: the database could not be used.
        """
        done = 0
        with self._in_hand:
            self._seek()
            while count := sum(self._batch(kind) for kind in self._handlers):
                done += count
        return done

    # -- in the background

    def _work(self) -> None:
        while not self._stopping.is_set():
            # Cleared before looking: a wake-up during the look is not lost.
            self._woken.clear()
            try:
                rest = 0.0 if self._round() else self._rest()
            except Exception as error:  # noqa: BLE001 - the worker outlives a full disk and a locked file
                if self._stopping.is_set():
                    self._log.warning("background work ends before it is done: %s", reason(error))
                    return
                self._log.warning("background work rests for %d s: %s", PAUSE_SECONDS, reason(error))
                rest = PAUSE_SECONDS
            if rest:
                self._woken.wait(rest)

    def _round(self) -> int:
        """A batch of each kind; how many tasks that were."""
        with self._in_hand:
            if not self._stopping.is_set():
                self._seek()
        count = 0
        for kind in self._handlers:
            with self._in_hand:
                if not self._stopping.is_set():
                    count += self._batch(kind)
        return count

    def _rest(self) -> float:
        """How long nothing will be due, in seconds."""
        due = self._store.read(self._next_due)
        if due is None:
            return LOOK_SECONDS
        return min(LOOK_SECONDS, max(0.0, (due - self._now()) / SECOND))

    # -- one batch

    def _batch(self, kind: str) -> int:
        """Claim, work, settle; how many tasks that were."""
        handler = self._handlers[kind]
        # Looking costs nobody the write lock.
        if not self._store.read(lambda tx: self._outbox.is_due(tx, kind, now=self._now())):
            return 0
        tasks = self._claim(kind, handler.batch)
        if tasks:
            self._settle(tasks, self._handle(handler, tasks))
        return len(tasks)

    def _claim(self, kind: str, limit: int) -> list[Task]:
        return self._store.write(lambda tx: self._outbox.claim(tx, kind, now=self._now(), limit=limit))

    def _handle(self, handler: Handler, tasks: list[Task]) -> Settlement:
        try:
            return handler.handle(tasks)
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises; its tasks come back
            self._log.warning("%d tasks of kind %r failed: %s", len(tasks), tasks[0].kind, reason(error))
            return _all_failed(tasks, error)

    def _settle(self, tasks: list[Task], settlement: Settlement) -> None:
        try:
            self._store.write(lambda tx: self._outbox.settle(tx, settlement, now=self._now()))
        except Exception as error:  # noqa: BLE001 - a handler's own write may raise anything
            self._log.warning(
                "the outcome of %d tasks of kind %r was refused: %s", len(tasks), tasks[0].kind, reason(error)
            )
            failed = _all_failed(tasks, error)
            self._store.write(lambda tx: self._outbox.settle(tx, failed, now=self._now()))

    def _next_due(self, tx: Transaction) -> int | None:
        return self._outbox.next_due(tx, list(self._handlers))

    def _now(self) -> int:
        return to_microseconds(self._clock.now())


def reason(error: Exception) -> str:
    """Why a task failed, fit to be kept: foreign exceptions may quote a memory, so only their type is told."""
    return error.message if isinstance(error, ComisError) else type(error).__name__


def _all_failed(tasks: list[Task], error: Exception) -> Settlement:
    return Settlement(failed=[(task, reason(error)) for task in tasks])
