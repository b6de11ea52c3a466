"""Bounded pools of threads whose calls are awaited: one for calls that write, one for all others."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from comis_core import arguments
from comis_core.errors import ComisError
from comis_core.store.waiting import ASKED_AT

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 8
"""Reads of one engine that run at the same time unless told otherwise, and as many writes; more wait for their turn."""


class Pool:
    """Threads in which calls are awaited.

    Calls that write have threads of their own, made when they are needed: however many wait for another process's lock,
    they take no thread from those that read.

    Args:
        threads: how many calls that read, and how many that write, run at the same time.
    """

    def __init__(self, threads: int) -> None:
        arguments.a_count("threads", threads)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="comis-aio")
        self._writers = ThreadPoolExecutor(threads, thread_name_prefix="comis-aio-write")
        self._closed = False

    def submit(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Begin a call, with the caller's context variables. Raises ComisError when the pool is closed."""
        return self._submit(self._threads, contextvars.copy_context(), call, *args, **kwargs)

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the call returns; what it raises is raised here."""
        return await asyncio.wrap_future(self.submit(call, *args, **kwargs))

    async def write(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """As `run`, for a call that may wait for the write lock. Its wait begins now, not when there is a thread."""
        context = contextvars.copy_context()
        context.run(ASKED_AT.set, time.monotonic())
        return await asyncio.wrap_future(self._submit(self._writers, context, call, *args, **kwargs))

    def close(self) -> None:
        """Take no more calls; those that run, and those that wait for their turn, come to their end."""
        self._closed = True

    async def finish(self, last: Callable[[], None]) -> None:
        """Wait for all calls in a thread, then call `last`."""
        self.close()
        with ThreadPoolExecutor(1, thread_name_prefix="comis-aio-close") as closer:
            await asyncio.wrap_future(closer.submit(self._end, last))

    def abandon(self) -> None:
        """Take no more calls and wait for nobody."""
        self.close()
        for each in (self._threads, self._writers):
            each.shutdown(wait=False)

    def _submit(
        self,
        threads: ThreadPoolExecutor,
        context: contextvars.Context,
        call: Callable[P, T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Future[T]:
        if self._closed:
            raise ComisError("the engine is closed", hint="open it again")
        return threads.submit(functools.partial(context.run, call, *args, **kwargs))

    def _end(self, last: Callable[[], None]) -> None:
        for each in (self._writers, self._threads):
            each.shutdown(wait=True)
        last()
