"""Every performance target as a table, in one run: `nox -s bench`, or `python tests/bench/run.py --small`.

Figures are medians of processor time, because a wall clock on a busy machine tells of the neighbours; ratios are of
two things measured in turn, call by call. Nothing here fails for being slow.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

# One thread: a recall shares the machine with the agent that asks.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from ingest import INGESTS  # noqa: E402  numpy reads the environment when it is imported
from overhead import overhead  # noqa: E402
from recalls import RECALLS  # noqa: E402
from startup import STARTUPS  # noqa: E402
from table import Row, circumstances, markdown, plain, write  # noqa: E402
from worlds import Worlds  # noqa: E402

BENCHMARKS = {**RECALLS, "overhead": overhead, **INGESTS, **STARTUPS}
SMALL = 0.02


def main(arguments: list[str]) -> None:
    """Run the benchmarks that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", choices=BENCHMARKS, metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--small", action="store_true", help=f"{SMALL:g} of every size: for a quick look")
    parser.add_argument("--scale", type=float, default=1.0, help="share of every size")
    parser.add_argument("--others", type=int, default=1_000_000, help="memories of other scopes, for `neighbours`")
    parser.add_argument("--write", action="store_true", help="put the table into docs/explanation/performance.md")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="comis-bench-") as folder:
        scale = SMALL if chosen.small else chosen.scale
        worlds = Worlds(Path(folder), scale, others=chosen.others, log=_say)
        rows = _rows(worlds, chosen.only or list(BENCHMARKS))
    command = " ".join(["python tests/bench/run.py", *arguments])
    print(f"\n{plain(rows)}\n\n{circumstances(command)}")
    if chosen.write:
        write("bench", f"{markdown(rows)}\n\n{circumstances(command)}")


def _rows(worlds: Worlds, names: list[str]) -> list[Row]:
    rows = []
    for name in names:
        _say(name)
        for row in BENCHMARKS[name](worlds):
            _say("   ".join(filter(None, row.cells())))
            rows.append(row)
    return rows


def _say(words: str) -> None:
    print(f"... {words}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
