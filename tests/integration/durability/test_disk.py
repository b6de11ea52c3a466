"""A full disk and a file that cannot be written: a clear error, and nothing lost."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.damage import digest
from support.processes import content, fill, opened, read, said, start

from comis_core.clock import ManualClock
from comis_core.errors import StoreError
from comis_core.model import NewMemory

MEGABYTE = 1024 * 1024
NOBODY = 65534


def check(path: Path, heard: list[Any]) -> None:
    """What was acknowledged before the disk was full is there, and once there is room again the file takes more."""
    *acknowledged, outcome = heard
    assert len(acknowledged) > 20
    assert "could not be written" in outcome["error"] or "reading or writing" in outcome["error"]
    assert outcome["hint"]
    assert outcome["count"] == len(acknowledged)
    with opened(path, "none", clock=ManualClock(datetime.now(UTC))) as engine:
        agent = engine.agent()
        assert {memory.id for memory in agent.export()} == set(acknowledged)
        assert [str(problem) for problem in engine.doctor().problems] == []
        agent.store("there is room again")
        assert agent.count() == len(acknowledged) + 1


def test_a_file_that_may_not_grow_keeps_what_it_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    heard, errors = said(start(fill, path, 6 * MEGABYTE))
    assert errors == ""
    check(path, heard)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of eight megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("no file system may be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_keeps_what_it_acknowledged(small_disk: Path, tmp_path: Path) -> None:
    heard, errors = said(start(fill, small_disk / "memory.db", 0))
    assert errors == ""
    assert "the disk is full" in heard[-1]["error"]
    for file in small_disk.iterdir():
        shutil.copy(file, tmp_path / file.name)
    check(tmp_path / "memory.db", heard)


def test_a_backup_that_finds_the_disk_full_leaves_nothing_behind(small_disk: Path, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with opened(path, "none") as engine:
        rows = [NewMemory(content=f"write {number} " + "word " * 12_000) for number in range(200)]
        engine.agent().store_many(rows)
        with pytest.raises(StoreError, match="the disk is full"):
            engine.backup(small_disk / "copy.db")
        assert engine.doctor().sound
    assert list(small_disk.iterdir()) == []


@pytest.fixture
def guarded() -> Iterator[Path]:
    """A file in a folder that others may read and not write."""
    if os.geteuid():
        pytest.skip("only root can give a process another user")
    folder = Path(tempfile.mkdtemp())
    with opened(folder / "memory.db", "none") as engine:
        for number in range(3):
            engine.agent().store(content(number, 0))
    folder.chmod(0o755)
    (folder / "memory.db").chmod(0o444)
    yield folder / "memory.db"
    shutil.rmtree(folder)


def test_a_file_that_may_not_be_written_is_read_and_says_so(guarded: Path) -> None:
    before, mode = digest(guarded), stat.S_IMODE(guarded.stat().st_mode)
    heard, errors = said(start(read, guarded, NOBODY))
    assert errors == ""
    (outcome,) = heard
    assert outcome["read_only"] is True
    assert outcome["found"] >= 1
    assert "reading only" in outcome["error"]
    assert (digest(guarded), stat.S_IMODE(guarded.stat().st_mode)) == (before, mode)
    assert [entry.name for entry in guarded.parent.iterdir()] == ["memory.db"]
