"""A process that is killed at any point loses nothing that it has acknowledged."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.damage import checkpoint
from support.processes import BATCH, content, opened, ready, said, start, write

from comis_core.clock import ManualClock
from comis_core.model import Memory, NewMemory


def killed_rounds(path: Path, model: str, writes: int, seed: int, seconds: tuple[float, float]) -> dict[int, list[str]]:
    """Let processes write and die until so many writes were acknowledged; number of the write -> ids."""
    chance = random.Random(seed)
    acknowledged: dict[int, list[str]] = {}
    while len(acknowledged) < writes:
        first = max(acknowledged, default=-1) + 2
        by_signal = chance.random() < 0.5
        process = start(write, path, model, first, 0 if by_signal else round(chance.uniform(*seconds), 4))
        ready(process)
        if by_signal:
            assert process.stdout is not None
            acknowledged |= dict(json.loads(process.stdout.readline()) for _ in range(chance.randint(1, 12)))
            process.kill()
        heard, errors = said(process)
        assert process.returncode < 0, errors
        acknowledged |= dict(heard)
    return acknowledged


def all_memories(path: Path, model: str, clock: ManualClock) -> Iterator[Memory]:
    with opened(path, model, clock=clock) as engine:
        yield from engine.agent().export()


def check(path: Path, model: str, acknowledged: dict[int, list[str]], clock: ManualClock) -> None:
    """Everything that was acknowledged is there, batches are whole, the file is sound, and the outbox goes on."""
    memories = list(all_memories(path, model, clock))
    there = {memory.id for memory in memories}
    assert {id for ids in acknowledged.values() for id in ids} <= there
    rows: dict[int, int] = {}
    for memory in memories:
        number = int(memory.content.split()[1])
        rows[number] = rows.get(number, 0) + 1
    assert {number: count for number, count in rows.items() if count != (1 if number % 3 else BATCH)} == {}
    with opened(path, model, clock=clock) as engine:
        found = engine.doctor()
        assert [str(problem) for problem in found.problems] == []
        engine.agent().recall("heron")
        engine.drain()
        assert engine.doctor().facts["tasks"] == {}
        if model != "none":
            assert [space.memories for space in engine.embedding_spaces()] == [len(memories)]
        last = max(acknowledged)
        found = engine.agent().recall(f"heron{last}")
        # By words the last write is the best hit; what a toy model of 16 numbers says beside that is chance.
        for lane in ("fts", "lexical"):
            (best,) = [item for item in found if item.sources.get(lane) == 1]
            assert f"heron{last} " in best.memory.content
        if model == "none":
            assert f"heron{last} " in found.items[0].memory.content


@pytest.mark.parametrize("model", ["none", "toy-16"])
def test_nothing_that_was_acknowledged_is_lost(tmp_path: Path, clock: ManualClock, model: str) -> None:
    path = tmp_path / "memory.db"
    acknowledged = killed_rounds(path, model, writes=25, seed=1, seconds=(0.002, 0.05))
    check(path, model, acknowledged, clock)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["none", "toy-16"])
def test_nothing_is_lost_in_three_hundred_writes(tmp_path: Path, clock: ManualClock, model: str) -> None:
    path = tmp_path / "memory.db"
    acknowledged = killed_rounds(path, model, writes=300, seed=2, seconds=(0.002, 0.05))
    check(path, model, acknowledged, clock)


def test_a_file_whose_log_was_half_folded_in_is_whole(tmp_path: Path, clock: ManualClock) -> None:
    """As a crash or a full disk leaves it in the middle of a checkpoint: some pages of the log are in the file."""
    path, torn = tmp_path / "memory.db", tmp_path / "torn.db"
    with opened(path, "none", clock=clock) as engine:
        before = path.read_bytes()
        ids = [stored.id for stored in engine.agent().store_many([*memories(400)]).stored]
        log = path.with_name("memory.db-wal").read_bytes()
        checkpoint(path)
        after = path.read_bytes()
    assert len(after) > len(before)
    torn.write_bytes(after[:8192] + before[8192:])
    torn.with_name("torn.db-wal").write_bytes(log)
    with opened(torn, "none", clock=clock) as engine:
        assert {memory.id for memory in engine.agent().export()} == set(ids)
        assert engine.doctor().sound


def memories(count: int) -> Iterator[NewMemory]:
    return (NewMemory(content=content(number, 0)) for number in range(count))
