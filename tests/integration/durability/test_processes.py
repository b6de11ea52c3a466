"""Several processes on one file: nothing goes wrong, nothing is lost, and what one commits the others see."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.damage import statement
from support.processes import mix, opened, ready, said, started


def run(folder: Path, model: str, processes: int, operations: int) -> None:
    path, journal = folder / "memory.db", folder / "journal"
    with started(processes, mix, path, model, journal, operations) as running:
        for process in running:
            ready(process)
        for process in running:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        outcomes = [said(process) for process in running]
    assert [errors for _, errors in outcomes] == [""] * processes
    expected: dict[str, str] = {}
    for heard, _ in outcomes:
        expected |= heard[-1]
    with opened(path, model) as engine:
        there = {memory.id: memory.content for memory in engine.agent().export()}
        assert there == {id: f"kept {token} by the river" for id, token in expected.items()}
        engine.drain()
        found = engine.doctor()
        assert [str(problem) for problem in found.problems] == []
        assert found.facts["tasks"] == {}
    if model != "none":
        unseen = "SELECT count(*) FROM memories WHERE closed_at IS NULL AND pk NOT IN (SELECT pk FROM vectors)"
        assert statement(path, unseen) == [(0,)]


@pytest.mark.parametrize("model", ["none", "toy-16"])
def test_a_few_processes_share_a_file(tmp_path: Path, model: str) -> None:
    run(tmp_path, model, processes=3, operations=60)


@pytest.mark.slow
def test_eight_processes_share_a_file_for_twenty_thousand_operations(tmp_path: Path) -> None:
    run(tmp_path, "toy-16", processes=8, operations=2_500)
