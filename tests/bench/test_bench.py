"""The benchmarks run; how fast, no test says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parent / "run.py"


@pytest.mark.parametrize("name", ["ingest", "stages", "overhead"])
def test_a_benchmark_prints_its_row(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(RUN), "--small", "--only", name], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert {"ingest": "/s of processor time", "stages": "naive FTS5 + vec0", "overhead": "by hand"}[name] in done.stdout
