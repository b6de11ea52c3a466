"""The connection: kept open between requests, each of which is stopped when its time is over.

A timeout of a blocking client holds for each step of a request, for each piece of an answer too, so that a server which
sends a byte now and then is waited for without end. A coroutine can be stopped at any step.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from comis_core.errors import EmbedderError

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

GRACE = 1.0
"""Seconds beyond its time after which a request, or the end of the loop, is given up on though the loop has not said
so."""


@attrs.define(eq=False)
class Connection:
    """One client in an event loop of its own, in a thread of its own; both begin with the first request.

    Safe to use from several threads; what it sends is sent at once.
    """

    base_url: str
    headers: dict[str, str] = attrs.field(repr=False)
    _lock: threading.Lock = attrs.field(factory=threading.Lock, init=False, repr=False)
    _loop: asyncio.AbstractEventLoop | None = attrs.field(default=None, init=False, repr=False)
    _thread: threading.Thread | None = attrs.field(default=None, init=False, repr=False)
    _client: httpx.AsyncClient | None = attrs.field(default=None, init=False, repr=False)
    _requests: set[asyncio.Task[Any]] = attrs.field(factory=set, init=False, repr=False)
    """Those under way; like the client they are touched in the loop's thread alone."""
    _closed: bool = attrs.field(default=False, init=False, repr=False)

    def post(self, path: str, body: dict[str, Any], seconds: float) -> httpx.Response:
        """The whole answer.

        Args:
            seconds: how long all of it may take, from the look-up of the name to the last byte.

        Raises:
            TimeoutError: it took longer. EmbedderError: the connection is closed, or was meanwhile. httpx.HTTPError:
                there is no answer.
        """
        future = self._submitted(path, body, seconds)
        try:
            return future.result(seconds + GRACE)
        except CancelledError:
            raise self._is_closed() from None
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Stop what is under way and close client, loop and thread; for good. Twice is harmless.

        Takes a second at most: what is not over by then ends by itself in its daemon thread.
        """
        with self._lock:
            self._closed = True
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
            if loop is None or thread is None or not thread.is_alive():  # a fork has no threads
                return
            asyncio.run_coroutine_threadsafe(self._end(), loop)
        thread.join(GRACE)

    async def _post(self, path: str, body: dict[str, Any], seconds: float) -> httpx.Response:
        request = asyncio.current_task()
        assert request is not None
        self._requests.add(request)
        try:
            async with asyncio.timeout(seconds):
                return await self._opened().post(path, json=body)
        finally:
            self._requests.discard(request)

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            import httpx

            self._client = httpx.AsyncClient(
                base_url=self.base_url, headers=self.headers, timeout=None, follow_redirects=False
            )
        return self._client

    def _submitted(self, path: str, body: dict[str, Any], seconds: float) -> Future[httpx.Response]:
        with self._lock:  # a loop that is closed in between would leave the coroutine to nobody
            loop = self._running()
            return asyncio.run_coroutine_threadsafe(self._post(path, body, seconds), loop)

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._closed:
            raise self._is_closed()
        if self._loop is None or self._thread is None or not self._thread.is_alive():
            self._client = None
            self._requests = set()
            self._loop = asyncio.new_event_loop()
            self._loop.set_default_executor(DaemonExecutor())
            self._thread = threading.Thread(target=_serve, args=(self._loop,), name="comis-hosted", daemon=True)
            self._thread.start()
        return self._loop

    def _is_closed(self) -> EmbedderError:
        return EmbedderError(f"the connection to {self.base_url} was closed")

    async def _end(self) -> None:
        """Stop every request, close the client, then stop the loop."""
        under_way = tuple(self._requests)
        for request in under_way:
            request.cancel()  # it stops the tasks that it has begun
        await asyncio.gather(*under_way, return_exceptions=True)
        if self._client is not None:
            await asyncio.gather(self._client.aclose(), return_exceptions=True)
        asyncio.get_running_loop().stop()


class DaemonExecutor(ThreadPoolExecutor):
    """Each call in a daemon thread of its own: the loop looks names up in it, and the end of the process must not wait
    for a look-up that nobody answers.
    """

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Begin the call at once."""
        future: Future[T] = Future()
        threading.Thread(target=_call, args=(future, partial(fn, *args, **kwargs)), daemon=True).start()
        return future


def _call(future: Future[T], work: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 - whoever waits for the future is told
        future.set_exception(error)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()
