"""A bounded pool of threads whose calls are awaited."""

from __future__ import annotations

import asyncio
import contextvars
import functools
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from comis_core import arguments
from comis_core.errors import ComisError

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 8
"""Calls of one engine that run at the same time unless told otherwise; more wait for their turn."""


class Pool:
    """Threads in which calls are awaited.

    Args:
        threads: how many calls run at the same time.
    """

    def __init__(self, threads: int) -> None:
        arguments.a_count("threads", threads)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="comis-aio")
        self._closed = False

    def submit(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Begin a call, with the caller's context variables. Raises ComisError when the pool is closed."""
        if self._closed:
            raise ComisError("the engine is closed", hint="open it again")
        return self._threads.submit(functools.partial(contextvars.copy_context().run, call, *args, **kwargs))

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the call returns; what it raises is raised here."""
        return await asyncio.wrap_future(self.submit(call, *args, **kwargs))

    def close(self) -> None:
        """Take no more calls; those that run, and those that wait for their turn, come to their end."""
        self._closed = True

    async def finish(self, last: Callable[[], None]) -> None:
        """Wait for all calls in a thread, then call `last`."""
        self.close()
        with ThreadPoolExecutor(1, thread_name_prefix="comis-aio-close") as closer:
            await asyncio.wrap_future(closer.submit(self._end, last))

    def _end(self, last: Callable[[], None]) -> None:
        self._threads.shutdown(wait=True)
        last()

    def abandon(self) -> None:
        """Take no more calls and wait for nobody."""
        self.close()
        self._threads.shutdown(wait=False)
