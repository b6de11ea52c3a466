"""A call that may hang, given a time limit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class TimeLimit:
    """Runs calls in threads of their own and stops waiting for one that takes too long.

    A thread cannot be killed: as long as an abandoned call runs, further ones are refused at once, so that a hanging
    model costs one thread and each caller nothing.

    Args:
        seconds: how long a call may take.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._abandoned: threading.Thread | None = None

    def call(self, work: Callable[[], T]) -> T:
        """What `work` returns; what it raises is raised here.

        Raises:
            TimeoutError: it took too long, or an earlier call that took too long is still running.
        """
        if self._abandoned is not None and self._abandoned.is_alive():
            raise TimeoutError("an earlier call has not come back yet")
        returned: list[T] = []
        raised: list[BaseException] = []

        def run() -> None:
            try:
                returned.append(work())
            except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
                raised.append(error)

        thread = threading.Thread(target=run, name="comis-embedder", daemon=True)
        thread.start()
        thread.join(self._seconds)
        if thread.is_alive():
            self._abandoned = thread
            raise TimeoutError(f"no answer within {self._seconds:g} s")
        if raised:
            raise raised[0]
        return returned[0]
