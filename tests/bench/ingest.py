"""How many memories a second go in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from table import Row
from timing import once
from worlds import TWO_LANES, WORDS_ONLY, Worlds, opened, store

if TYPE_CHECKING:
    from comis_core import Engine


def batches(worlds: Worlds) -> Iterator[Row]:
    """Batches of 1,000 without embedding."""
    count = worlds.sized(20_000)
    rows = worlds.rows(count, 20)
    with opened(worlds.path("batches"), overrides=WORDS_ONLY, embedder="none") as engine:
        yield _row("ingest in batches of 1,000, no embedding", count, 5000, lambda: store(engine, "home", rows))


def singly(worlds: Worlds) -> Iterator[Row]:
    """One by one without embedding."""
    count = worlds.sized(5_000)
    rows = worlds.rows(count, 21)

    def work(engine: Engine) -> None:
        handle = engine.agent("home")
        for row in rows:
            handle.store_many([row])

    with opened(worlds.path("singly"), overrides=WORDS_ONLY, embedder="none") as engine:
        yield _row("ingest one by one, no embedding", count, 1000, lambda: work(engine))


def embedded(worlds: Worlds) -> Iterator[Row]:
    """Batches of 1,000 until every vector is there."""
    count = worlds.sized(10_000)
    rows = worlds.rows(count, 22)

    def work(engine: Engine) -> None:
        store(engine, "home", rows)
        while engine.drain():
            pass

    with opened(worlds.path("embedded"), overrides=TWO_LANES, embedder="static") as engine:
        if engine.agent("home").recall("warm up").notes:
            yield Row(what="ingest with the static embedder", median="not measured: it is not installed")
            return
        store(engine, "warm", rows[:100])
        engine.drain()
        yield _row("ingest in batches, static embedder, until all is embedded", count, 2000, lambda: work(engine))


def _row(what: str, count: int, target: int, work: Any) -> Row:
    processor, wall = once(work)
    return Row(
        what=f"{what}, {count:,} memories",
        median=f"{count / processor:,.0f}/s of processor time",
        beside=f"{count / wall:,.0f}/s by the wall clock",
        target=f">= {target:,}/s",
        met=count / processor >= target,
    )


INGESTS: Mapping[str, Any] = {"ingest": batches, "singly": singly, "embedded": embedded}
