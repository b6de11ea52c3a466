"""The same for asyncio: nothing blocks the event loop, and what is cancelled leaves everything usable."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import apsw
import pytest
from support.toys import PATIENCE, Toys, vectors_only

import comis_core
from comis_core import aio
from comis_core.agent import Agent
from comis_core.aio import AsyncAgent, AsyncEngine, AsyncTenant
from comis_core.aio.pool import Pool
from comis_core.engine import Engine
from comis_core.errors import ComisError, ConfigError, MemoryRejected, StoreError
from comis_core.model import NewMemory
from comis_core.store.waiting import LockWait
from comis_core.tenant import Tenant

T = TypeVar("T")

WORDS_ONLY = {"embedding": "none"}


def run(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    async def limited() -> T:
        return await asyncio.wait_for(main(), PATIENCE)

    return asyncio.run(limited())


class Gate:
    """Something that blocks a thread until it is let go; `entered` tells the event loop that it does."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.entered = asyncio.Event()
        self.go = threading.Event()
        self.passed = 0

    def __call__(self) -> int:
        self.loop.call_soon_threadsafe(self.entered.set)
        if not self.go.wait(PATIENCE):
            raise TimeoutError("nobody let it go")
        self.passed += 1
        return self.passed


def test_what_is_stored_is_recalled(tmp_path: Path) -> None:
    async def main() -> list[str]:
        async with aio.open(tmp_path / "memory.db", overrides=WORDS_ONLY) as engine:
            agent = engine.agent("helper", tenant="acme")
            await agent.store("Ana moved to Lisbon in March.", sender="ana")
            return [item.memory.content for item in await agent.recall("Where did Ana move?")]

    assert run(main) == ["Ana moved to Lisbon in March."]


def test_a_slow_embedder_does_not_hold_the_loop_up(tmp_path: Path) -> None:
    toys = Toys()
    entered, go = threading.Event(), threading.Event()
    embed = toys["toy-16"].embed

    def slow(texts: Any, kind: str) -> Any:
        if kind == "query":
            entered.set()
            if not go.wait(PATIENCE):
                raise TimeoutError("the loop never got on")
        return embed(texts, kind)

    toys["toy-16"].embed = slow  # type: ignore[method-assign]

    async def main() -> int:
        async with aio.open(tmp_path / "memory.db", config=vectors_only("toy-16"), plugins={"toys": toys}) as engine:
            agent = engine.agent()
            await agent.store("the heron sits on the roof")
            await engine.drain()
            asked = asyncio.ensure_future(agent.recall("heron"))
            await asyncio.get_running_loop().run_in_executor(None, entered.wait, PATIENCE)
            # The embedder waits for what this coroutine does next: a loop that stood still would never do it.
            assert not asked.done()
            await agent.store("meanwhile a sparrow came")
            assert await agent.count() == 2
            go.set()
            return len((await asked).items)

    assert run(main) >= 1


@pytest.mark.parametrize("way", [Pool.run, Pool.write])
def test_no_more_calls_run_at_once_than_there_are_threads(way: Any) -> None:
    async def main() -> None:
        pool, first, second = Pool(1), Gate(), Gate()
        tasks = [asyncio.ensure_future(way(pool, gate)) for gate in (first, second)]
        await first.entered.wait()
        assert not second.entered.is_set()
        first.go.set()
        await second.entered.wait()
        second.go.set()
        assert await asyncio.gather(*tasks) == [1, 1]
        await pool.finish(lambda: None)

    run(main)


@pytest.mark.parametrize("way", [Pool.run, Pool.write])
def test_a_call_that_waits_for_its_turn_is_withdrawn_when_it_is_cancelled(way: Any) -> None:
    async def main() -> None:
        pool, first, second = Pool(1), Gate(), Gate()
        running = asyncio.ensure_future(way(pool, first))
        await first.entered.wait()
        waiting = asyncio.ensure_future(way(pool, second))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        first.go.set()
        await running
        await pool.finish(lambda: None)
        assert not second.entered.is_set()

    run(main)


def test_a_write_that_has_begun_runs_to_its_end_although_it_is_cancelled(tmp_path: Path) -> None:
    async def main() -> int:
        async with aio.open(tmp_path / "memory.db", overrides=WORDS_ONLY) as engine:
            gate = Gate()

            def write() -> None:
                gate()
                engine.engine.agent().store("written all the same")

            writing = asyncio.ensure_future(engine.run(write))
            await gate.entered.wait()
            writing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writing
            gate.go.set()
        async with aio.open(tmp_path / "memory.db", overrides=WORDS_ONLY) as engine:
            return await engine.agent().count()

    assert run(main) == 1


@pytest.mark.parametrize("way", [AsyncEngine.run, AsyncEngine.write])
def test_closing_waits_for_calls_that_run_and_refuses_further_ones(tmp_path: Path, way: Any) -> None:
    async def main() -> None:
        engine = await aio.open(tmp_path / "memory.db", overrides=WORDS_ONLY)
        gate = Gate()
        running = asyncio.ensure_future(way(engine, gate))
        await gate.entered.wait()
        closing = asyncio.ensure_future(engine.close())
        await asyncio.sleep(0)
        with pytest.raises(ComisError, match="the engine is closed"):
            await engine.agent().count()
        with pytest.raises(ComisError, match="the engine is closed"):
            await engine.agent().store("too late")
        assert not closing.done()
        gate.go.set()
        await closing
        assert running.done()
        await engine.close()

    run(main)


def test_cancelling_the_closing_does_not_leave_the_engine_open(tmp_path: Path) -> None:
    async def main() -> None:
        engine = await aio.open(tmp_path / "memory.db", overrides=WORDS_ONLY)
        gate = Gate()
        running = asyncio.ensure_future(engine.run(gate))
        await gate.entered.wait()
        closing = asyncio.ensure_future(engine.close())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        gate.go.set()
        await running
        await engine.close()
        with pytest.raises(ComisError, match="is closed"):
            engine.engine.agent().count()

    run(main)


def test_an_opening_that_is_cancelled_closes_what_it_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Engine] = []
    closed = threading.Event()

    async def main() -> None:
        gate = Gate()

        def slowly(*arguments: Any, **options: Any) -> Engine:
            gate()
            engine = comis_core.open(*arguments, **options)
            opened.append(engine)
            end = engine.close
            monkeypatch.setattr(engine, "close", lambda: (end(), closed.set()))
            return engine

        monkeypatch.setattr("comis_core.aio.engine.open_engine", slowly)
        opening = asyncio.ensure_future(_opened(tmp_path / "memory.db"))
        await gate.entered.wait()
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        gate.go.set()

    run(main)
    assert closed.wait(PATIENCE)
    with pytest.raises(ComisError, match="is closed"):
        opened[0].agent().count()


async def _opened(path: Path) -> AsyncEngine:
    return await aio.open(path, overrides=WORDS_ONLY)


def test_errors_come_back_as_they_are(tmp_path: Path) -> None:
    async def main() -> None:
        with pytest.raises(ConfigError):
            await aio.open(tmp_path / "memory.db", overrides={"rag": {"maxResult": 1}})
        async with aio.open(tmp_path / "memory.db", overrides=WORDS_ONLY) as engine:
            with pytest.raises(MemoryRejected):
                await engine.agent().store("")

    run(main)


def test_a_pool_needs_a_thread(tmp_path: Path) -> None:
    async def main() -> None:
        with pytest.raises(ComisError, match="threads must be a whole number of at least 1"):
            await aio.open(tmp_path / "memory.db", threads=0)

    run(main)


def test_an_export_is_read_page_by_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comis_core.aio.agent.EXPORT_PAGE", 3)

    async def main() -> set[str]:
        async with aio.open(tmp_path / "memory.db", overrides=WORDS_ONLY) as engine:
            agent = engine.agent()
            await agent.store_many(NewMemory(content=f"memory {number}") for number in range(8))
            return {memory.content async for memory in agent.export()}

    assert run(main) == {f"memory {number}" for number in range(8)}


def test_a_call_sees_the_context_of_its_caller() -> None:
    name = contextvars.ContextVar("name", default="nobody")

    async def main() -> str:
        pool = Pool(1)
        name.set("ana")
        seen = await pool.run(name.get)
        await pool.finish(lambda: None)
        return seen

    assert run(main) == "ana"


BLOCKS_NOT = {"agent", "tenant"}
"""Methods that only make a handle."""

INSIDE = {"ask", "restored"}
"""Methods of the engine that handles call, not people."""


def public(kind: type[Any]) -> dict[str, Any]:
    return {name: each for name, each in vars(kind).items() if not name.startswith("_") and inspect.isfunction(each)}


@pytest.mark.parametrize(
    ("plain", "mirror"),
    [(Engine, AsyncEngine), (Agent, AsyncAgent), (Tenant, AsyncTenant)],
    ids=lambda kind: kind.__name__,
)
def test_every_method_has_its_counterpart_with_the_same_arguments(plain: type[Any], mirror: type[Any]) -> None:
    counterparts = public(mirror)
    for name, method in public(plain).items():
        if plain is Engine and name in INSIDE:
            continue
        assert name in counterparts, f"{mirror.__name__} lacks {name}"
        awaited = inspect.iscoroutinefunction(counterparts[name]) or inspect.isasyncgenfunction(counterparts[name])
        assert awaited or name in BLOCKS_NOT
        assert inspect.signature(counterparts[name]).parameters == inspect.signature(method).parameters


def test_it_opens_with_the_same_arguments() -> None:
    plain, mirror = (dict(inspect.signature(each).parameters) for each in (comis_core.open, aio.open))
    del mirror["threads"]
    assert list(mirror) == list(plain)
    assert [each.default for each in mirror.values()] == [each.default for each in plain.values()]


def test_every_method_does_what_its_counterpart_does(tmp_path: Path) -> None:
    async def main() -> None:
        async with aio.open(tmp_path / "memory.db", overrides=WORDS_ONLY) as engine:
            agent = engine.agent(admin=True)
            stored = await agent.store("Ana keeps bees")
            assert (await agent.update(stored.id, title="Bees")).title == "Bees"
            assert len(await agent.history(stored.id)) == 2
            assert (await agent.get(stored.id)).content == "Ana keeps bees"
            await agent.annotate(stored.id, comis_core.Annotation(kind="entity", name="Bees"))
            assert "Bees" in [said.name for said in await agent.annotations(stored.id)]
            assert [memory.id for memory in (await agent.browse()).memories] == [stored.id]
            assert await agent.check(NewMemory(content="")) != ""
            found = await agent.search("bees", keep_trace=True)
            assert found.trace_id is not None
            assert (await agent.trace(found.trace_id)).kind == "search"
            assert [each.id for each in await agent.traces()] == [found.trace_id]
            assert (await agent.replay(found.trace_id)).same
            assert "in the answer" in await agent.why_not_then(found.trace_id, stored.id)
            assert "in the answer" in await agent.why_not("bees", stored.id)
            assert len((await engine.tenant("default").search("bees")).items) == 1
            assert await engine.tenant("default").scopes() == await engine.scopes() == [agent.scope]
            await agent.turn_ended("who?", "Ana", recalled=found, session="s", turn="t")
            assert await agent.evict(stored.id) == await agent.restore(stored.id) == 1
            assert (await engine.pipeline()).scope == agent.scope
            assert (await engine.doctor()).path == engine.path
            await engine.backup(tmp_path / "copy.db")
            await engine.reconfigure({"agents": {"default": {**WORDS_ONLY, "rag": {"maxResults": 1}}}})
            assert engine.settings.setting("rag.maxResults") == 1
            assert engine.plugins == engine.engine.plugins
            assert await engine.embedding_spaces() == []
            with pytest.raises(ComisError):
                await engine.drop_space("none")
            assert await agent.delete(stored.id) == 1
            assert await engine.vacuum() == ()
            assert await agent.clear() == await engine.clear("default") == 0
            assert agent.admin
            assert engine.tenant("default").name == "default"

    run(main)


def test_closing_ends_a_write_that_waits_for_another_process(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"

    async def main() -> BaseException | None:
        engine = await aio.open(path, overrides=WORDS_ONLY)
        with contextlib.closing(apsw.Connection(str(path))) as other:
            other.execute("BEGIN IMMEDIATE")
            write = asyncio.ensure_future(engine.agent().store("Ana moved to Lisbon."))
            while engine.engine.store._database._owner is None:
                await asyncio.sleep(0)
            await engine.close()
        return write.exception()

    assert "was closed while a write waited for another process" in str(run(main))


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """The write lock is somebody else's."""
    with contextlib.closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


WRITES: list[Callable[[AsyncAgent], Coroutine[Any, Any, object]]] = [
    lambda agent: agent.store("Ana moved to Lisbon."),
    lambda agent: agent.store_many([NewMemory(content="Ana moved to Lisbon.")]),
    lambda agent: agent.clear(),
    lambda agent: agent.engine.clear("default"),
    lambda agent: agent.turn_ended("who?", "Ana", recalled=[], session="s", turn="t"),
    lambda agent: agent.engine.doctor(),
    lambda agent: agent.engine.vacuum(),
]


@pytest.mark.parametrize("write", WRITES)
def test_writes_that_wait_keep_no_thread_from_a_recall(
    tmp_path: Path, write: Callable[[AsyncAgent], Coroutine[Any, Any, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, again = tmp_path / "memory.db", LockWait.again
    monkeypatch.setattr(LockWait, "again", lambda self, limit, tries: again(self, 3600.0, tries))

    async def main() -> list[str]:
        engine = await aio.open(path, overrides=WORDS_ONLY, threads=1)
        agent = engine.agent()
        await agent.store("The key is in the hall.")
        with locked(path):
            writes = [asyncio.ensure_future(write(agent)) for _ in range(3)]
            await asyncio.sleep(0)
            try:
                # None of them gives up by itself.
                found = await asyncio.wait_for(agent.recall("key"), PATIENCE / 6)
            finally:
                await engine.close()
        await asyncio.gather(*writes, return_exceptions=True)
        return [item.memory.content for item in found]

    assert run(main) == ["The key is in the hall."]


def test_writes_that_wait_for_a_thread_give_up_with_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, pauses = tmp_path / "memory.db", Counter[int]()
    again = LockWait.again

    def counted(self: LockWait, limit: float, tries: int) -> bool:
        pauses[len(pauses) + 1 if tries == 0 else len(pauses)] += 1
        return again(self, 0.3, tries)

    monkeypatch.setattr(LockWait, "again", counted)

    async def main() -> list[object]:
        async with aio.open(path, overrides=WORDS_ONLY, threads=1) as engine:
            pauses.clear()
            with locked(path):
                stores = [engine.agent().store(f"Ana has {number} keys.") for number in range(3)]
                return await asyncio.gather(*stores, return_exceptions=True)

    assert all(isinstance(outcome, StoreError) for outcome in run(main))
    assert len(pauses) == 3
    assert pauses[2] + pauses[3] < pauses[1]
