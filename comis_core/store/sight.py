"""Which ids a view shows: found out once, and kept until the scope changes or something in it expires."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.store.views import View

if TYPE_CHECKING:
    from comis_core.model import Ids

MAX_BYTES = 32 * 1024 * 1024
"""RAM for all the ids that are kept."""


@attrs.frozen(eq=False, repr=False)
class Sight:
    """What a view shows of a scope as of its change `seq`, for recalls at a moment in [since, until)."""

    seq: int
    since: int
    until: int
    ids: Ids

    def holds(self, seq: int, now: int) -> bool:
        """Whether a recall at that change and moment sees the same."""
        return self.seq == seq and self.since <= now < self.until


class Sights:
    """The ids of the views that were used last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, View], Sight] = OrderedDict()
        self._bytes = 0

    def of(self, scope: int, view: View, seq: int, now: int, look: Callable[[], Sight]) -> Ids:
        """int64[n], ascending, not to be written to. look: finds it out when it is not kept."""
        key = (scope, view)
        with self._lock:
            sight = self._kept.get(key)
            if sight is not None and sight.holds(seq, now):
                self._kept.move_to_end(key)
                return sight.ids
        sight = look()
        with self._lock:
            self._keep(key, sight)
        return sight.ids

    def _keep(self, key: tuple[int, View], sight: Sight) -> None:
        former = self._kept.pop(key, None)
        if former is not None:
            self._bytes -= former.ids.nbytes
        self._kept[key] = sight
        self._bytes += sight.ids.nbytes
        while self._bytes > MAX_BYTES:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= oldest.ids.nbytes


def parse(listed: str | None) -> Ids:
    """int64[n], ascending and read-only, of ids separated by commas: half the time of a Python object a row."""
    ids = np.fromstring(listed or "", dtype=np.int64, sep=",")
    ids.sort()
    ids.flags.writeable = False
    return ids
