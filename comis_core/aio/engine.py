"""The engine for asyncio, and how it is opened."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from comis_core.aio.agent import AsyncAgent, AsyncTenant
from comis_core.aio.pool import THREADS, Pool
from comis_core.engine import Engine, open_engine

if TYPE_CHECKING:
    from comis_core.config import Config
    from comis_core.engine import Diagnosis
    from comis_core.host import PluginReport
    from comis_core.model import Scope
    from comis_core.protocols import Clock
    from comis_core.recall.parts import Pipeline
    from comis_core.store.spaces import Space

P = ParamSpec("P")
T = TypeVar("T")


def open(
    path: Path | str | None = None,
    *,
    config: Path | str | Mapping[str, Any] | None = None,
    preset: str | None = None,
    clock: Clock | None = None,
    read_only: bool = False,
    create: bool = True,
    overrides: Mapping[str, Any] | None = None,
    disable: Sequence[str] = (),
    plugins: Mapping[str, object] | None = None,
    embedding_cache: Path | None = None,
    threads: int = THREADS,
) -> Opening:
    """Open a memory file: `async with open(...) as engine`, or `engine = await open(...)` and close it yourself.

    Args:
        threads: how many calls that read, and how many that write, run at the same time; more wait for their turn.
        path, config and the others: as for `comis_core.open`.

    Raises:
        ConfigError, StoreError: when it is awaited, as for `comis_core.open`.
    """
    return Opening(
        threads,
        functools.partial(
            open_engine,
            path,
            config=config,
            preset=preset,
            clock=clock,
            read_only=read_only,
            create=create,
            overrides=overrides,
            disable=disable,
            plugins=plugins,
            embedding_cache=embedding_cache,
        ),
    )


class Opening:
    """An engine that is about to be opened; made by `open`."""

    def __init__(self, threads: int, make: Callable[[], Engine]) -> None:
        self._threads = threads
        self._make = make
        self._opened: AsyncEngine | None = None

    def __await__(self) -> Generator[Any, None, AsyncEngine]:
        return self._open().__await__()

    async def __aenter__(self) -> AsyncEngine:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._opened is not None:
            await self._opened.close()

    async def _open(self) -> AsyncEngine:
        pool = Pool(self._threads)
        opening = pool.submit(self._make)
        try:
            return AsyncEngine(await asyncio.wrap_future(opening), pool)
        except asyncio.CancelledError:
            # Nobody will ever hold the engine that is being opened now.
            opening.add_done_callback(_close_unclaimed)
            pool.abandon()
            raise
        except BaseException:
            pool.abandon()
            raise


def _close_unclaimed(opening: Future[Engine]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


class AsyncEngine:
    """`comis_core.Engine` for asyncio; `open` makes it. Usable from the event loop it was opened in.

    engine: what it works on; its methods block.
    """

    def __init__(self, engine: Engine, pool: Pool) -> None:
        self.engine = engine
        self._pool = pool
        self._closing: asyncio.Future[None] | None = None

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run any call in the engine's pool, for what has no method here. Raises what the call raises.

        One that writes belongs into `write`, so that it keeps no thread from reads while it waits for another process.
        """
        return await self._pool.run(call, *args, **kwargs)

    async def write(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """As `run`, in the threads of calls that write."""
        return await self._pool.write(call, *args, **kwargs)

    # -- agents

    def agent(self, name: str = "default", tenant: str = "default", *, admin: bool = False) -> AsyncAgent:
        """As `Engine.agent`; it does not block."""
        return AsyncAgent(self, self.engine.agent(name, tenant, admin=admin))

    def tenant(self, name: str) -> AsyncTenant:
        """As `Engine.tenant`; it does not block."""
        return AsyncTenant(self, self.engine.tenant(name))

    async def scopes(self) -> list[Scope]:
        """As `Engine.scopes`."""
        return await self.run(self.engine.scopes)

    async def clear(self, tenant: str, agent: str | None = None) -> int:
        """As `Engine.clear`."""
        return await self.write(self.engine.clear, tenant, agent)

    async def pipeline(self, agent: str = "default", tenant: str = "default") -> Pipeline:
        """As `Engine.pipeline`."""
        return await self.run(self.engine.pipeline, agent, tenant)

    # -- the file

    @property
    def path(self) -> Path:
        """The file."""
        return self.engine.path

    @property
    def settings(self) -> Config:
        """The configuration in force."""
        return self.engine.settings

    @property
    def plugins(self) -> tuple[PluginReport, ...]:
        """Every installed plugin and what became of it."""
        return self.engine.plugins

    async def reconfigure(self, config: Any = None, *, preset: str | None = None, **options: Any) -> None:
        """As `Engine.reconfigure`."""
        await self.write(self.engine.reconfigure, config, preset=preset, **options)

    async def drain(self) -> int:
        """As `Engine.drain`."""
        return await self.write(self.engine.drain)

    async def embedding_spaces(self) -> list[Space]:
        """As `Engine.embedding_spaces`."""
        return await self.run(self.engine.embedding_spaces)

    async def drop_space(self, fingerprint: str) -> int:
        """As `Engine.drop_space`."""
        return await self.write(self.engine.drop_space, fingerprint)

    async def vacuum(self) -> tuple[str, ...]:
        """As `Engine.vacuum`."""
        return await self.write(self.engine.vacuum)

    async def backup(self, path: Path | str) -> None:
        """As `Engine.backup`."""
        await self.run(self.engine.backup, path)

    async def doctor(self, *, repair: bool = False) -> Diagnosis:
        """As `Engine.doctor`."""
        return await self.write(self.engine.doctor, repair=repair)

    async def close(self) -> None:
        """Let the calls that run come to their end, then close the engine. Twice is harmless.

        Writes that wait for another process fail (see `Engine.close`).

        Cancelling it stops the waiting and not the closing.
        """
        self._pool.close()
        self.engine.store.stop_waiting()
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._pool.finish(self.engine.close))
        await asyncio.shield(self._closing)

    async def __aenter__(self) -> AsyncEngine:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
