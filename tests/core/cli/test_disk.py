"""What a command says when the disk takes no more: the process may not let a file grow beyond so many bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("resource", reason="limits on the size of files are POSIX")

Run = Callable[..., "subprocess.CompletedProcess[str]"]

PROGRAM = """
import resource, sys
from comis_core.cli.app import run
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
run(sys.argv[2:])
"""
LARGE = 10**9


@pytest.fixture
def limited(tmp_path: Path) -> Run:
    (tmp_path / "words.yaml").write_text("memory: {walMode: false, recall: {embeddingModel: none}}\n", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    # The limit holds for compiled modules too: a later process would find them cut short.
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    environment |= {"HOME": str(tmp_path), "COMIS_CONFIG": "words.yaml", "PYTHONPATH": os.pathsep.join(sys.path)}

    def call(most: int, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.run(
            [sys.executable, "-c", PROGRAM, str(most), *arguments],
            cwd=tmp_path, env=environment, text=True, check=False, **streams,
        )  # fmt: skip

    return call


def test_a_backup_that_does_not_fit_names_the_failed_write_and_leaves_nothing(limited: Run, tmp_path: Path) -> None:
    assert limited(LARGE, "store", "Ana keeps bees.").returncode == 0
    size = (tmp_path / "memory.db").stat().st_size
    result = limited(size // 2, "backup", "copy.db")
    assert result.returncode == 1
    assert "copy.db.partial failed: SQLITE_IOERR_WRITE" in result.stderr
    assert "not an error" not in result.stderr
    assert sorted(path.name for path in tmp_path.glob("copy.db*")) == []


def test_an_export_that_does_not_fit_names_the_file_and_leaves_the_former_one(limited: Run, tmp_path: Path) -> None:
    limited(LARGE, "store", "Ana keeps bees. " * 100)
    (tmp_path / "out.jsonl").write_text("former", encoding="utf-8")
    result = limited(1000, "export", "out.jsonl")
    assert result.returncode == 1
    assert "out.jsonl could not be written: File too large" in result.stderr
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == "former"


@pytest.mark.parametrize("command", [("export",), ("config", "schema"), ("browse", "--json"), ("--help",)])
def test_output_that_does_not_fit_is_told_without_a_number_and_a_traceback(
    limited: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    limited(LARGE, "store", "Ana keeps bees. " * 100)
    with (tmp_path / "out.txt").open("w", encoding="utf-8") as out:
        result = limited(500, *command, stdout=out)
    assert result.returncode == 1
    assert result.stderr == (
        "Error: the output could not be written: File too large\n  free some space, or write to another place\n"
    )


def test_a_memory_that_does_not_fit_is_refused_and_the_file_stays_sound(limited: Run, tmp_path: Path) -> None:
    limited(LARGE, "store", "Ana keeps bees.")
    size = (tmp_path / "memory.db").stat().st_size
    result = limited(size, "store", "x" * 60_000)
    assert result.returncode == 1
    assert "memory.db failed: disk I/O error (SQLITE_IOERR_WRITE)" in result.stderr
    assert "sound" in limited(LARGE, "doctor").stdout
