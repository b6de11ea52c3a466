"""How long it takes until something can be asked, in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from table import Row, milliseconds
from worlds import TWO_LANES, Worlds, opened, store

RUNS = 7
_PROGRAM = """
import json, sys, time
moments = [(time.perf_counter(), time.process_time())]
import comis_core
moments.append((time.perf_counter(), time.process_time()))
if len(sys.argv) > 1:
    engine = comis_core.open(sys.argv[1], config={}, preset="tuned", overrides=json.loads(sys.argv[2]))
    moments.append((time.perf_counter(), time.process_time()))
    answer = engine.agent("home").recall(sys.argv[3])
    moments.append((time.perf_counter(), time.process_time()))
    assert len(answer) and not answer.degraded, answer.degraded
    engine.close()
print(json.dumps([[(b - a) * 1000 for a, b in zip(x, y)] for x, y in zip(moments, moments[1:])]))
"""


def importing(worlds: Worlds) -> Iterator[Row]:
    """`import comis_core`."""
    laps = _laps(worlds)
    processor, wall = laps[:, 0, 1], laps[:, 0, 0]
    yield _row("import comis_core", processor, wall, 100)


def first_recall(worlds: Worlds) -> Iterator[Row]:
    """A new process opens a file of 10,000 and asks its first question: a newcomer's embedder, or none."""
    for embedder, vector in (("static", True), ("none", False)):
        path = worlds.path(f"first-{embedder}")
        lanes = {**TWO_LANES["rag"]["lanes"], "vector": {"enabled": vector}}
        overrides = {"embedding": "auto" if vector else "none", "rag": {"lanes": lanes}}
        rows = worlds.rows(worlds.sized(10_000), 30)
        with opened(path, overrides=overrides, embedder=embedder) as engine:
            store(engine, "home", rows)
            engine.drain()
        laps = _laps(worlds, str(path), json.dumps(overrides), rows[0].content[:40])
        words = "with the static embedder, whose model is read" if vector else "lexical alone"
        for what, places in (("open", [1]), ("first recall", [2]), ("open + first recall", [1, 2])):
            target = 400 if len(places) == 2 else None
            processor, wall = laps[:, places, 1].sum(1), laps[:, places, 0].sum(1)
            yield _row(f"{what}, {len(rows):,} memories, {words}", processor, wall, target)


def helping(worlds: Worlds) -> Iterator[Row]:
    """`comis --help`, with the interpreter's own start."""
    command = [
        sys.executable,
        "-c",
        "import sys; from comis_core.cli import main; sys.argv = ['comis', '--help']; main()",
    ]
    processor, wall = np.array([_children(command, worlds) for _ in range(RUNS)]).T
    yield _row("comis --help, with the interpreter's own start", processor, wall, 200)


def _row(what: str, processor: Any, wall: Any, target: int | None) -> Row:
    median = float(np.median(processor))
    return Row(
        what=what,
        median=f"{milliseconds(median)} of processor time",
        beside=f"wall {milliseconds(float(np.median(wall)))}",
        target="" if target is None else f"<= {target} ms",
        met=None if target is None else median <= target,
    )


def _laps(worlds: Worlds, *arguments: str) -> Any:
    """float64[runs, laps, 2]: wall and processor milliseconds; the first run warms the caches and does not count."""
    program = "import sys; from comis_core.cli import main; sys.argv = ['comis', '--help']; main()"
    command = [sys.executable, "-c", program]
    processor, wall = np.array([_children(command, worlds) for _ in range(RUNS)]).T
    yield _row("comis --help, with the interpreter's own start", processor, wall, 200)


def _row(what: str, processor: Any, wall: Any, target: int | None) -> Row:
    median = float(np.median(processor))
    return Row(
        what=what,
        median=f"{milliseconds(median)} of processor time",
        beside=f"wall {milliseconds(float(np.median(wall)))}",
        target="" if target is None else f"<= {target} ms",
        met=None if target is None else median <= target,
    )


def _laps(worlds: Worlds, *arguments: str) -> Any:
    """float64[runs, laps, 2]: wall and processor milliseconds; the first run warms the caches and does not count."""
    command = [sys.executable, "-c", _PROGRAM, *arguments]
    outputs = [
        subprocess.run(command, capture_output=True, text=True, check=True, env=_environment(worlds)).stdout
        for _ in range(RUNS + 1)
    ]
    return np.array([json.loads(output) for output in outputs[1:]])


def _children(command: list[str], worlds: Worlds) -> tuple[float, float]:
    import time

    before, started = os.times(), time.perf_counter()
    subprocess.run(command, capture_output=True, check=True, env=_environment(worlds))
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used * 1000, (time.perf_counter() - started) * 1000


def _environment(worlds: Worlds) -> dict[str, str]:
    """Compiled modules are kept, as they are after an installation, but not in the source tree."""
    cache = str(worlds.folder / "compiled")
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": cache, "PYTHONPATH": os.pathsep.join(filter(None, sys.path[1:]))}


def footprint(worlds: Worlds) -> Iterator[Row]:
    """What an installation takes on disk: this package and its hard dependencies beside numpy, without .pyc."""
    sizes = {name: _bytes(name) for name in _needed("comis-core") if name not in ("comis-core", "numpy")}
    sizes["comis-core"] = _own_bytes()
    largest = sorted(sizes, key=lambda name: -sizes[name])[:4]
    total = sum(sizes.values()) / 1e6
    yield Row(
        what=f"installed: this package and {len(sizes) - 1} hard dependencies beside numpy, without .pyc",
        median=f"{total:.1f} MB",
        beside=", ".join(f"{name} {sizes[name] / 1e6:.1f}" for name in largest),
        target="<= 30 MB",
        met=total <= 30,
    )


def _needed(name: str) -> list[str]:
    """A distribution and everything that it cannot do without."""
    from importlib.metadata import requires

    from packaging.requirements import Requirement

    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        current = waiting.pop().lower().replace("_", "-")
        if current not in found:
            found[current] = None
            wanted = map(Requirement, requires(current) or ())
            waiting += [each.name for each in wanted if each.marker is None or each.marker.evaluate({"extra": ""})]
    return list(found)


def _bytes(name: str) -> int:
    from importlib.metadata import files

    paths = [Path(str(path.locate())) for path in files(name) or () if path.suffix != ".pyc"]
    return sum(path.stat().st_size for path in paths if path.is_file())


def _own_bytes() -> int:
    root = Path(__file__).parents[2]
    paths = (path for folder in ("comis_core", "plugins") for path in (root / folder).rglob("*"))
    return sum(path.stat().st_size for path in paths if path.is_file() and path.suffix != ".pyc")


STARTUPS: Mapping[str, Any] = {"import": importing, "first": first_recall, "help": helping, "size": footprint}
