"""The worker: what is due gets done, in the background or here and now."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import attrs
import pytest

from comis_core.clock import ManualClock
from comis_core.errors import StoreError
from comis_core.jobs import worker as module
from comis_core.jobs.worker import Worker
from comis_core.model import to_microseconds
from comis_core.store import Store
from comis_core.store.outbox import FIRST_DELAY_SECONDS, Outbox, Pending, Settlement, Task

OUTBOX = Outbox()
PATIENCE = 30.0
"""Seconds after which a test that waits for the background has failed."""


@attrs.define
class Recorder:
    """A handler that notes what it was given, and what `work` makes of it."""

    work: Callable[[Sequence[Task]], Settlement] = attrs.field(default=lambda tasks: Settlement(done=tasks))
    batch: int = 2
    batches: list[list[int]] = attrs.field(factory=list)
    threads: set[str] = attrs.field(factory=set)
    called: threading.Event = attrs.field(factory=threading.Event)

    def handle(self, tasks: Sequence[Task]) -> Settlement:
        self.batches.append([task.task for task in tasks])
        self.threads.add(threading.current_thread().name)
        settlement = self.work(tasks)
        self.called.set()
        return settlement


@attrs.define
class Desk:
    """A store and a worker with one kind of task."""

    store: Store
    clock: ManualClock
    handler: Recorder = attrs.field(factory=Recorder)
    worker: Worker = attrs.field(init=False)

    @worker.default
    def _worker(self) -> Worker:
        return Worker(self.store, OUTBOX, {"count": self.handler}, self.clock, logging.getLogger("test.worker"))

    def enqueue(self, count: int, kind: str = "count") -> None:
        now = to_microseconds(self.clock.now())
        self.store.write(lambda tx: OUTBOX.enqueue(tx, kind, 1, [None] * count, now=now))

    def pending(self) -> dict[str, Pending]:
        now = to_microseconds(self.clock.now())
        return self.store.write(lambda tx: OUTBOX.pending(tx, now=now))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    clock = ManualClock(datetime(2024, 5, 8, 12, tzinfo=UTC))
    with Store.open(tmp_path / "memory.db", clock=clock) as store:
        desk = Desk(store, clock)
        yield desk
        desk.worker.stop()


def test_drain_does_all_that_is_due_in_this_thread(desk: Desk) -> None:
    desk.enqueue(5)
    assert desk.worker.drain() == 5
    assert desk.handler.batches == [[1, 2], [3, 4], [5]]
    assert desk.handler.threads == {threading.current_thread().name}
    assert desk.pending() == {}
    assert desk.worker.drain() == 0


def test_what_a_task_brings_is_drained_too(desk: Desk) -> None:
    def work(tasks: Sequence[Task]) -> Settlement:
        if len(desk.handler.batches) < 3:
            desk.enqueue(1)
        return Settlement(done=tasks)

    desk.handler.work = work
    desk.enqueue(1)
    assert desk.worker.drain() == 3


def test_tasks_of_other_kinds_are_left_alone(desk: Desk) -> None:
    desk.enqueue(1, "another")
    assert desk.worker.drain() == 0
    assert desk.pending() == {"another": Pending(due=1)}


def test_the_batchs_writes_go_in_with_its_outcome(desk: Desk) -> None:
    def work(tasks: Sequence[Task]) -> Settlement:
        def write(tx: Any) -> None:
            tx.execute("INSERT INTO spaces(fingerprint, dimensions) VALUES ('written', 3)")

        return Settlement(done=tasks, write=write)

    desk.handler.work = work
    desk.enqueue(1)
    desk.worker.drain()
    assert desk.store.write(lambda tx: list(tx.execute("SELECT fingerprint FROM spaces"))) == [("written",)]


def test_a_handler_that_raises_fails_its_batch_and_quotes_nothing(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    def work(tasks: Sequence[Task]) -> Settlement:
        raise KeyError("the secret is 4711")

    desk.handler.work = work
    desk.enqueue(2)
    with caplog.at_level(logging.WARNING):
        assert desk.worker.drain() == 2
    assert desk.pending() == {"count": Pending(later=2)}
    assert desk.store.write(lambda tx: list(tx.execute("SELECT DISTINCT error FROM outbox"))) == [("KeyError",)]
    assert "2 tasks of kind 'count' failed: KeyError" in caplog.text
    assert "4711" not in caplog.text


def test_failed_tasks_are_done_once_their_delay_is_over(desk: Desk) -> None:
    desk.handler.work = lambda tasks: Settlement(failed=[(task, "not yet") for task in tasks])
    desk.enqueue(1)
    desk.worker.drain()
    desk.handler.work = lambda tasks: Settlement(done=tasks)
    assert desk.worker.drain() == 0
    desk.clock.advance(timedelta(seconds=FIRST_DELAY_SECONDS))
    assert desk.worker.drain() == 1
    assert desk.pending() == {}


def test_an_outcome_that_cannot_be_written_fails_the_batch(desk: Desk) -> None:
    def write(tx: Any) -> None:
        tx.execute("INSERT INTO spaces(fingerprint, dimensions) VALUES ('half', 3)")
        raise StoreError("the space has other dimensions")

    desk.handler.work = lambda tasks: Settlement(done=tasks, write=write)
    desk.enqueue(1)
    desk.worker.drain()
    assert desk.pending() == {"count": Pending(later=1)}
    rows = desk.store.write(lambda tx: list(tx.execute("SELECT attempts, error FROM outbox")))
    assert rows == [(1, "the space has other dimensions")]
    assert desk.store.write(lambda tx: list(tx.execute("SELECT * FROM spaces"))) == []


def test_a_handler_may_drain(desk: Desk) -> None:
    def work(tasks: Sequence[Task]) -> Settlement:
        if len(desk.handler.batches) == 1:
            desk.worker.drain()
        return Settlement(done=tasks)

    desk.handler.work = work
    desk.enqueue(4)
    assert desk.worker.drain() == 2
    assert desk.handler.batches == [[1, 2], [3, 4]]
    assert desk.pending() == {}


def test_the_background_works_when_woken(desk: Desk) -> None:
    desk.worker.start()
    desk.enqueue(1)
    desk.worker.wake()
    assert desk.handler.called.wait(PATIENCE)
    desk.worker.stop()
    assert desk.handler.threads == {"comis-worker"}
    assert desk.pending() == {}


def test_what_is_there_at_the_start_is_worked_on_without_a_call(desk: Desk) -> None:
    desk.enqueue(1)
    desk.worker.start()
    assert desk.handler.called.wait(PATIENCE)


def test_starting_twice_makes_one_thread(desk: Desk) -> None:
    desk.worker.start()
    desk.worker.start()
    assert [thread.name for thread in threading.enumerate()].count("comis-worker") == 1


def test_stop_finishes_the_batch_in_hand_and_leaves_the_rest(desk: Desk) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(tasks: Sequence[Task]) -> Settlement:
        begun.set()
        assert go_on.wait(PATIENCE)
        return Settlement(done=tasks)

    desk.handler.work = work
    desk.enqueue(5)
    desk.worker.start()
    assert begun.wait(PATIENCE)
    stopper = threading.Thread(target=desk.worker.stop)
    stopper.start()
    assert desk.worker._stopping.wait(PATIENCE)
    go_on.set()
    stopper.join()
    assert desk.handler.batches == [[1, 2]]
    assert desk.pending() == {"count": Pending(due=3)}


def test_a_batch_that_does_not_end_is_left_to_itself(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(tasks: Sequence[Task]) -> Settlement:
        begun.set()
        assert go_on.wait(PATIENCE)
        return Settlement(done=tasks)

    desk.handler.work = work
    desk.enqueue(1)
    desk.worker.start()
    assert begun.wait(PATIENCE)
    with caplog.at_level(logging.WARNING):
        assert not desk.worker.stop(0.01)
    assert "left to itself" in caplog.text
    assert desk.pending() == {"count": Pending(later=1)}
    go_on.set()
    assert desk.worker.stop()


def test_stopping_twice_or_before_the_start_is_harmless(desk: Desk) -> None:
    assert desk.worker.stop()
    assert desk.worker.stop()


def test_drain_waits_for_the_batch_that_the_background_has_in_hand(desk: Desk) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(tasks: Sequence[Task]) -> Settlement:
        begun.set()
        assert go_on.wait(PATIENCE)
        return Settlement(done=tasks)

    desk.handler.work = work
    desk.enqueue(1)
    desk.worker.start()
    assert begun.wait(PATIENCE)
    drainer = threading.Thread(target=desk.worker.drain)
    drainer.start()
    go_on.set()
    drainer.join()
    assert desk.pending() == {}


class Alarm(logging.Handler):
    """Rings at the first record."""

    def __init__(self) -> None:
        super().__init__()
        self.rung = threading.Event()
        self.message = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.message = record.getMessage()
        self.rung.set()


def test_the_worker_outlives_a_database_that_cannot_be_used(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.01)
    alarm = Alarm()
    desk.enqueue(1)
    refuse = "CREATE TRIGGER refuse BEFORE UPDATE ON outbox BEGIN SELECT raise(ABORT, 'no writing today'); END"
    desk.store.write(lambda tx: tx.execute(refuse))
    logging.getLogger("test.worker").addHandler(alarm)
    try:
        desk.worker.start()
        assert alarm.rung.wait(PATIENCE)
    finally:
        logging.getLogger("test.worker").removeHandler(alarm)
    assert "no writing today" in alarm.message
    desk.store.write(lambda tx: tx.execute("DROP TRIGGER refuse"))
    assert desk.handler.called.wait(PATIENCE)


def test_the_next_look_is_when_the_next_task_is_due(desk: Desk) -> None:
    assert desk.worker._rest() == module.LOOK_SECONDS
    desk.handler.work = lambda tasks: Settlement(failed=[(task, "not yet") for task in tasks])
    desk.enqueue(1)
    desk.worker.drain()
    assert desk.worker._rest() == FIRST_DELAY_SECONDS
    desk.clock.advance(timedelta(hours=1))
    assert desk.worker._rest() == 0
