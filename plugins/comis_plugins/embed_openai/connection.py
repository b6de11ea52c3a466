"""The connection: kept open between requests, each of which is stopped when its time is over.

A timeout of a blocking client holds for each step of a request, for each piece of an answer too, so that a server which
sends a byte now and then is waited for without end. A coroutine can be stopped at any step.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

GRACE = 1.0
"""Seconds beyond its time after which a request is given up on though the loop has not said so."""


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

    def post(self, path: str, body: dict[str, Any], seconds: float) -> httpx.Response:
        """The whole answer.

        Args:
            seconds: how long all of it may take, from the look-up of the name to the last byte.

        Raises:
            TimeoutError: it took longer. CancelledError: the connection was closed. httpx.HTTPError: there is none.
        """
        return self._run(self._post(path, body, seconds), seconds)

    def close(self) -> None:
        """Stop what is under way and close client, loop and thread. Twice is harmless; the next request begins anew."""
        with self._lock:
            loop, thread, client = self._loop, self._thread, self._client
            self._loop = self._thread = self._client = None
        if loop is None or thread is None or not thread.is_alive():
            return
        try:
            asyncio.run_coroutine_threadsafe(_end(client), loop).result(GRACE)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    async def _post(self, path: str, body: dict[str, Any], seconds: float) -> httpx.Response:
        async with asyncio.timeout(seconds):
            return await self._opened().post(path, json=body)

    def _opened(self) -> httpx.AsyncClient:
        """The client; asked for in the loop's thread alone."""
        if self._client is None:
            import httpx

            self._client = httpx.AsyncClient(
                base_url=self.base_url, headers=self.headers, timeout=None, follow_redirects=False
            )
        return self._client

    def _run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._running())
        try:
            return future.result(seconds + GRACE)
        except BaseException:
            future.cancel()
            raise

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._thread is None or not self._thread.is_alive():  # a fork has no threads
                self._client = None
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="comis-hosted", daemon=True)
                self._thread.start()
            return self._loop


async def _end(client: httpx.AsyncClient | None) -> None:
    """Stop every request, then close the client."""
    under_way = asyncio.all_tasks() - {asyncio.current_task()}
    for task in under_way:
        task.cancel()
    await asyncio.gather(*under_way, return_exceptions=True)
    if client is not None:
        await client.aclose()
