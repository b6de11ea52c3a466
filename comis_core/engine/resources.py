"""Heavy things, such as models, made once an engine and shared by every part that asks with an equal key."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import attrs

T = TypeVar("T")


@attrs.define(eq=False, repr=False)
class Resources:
    """A registry of shared things. Safe for many threads; `close` closes what has a `close`."""

    log: logging.Logger
    _made: dict[tuple[object, ...], Any] = attrs.field(factory=dict, init=False)
    _lock: threading.RLock = attrs.field(factory=threading.RLock, init=False)

    def get(self, key: tuple[object, ...], factory: Callable[[], T]) -> T:
        """The thing made by `factory` for this key; made now if nobody asked before."""
        with self._lock:
            if key not in self._made:
                self._made[key] = factory()
            made: T = self._made[key]
            return made

    def close(self) -> None:
        """Close everything, last made first. Twice is harmless."""
        with self._lock:
            made, self._made = list(self._made.values()), {}
        for thing in reversed(made):
            close_quietly(thing, self.log)


def close_quietly(thing: Any, log: logging.Logger) -> None:
    """Close a thing that has a `close`; a failure is logged, since nobody waits for it any more."""
    with contextlib.suppress(AttributeError):
        close = thing.close
        try:
            close()
        except Exception as error:  # noqa: BLE001  a plugin's close may raise anything
            log.warning("closing %s failed: %r", type(thing).__name__, error)
