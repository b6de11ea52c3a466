"""How long calls take: processor time of this process, which other programs on the machine disturb least, and wall."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Call = Callable[[], object]


@attrs.frozen(eq=False)
class Times:
    """Milliseconds of every call: processor and wall."""

    cpu: NDArray[np.float64]
    wall: NDArray[np.float64]

    @property
    def p50(self) -> float:
        """The median of processor time."""
        return float(np.median(self.cpu))

    @property
    def p99(self) -> float:
        """The 99th percentile of processor time."""
        return float(np.quantile(self.cpu, 0.99))

    @property
    def wall_p50(self) -> float:
        """The median of wall time."""
        return float(np.median(self.wall))


def measure(*ways: Sequence[Call]) -> list[Times]:
    """Times of several ways to do the same, call by call in turn, so that what else runs disturbs all alike."""
    cpu: list[list[float]] = [[] for _ in ways]
    wall: list[list[float]] = [[] for _ in ways]
    gc.collect()
    for calls in zip(*ways, strict=True):
        for place, call in enumerate(calls):
            started, processor = time.perf_counter(), time.process_time()
            call()
            cpu[place].append((time.process_time() - processor) * 1000)
            wall[place].append((time.perf_counter() - started) * 1000)
    return [Times(np.array(processor), np.array(walled)) for processor, walled in zip(cpu, wall, strict=True)]


def once(call: Call) -> tuple[float, float]:
    """Seconds that one call takes: processor and wall."""
    (times,) = measure([call])
    return float(times.cpu[0]) / 1000, float(times.wall[0]) / 1000
