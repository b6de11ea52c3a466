"""Peers side by side, each in its own environment, all with the same vectors: `nox -s race`.

`python tests/bench/race/run.py --venvs FOLDER [--model FOLDER] [--peer NAME]`. Medians are of processor time.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402  it reads the environment when it is imported

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from prepare import prepare  # noqa: E402
from table import circumstances, write  # noqa: E402

PEERS = sorted(path.stem for path in (HERE / "peers").glob("*.py"))
HEAD = ("peer", "ingest", "ingest, made-up", "search p50", "p50, made-up", "p99, made-up", "LoCoMo recall@10", "note")
_LOADS = "import sqlite3; raise SystemExit(not hasattr(sqlite3.Connection, 'enable_load_extension'))"


def main(arguments: list[str]) -> None:
    """Run the peers that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venvs", type=Path, required=True, help="where the peers' environments are made and kept")
    parser.add_argument("--model", help="folder of an ONNX export to embed with; the static embedder without")
    parser.add_argument("--peer", action="append", choices=PEERS, help="one of the peers; all without")
    parser.add_argument("--memories", type=int, default=10_000, help="made-up turns, for ingest and latency")
    parser.add_argument("--write", action="store_true", help="put the table into docs/explanation/performance.md")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="comis-race-") as folder:
        embedded = prepare(Path(folder), model=chosen.model, made_up=chosen.memories)
        lines = [_line(name, _run(name, chosen.venvs, Path(folder))) for name in chosen.peer or PEERS]
    command = f"nox -s race -- {' '.join(_public(arguments))}".strip()
    text = f"{_markdown(lines)}\n\nAll with vectors of {embedded}. {circumstances(command)}"
    print(text)
    if chosen.write:
        write("race", text)


def _run(name: str, venvs: Path, prepared: Path) -> list[dict[str, Any]]:
    print(f"... {name}", file=sys.stderr, flush=True)
    module = HERE / "peers" / f"{name}.py"
    python = _environment(name, _load(module), venvs)
    done = subprocess.run(
        [python, str(HERE / "lap.py"), str(module), str(prepared)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{name} fell by the wayside:\n{done.stderr}")
    cases: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return cases


def _load(module: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"race_{module.stem}", module)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def _environment(name: str, peer: ModuleType, venvs: Path) -> str:
    """The Python of the peer's own environment, made if it is not there."""
    if not peer.INSTALL:
        return sys.executable
    folder = venvs.absolute() / name
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not (folder / "made").exists():
        base = _that_loads_extensions() if peer.LOADS_EXTENSIONS else sys.executable
        subprocess.run([sys.executable, "-m", "virtualenv", "-q", "-p", base, str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *peer.INSTALL], check=True)
        (folder / "made").touch()
    return str(python)


def _that_loads_extensions() -> str:
    """A Python whose sqlite3 can load extensions, else this one; many builds cannot."""
    for python in filter(None, (sys.executable, shutil.which("python3", path="/usr/local/bin:/usr/bin"))):
        if subprocess.run([python, "-c", _LOADS], check=False).returncode == 0:
            return python
    return sys.executable


def _line(name: str, cases: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    real = [case for case in cases if case["recalls"]]
    (made_up,) = (case for case in cases if not case["recalls"])
    found = [value for case in real for value in case["recalls"]]
    return (
        name,
        _rate(real),
        _rate([made_up]),
        _quantile(real, 0.5),
        _quantile([made_up], 0.5),
        _quantile([made_up], 0.99),
        f"{np.mean(found):.3f}" if found else "no data",
        cases[0]["note"],
    )


def _rate(cases: Sequence[dict[str, Any]]) -> str:
    seconds = sum(case["seconds"] for case in cases)
    return f"{sum(case['rows'] for case in cases) / seconds:,.0f}/s" if seconds else "no data"


def _quantile(cases: Sequence[dict[str, Any]], share: float) -> str:
    taken = [value for case in cases for value in case["milliseconds"]]
    return f"{np.quantile(taken, share):.3g} ms" if taken else "no data"


def _markdown(lines: Sequence[tuple[str, ...]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in [HEAD, ("---",) * len(HEAD), *lines])


def _public(arguments: Sequence[str]) -> list[str]:
    """The arguments that mean the same on another machine."""
    return ["--model MODEL" if previous == "--model" else argument for previous, argument in _pairs(arguments)]


def _pairs(arguments: Sequence[str]) -> list[tuple[str, str]]:
    kept = [(before, each) for before, each in zip(["", *arguments], arguments, strict=False)]
    return [(before, each) for before, each in kept if each not in ("--venvs", "--model") and before != "--venvs"]


if __name__ == "__main__":
    main(sys.argv[1:])
