"""Who waits for another process's lock is woken by closing."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

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
    """Set once somebody waits for another connection's lock."""
    begun, pause = threading.Event(), LockWait._pause

    def noticed(self: LockWait, left: float, now: float, tries: int) -> bool:
        begun.set()
        return pause(self, left, now, tries)

    monkeypatch.setattr(LockWait, "_pause", noticed)
    return begun


@contextmanager
def begun(path: Path, how: str) -> Iterator[apsw.Connection]:
    """A connection of somebody else's in a transaction."""
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(f"BEGIN {how}")
        yield connection


@pytest.fixture
def other(store: Store, path: Path) -> Iterator[apsw.Connection]:
    """Another connection that holds the write lock."""
    with begun(path, "IMMEDIATE") as connection:
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


@pytest.fixture
def journalled(path: Path, clock: ManualClock) -> Iterator[Store]:
    """A store on a rollback journal, in which who writes keeps readers out."""
    with Store.open(path, clock=clock, wal=False) as store:
        yield store


@pytest.fixture
def excluded(journalled: Store, path: Path) -> Iterator[apsw.Connection]:
    """Another connection that lets nobody read."""
    with begun(path, "EXCLUSIVE") as connection:
        yield connection


def test_a_read_that_waits_ends_with_the_store(
    journalled: Store, scope: Scope, excluded: apsw.Connection, waits: threading.Event
) -> None:
    with ThreadPoolExecutor(1) as threads:
        read = threads.submit(journalled.count, scope)
        assert waits.wait(ENOUGH_SECONDS)
        journalled.close()
        with pytest.raises(StoreError, match="was closed while a read waited for another process"):
            read.result()


def test_a_read_goes_on_waiting_while_nobody_closes(
    journalled: Store, scope: Scope, excluded: apsw.Connection, waits: threading.Event
) -> None:
    with ThreadPoolExecutor(1) as threads:
        read = threads.submit(journalled.count, scope)
        assert waits.wait(ENOUGH_SECONDS)
        excluded.execute("ROLLBACK")
        assert read.result() == 0


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


class Seconds:
    """A clock that only sleeping moves on, or a hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> Seconds:
    clock = Seconds()
    monkeypatch.setattr(waiting, "time", clock)
    return clock


HANDLERS = pytest.mark.parametrize("handler", ["again", "read_again"])


@HANDLERS
def test_the_limit_counts_from_the_first_try(handler: str, seconds: Seconds) -> None:
    again = getattr(LockWait(), handler)
    assert again(10.0, 0)
    seconds.now = 9.0
    assert again(10.0, 1)
    seconds.now = 10.0
    assert not again(10.0, 2)


@HANDLERS
def test_a_later_wait_has_a_limit_of_its_own(handler: str, seconds: Seconds) -> None:
    again = getattr(LockWait(), handler)
    assert again(10.0, 0)
    seconds.now = 20.0
    assert again(10.0, 0)


def test_what_waits_in_another_thread_does_not_move_the_limit_of_a_read(seconds: Seconds) -> None:
    wait = LockWait()
    assert wait.read_again(10.0, 0)
    seconds.now = 9.0
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(wait.read_again, 10.0, 0).result()
    seconds.now = 10.0
    assert not wait.read_again(10.0, 1)


def test_a_read_waits_for_as_long_as_reads_do_whatever_the_patience_of_a_write(seconds: Seconds) -> None:
    wait = LockWait()
    with wait.turn(threading.Lock(), 0.25):
        assert wait.again(10.0, 0)
        assert wait.read_again(10.0, 0)
        seconds.now = 9.0
        assert wait.read_again(10.0, 1)


@HANDLERS
def test_there_are_pauses_in_the_moment_of_grace(handler: str, seconds: Seconds) -> None:
    wait = LockWait()
    wait.end()
    tries = 0
    while tries < 1000 and getattr(wait, handler)(60.0, tries):
        tries += 1
    assert 5 < tries < 50
    assert seconds.now == pytest.approx(waiting.GRACE_SECONDS)


def test_the_moment_of_grace_is_one_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "GRACE_SECONDS", 0.0)
    wait = LockWait()
    assert wait.again(60.0, 0)
    wait.end()
    assert not wait.again(60.0, 1)
    assert not wait.again(60.0, 0)


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    hands = Hands()
    monkeypatch.setattr(waiting, "time", hands)
    return hands


def give_up(wait: LockWait, lock: threading.Lock, hands: Hands, seconds: float) -> None:
    """A write waits for so long, and fails."""
    with suppress(StoreError), wait.turn(lock):
        assert wait.again(seconds, 0)
        hands.now += seconds
        assert not wait.again(seconds, 1)
        raise StoreError("locked") from apsw.BusyError("locked")


@contextmanager
def asked(moment: float) -> Iterator[None]:
    token = waiting.ASKED_AT.set(moment)
    yield
    waiting.ASKED_AT.reset(token)


def test_waiting_behind_a_write_that_gave_up_counts(hands: Hands) -> None:
    wait, lock, began = LockWait(), threading.Lock(), hands.now
    give_up(wait, lock, hands, 30.0)
    with asked(began), wait.turn(lock):
        assert not wait.again(30.0, 0)


def test_who_came_later_waits_for_as_long_as_who_came_first(hands: Hands) -> None:
    wait, lock, began = LockWait(), threading.Lock(), hands.now
    give_up(wait, lock, hands, 30.0)
    with asked(began + 20.0), wait.turn(lock):
        hands.now = began + 49.99
        assert wait.again(30.0, 0)
        hands.now = began + 50.0
        assert not wait.again(30.0, 1)


def test_waiting_behind_writes_that_are_made_does_not_count(hands: Hands) -> None:
    wait, lock, began = LockWait(), threading.Lock(), hands.now
    with wait.turn(lock):
        wait.again(30.0, 0)
        hands.now += 100.0
    with asked(began), wait.turn(lock):
        assert wait.again(30.0, 0)


def test_a_second_wait_of_one_write_has_a_limit_of_its_own(hands: Hands) -> None:
    wait = LockWait()
    with wait.turn(threading.Lock()):
        wait.again(30.0, 0)
        hands.now += 100.0
        assert wait.again(30.0, 0)


def test_a_patience_is_one_for_all_waits(hands: Hands) -> None:
    wait = LockWait()
    with wait.turn(threading.Lock(), 0.25):
        assert wait.again(30.0, 0)
        hands.now += 0.25
        assert not wait.again(30.0, 1)
        assert not wait.again(30.0, 0)


def test_a_patience_is_none_of_the_next_write(hands: Hands) -> None:
    wait, lock = LockWait(), threading.Lock()
    with wait.turn(lock, 0.0):
        pass
    with wait.turn(lock):
        assert wait.again(30.0, 0)


def test_who_has_little_patience_does_not_wait_for_another_thread(store: Store) -> None:
    with ThreadPoolExecutor(1) as threads, store.transaction():
        impatient = threads.submit(lambda: store._write(lambda tx: None, patience=0.0))
        with pytest.raises(StoreError, match="another thread is still writing"):
            impatient.result()
    store._write(lambda tx: None, patience=0.0)


def test_writes_of_several_threads_give_up_together(
    path: Path, clock: ManualClock, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    came, pauses = threading.Semaphore(0), Counter[int]()
    turn, again = LockWait.turn, LockWait.again

    def noticed(self: LockWait, *arguments: Any) -> AbstractContextManager[None]:
        came.release()
        return turn(self, *arguments)

    def counted(self: LockWait, limit: float, tries: int) -> bool:
        if tries == 0 and not pauses:
            # Nobody gives up before all are there.
            assert all(came.acquire(timeout=ENOUGH_SECONDS) for _ in range(3))
        pauses[threading.get_ident()] += 1
        return again(self, 0.3, tries)

    monkeypatch.setattr(LockWait, "turn", noticed)
    monkeypatch.setattr(LockWait, "again", counted)
    with (
        Store.open(path, clock=clock) as store,
        closing(apsw.Connection(str(path))) as other,
        ThreadPoolExecutor(3) as threads,
    ):
        while came.acquire(blocking=False):
            pass  # those of opening
        other.execute("BEGIN IMMEDIATE")
        writes = [threads.submit(store.add, scope, ONE) for _ in range(3)]
        assert all(isinstance(write.exception(), StoreError) for write in writes)
    first, *others = sorted(pauses.values(), reverse=True)
    assert len(others) == 2
    assert sum(others) < first
