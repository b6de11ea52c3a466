"""The table: what was measured, beside what, and the target."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import attrs

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "performance.md"
HEAD = ("what", "median", "beside", "ratio", "target", "met")


@attrs.frozen(kw_only=True)
class Row:
    """One line. median, beside: with their units. target: in words; met: None where it says nothing about this line."""

    what: str
    median: str
    beside: str = ""
    ratio: str = ""
    target: str = ""
    met: bool | None = None

    def cells(self) -> tuple[str, ...]:
        """As text."""
        met = "" if self.met is None else "yes" if self.met else "no"
        return self.what, self.median, self.beside, self.ratio, self.target, met


def milliseconds(value: float) -> str:
    """Three digits."""
    return f"{value:.3g} ms"


def times(value: float) -> str:
    """A ratio."""
    return f"{value:.3g}x"


def plain(rows: Sequence[Row]) -> str:
    """The table for a terminal."""
    cells = [HEAD, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in cells)


def markdown(rows: Sequence[Row]) -> str:
    """The table for the docs."""
    lines = [HEAD, ("---",) * len(HEAD), *(row.cells() for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def circumstances(command: str) -> str:
    """Machine, versions, command, date: one line."""
    import apsw
    import numpy as np

    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"{_processor()}, {os.cpu_count()} cores, load average {load}; Python {platform.python_version()}, "
        f"numpy {np.__version__}, SQLite {apsw.sqlite_lib_version()}; `{command}`, {datetime.now(UTC).date()}."
    )


def write(name: str, text: str) -> None:
    """Put a text between the marks of a name in the page."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    found = re.search(f"{re.escape(begin)}.*?{re.escape(end)}", page, re.DOTALL)
    if found is None:
        raise SystemExit(f"{PAGE} has no place for {name}: {begin} ... {end}")
    PAGE.write_text(f"{page[: found.start()]}{begin}\n{text}\n{end}{page[found.end() :]}", encoding="utf-8")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
