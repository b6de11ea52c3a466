"""Isolation: a part that raises or breaks its contract contributes nothing, and the answer says so.

`Guard` watches over one recall; `Supervisor` holds what the recalls of one engine share.
"""

from __future__ import annotations

import logging
import threading
import time
from array import array
from collections.abc import Callable
from typing import Any, TypeVar

import attrs

from comis_core.errors import ComisError, ContractError
from comis_core.model import Degraded
from comis_core.recall.checks import Ascending
from comis_core.recall.flights import Flights
from comis_core.recall.parts import Bound
from comis_core.recall.wordsets import WordSets, in_order
from comis_core.text import Analyser

P = TypeVar("P")
T = TypeVar("T")

LONGEST_REASON = 300
"""Characters of a reason; a part may raise an error with a whole document in it."""


def _default_log() -> logging.Logger:
    return logging.getLogger("comis_core.recall")


@attrs.define(eq=False, repr=False)
class Supervisor:
    """What the recalls of one engine share; safe to use from several threads.

    Args:
        log: where a part's failures go, once a cause.
        text: the analyser with which copies are recognised.
    """

    log: logging.Logger = attrs.field(factory=_default_log)
    text: Analyser = attrs.field(factory=Analyser)
    flights: Flights = attrs.field(factory=Flights)
    """Calls into blocking parts that are under way."""
    ascending: Ascending = attrs.field(factory=Ascending)
    words: WordSets[array[int]] = attrs.field(init=False)
    stems: WordSets[frozenset[int]] = attrs.field(init=False)
    _causes: set[tuple[str, str, str]] = attrs.field(factory=set, init=False)
    _lock: threading.Lock = attrs.field(factory=threading.Lock, init=False)

    @words.default
    def _words(self) -> WordSets[array[int]]:
        return WordSets(self.text.token_set, in_order)

    @stems.default
    def _stems(self) -> WordSets[frozenset[int]]:
        return WordSets(self.text.stems, frozenset)

    def report(self, degraded: Degraded, error: BaseException) -> None:
        """Log a failure, with its traceback, unless this plugin failed in this stage in this way before."""
        words = degraded.reason if isinstance(error, ContractError) else type(error).__name__
        cause = (degraded.plugin, degraded.stage, words)
        with self._lock:
            known = cause in self._causes
            self._causes.add(cause)
        if not known:
            self.log.warning("%s", degraded, exc_info=None if isinstance(error, ComisError) else error)


@attrs.define(eq=False, repr=False)
class Guard:
    """Calls into parts during one recall, and what became of them."""

    supervisor: Supervisor
    deadline: float
    """Value of `time.monotonic()` at which parts are no longer started."""
    degraded: list[Degraded] = attrs.field(factory=list)
    notes: list[str] = attrs.field(factory=list)
    _slowest: tuple[float, str, str] = attrs.field(default=(0.0, "", ""), init=False)
    """The part that has taken most time so far: seconds, stage and name."""

    def attempt(self, bound: Bound[P], stage: str, work: Callable[[P], T], *, timed: bool = True) -> T | None:
        """What `work` returns, or None when it fails.

        Args:
            bound: the part whose work it is.
            stage: the kind of part, as in `Spec.stage`.
            work: calls the part and checks what it returned.
            timed: skip the part when the deadline has passed; parts that only compute run in any case.
        """
        started = time.monotonic()
        try:
            if timed and started >= self.deadline:
                raise ContractError(f"was not started, because the recall's deadline had passed{self._culprit()}")
            result = work(bound.part)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a part raises, the recall answers
            self.fault(bound, stage, error)
            return None
        finally:
            ended = time.monotonic()
            self._took(ended - started, stage, bound.name)
        if timed and ended >= self.deadline:
            self.notes.append(f"{stage} {bound.name!r} was still at work when the recall's deadline passed")
        return result

    def _took(self, seconds: float, stage: str, name: str) -> None:
        if seconds > self._slowest[0]:
            self._slowest = seconds, stage, name

    def _culprit(self) -> str:
        """Whose fault it is that there is no time left, in brackets."""
        _, stage, name = self._slowest
        return f" ({stage} {name!r} took most of the time)" if stage else ""

    def fault(self, bound: Bound[Any], stage: str, error: BaseException) -> None:
        """Record that a part contributed nothing, and why."""
        degraded = Degraded(plugin=bound.plugin or bound.name, stage=stage, reason=_reason(bound, error))
        if degraded not in self.degraded:
            self.degraded.append(degraded)
            self.supervisor.report(degraded, error)

    def expired(self) -> bool:
        """Whether the deadline has passed; also what parts ask as `cancelled`."""
        return time.monotonic() >= self.deadline


def _reason(bound: Bound[Any], error: BaseException) -> str:
    words = str(error) if isinstance(error, ComisError) else f"{type(error).__name__}: {error}".removesuffix(": ")
    words = " ".join(words.split())
    words = words if len(words) <= LONGEST_REASON else words[: LONGEST_REASON - 3] + "..."
    return words if bound.name in bound.plugin else f"{bound.name}: {words}"
