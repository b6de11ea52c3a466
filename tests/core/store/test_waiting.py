"""Who waits for another process's lock is woken by closing."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from comis_core.clock import ManualClock
from comis_core.errors import StoreError
from comis_core.model import NewMemory, Scope
from comis_core.store import Store, waiting
from comis_core.store.waiting import LockWait

ONE = [NewMemory(content="one")]
ENOUGH_SECONDS = 20.0


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set once a write waits for another connection's lock."""
    begun, again = threading.Event(), LockWait.again

    def noticed(self: LockWait, limit: float, tries: int) -> bool:
        begun.set()
        return again(self, limit, tries)

    monkeypatch.setattr(LockWait, "again", noticed)
    return begun


@pytest.fixture
def other(store: Store, path: Path) -> Iterator[apsw.Connection]:
    """Another connection that holds the write lock."""
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection


def test_a_write_that_waits_ends_with_the_store(
    store: Store, scope: Scope, other: apsw.Connection, waits: threading.Event
) -> None:
    with ThreadPoolExecutor(1) as threads:
        write = threads.submit(store.add, scope, ONE)
        assert waits.wait(ENOUGH_SECONDS)
        store.close()
        with pytest.raises(StoreError, match="was closed while a write waited for another process"):
            write.result()


def test_nothing_is_left_of_a_write_that_closing_ended(
    store: Store, path: Path, clock: ManualClock, scope: Scope, other: apsw.Connection, waits: threading.Event
) -> None:
    with ThreadPoolExecutor(1) as threads:
        write = threads.submit(store.add, scope, ONE)
        assert waits.wait(ENOUGH_SECONDS)
        store.close()
        assert isinstance(write.exception(), StoreError)
    other.execute("ROLLBACK")
    with Store.open(path, clock=clock) as again:
        assert again.count(scope) == 0


def test_a_write_that_gets_the_lock_in_the_moment_of_grace_is_made(
    store: Store,
    path: Path,
    clock: ManualClock,
    scope: Scope,
    other: apsw.Connection,
    waits: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "GRACE_SECONDS", 60.0)
    with ThreadPoolExecutor(1) as threads:
        write = threads.submit(store.add, scope, ONE)
        assert waits.wait(ENOUGH_SECONDS)
        store.stop_waiting()
        other.execute("ROLLBACK")
        assert len(write.result().stored) == 1
    store.close()
    with Store.open(path, clock=clock) as again:
        assert again.count(scope) == 1


def test_what_was_acknowledged_before_is_there_after_such_an_end(
    store: Store, path: Path, clock: ManualClock, scope: Scope, waits: threading.Event
) -> None:
    store.add(scope, ONE)
    with closing(apsw.Connection(str(path))) as other, ThreadPoolExecutor(1) as threads:
        other.execute("BEGIN IMMEDIATE")
        write = threads.submit(store.add, scope, [NewMemory(content="two")])
        assert waits.wait(ENOUGH_SECONDS)
        store.close()
        assert isinstance(write.exception(), StoreError)
    with Store.open(path, clock=clock) as again:
        assert again.count(scope) == 1


def test_a_write_goes_on_waiting_while_nobody_closes(
    store: Store, scope: Scope, other: apsw.Connection, waits: threading.Event
) -> None:
    with ThreadPoolExecutor(1) as threads:
        write = threads.submit(store.add, scope, ONE)
        assert waits.wait(ENOUGH_SECONDS)
        other.execute("ROLLBACK")
        assert len(write.result().stored) == 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no such timers here")
def test_an_interrupt_ends_a_wait(store: Store, scope: Scope, other: apsw.Connection) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            store.add(scope, ONE)
    finally:
        signal.signal(signal.SIGALRM, former)


def test_a_wait_ends_at_its_limit() -> None:
    assert not LockWait().again(0.0, 0)


def test_the_moment_of_grace_is_one_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "GRACE_SECONDS", 0.0)
    wait = LockWait()
    assert wait.again(60.0, 0)
    wait.end()
    assert not wait.again(60.0, 1)
    assert not wait.again(60.0, 0)
