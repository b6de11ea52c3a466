"""The outbox: tasks are shared, come back, and are never lost."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from comis_core.clock import ManualClock
from comis_core.model import to_microseconds
from comis_core.store import Store
from comis_core.store.outbox import (
    FIRST_DELAY_SECONDS,
    LEASE_SECONDS,
    MAX_ATTEMPTS,
    Outbox,
    Pending,
    Settlement,
    Task,
)

BOX = Outbox()


def enqueue(world: Any, count: int, kind: str = "embed") -> None:
    world.store.write(lambda tx: BOX.enqueue(tx, kind, 1, [None] * count, now=world.now))


def claim(world: Any, limit: int = 100, kind: str = "embed") -> list[Task]:
    return world.store.write(lambda tx: BOX.claim(tx, kind, now=world.now, limit=limit))


def settle(world: Any, **outcome: Any) -> None:
    world.store.write(lambda tx: BOX.settle(tx, Settlement(**outcome), now=world.now))


def pending(world: Any) -> dict[str, Pending]:
    return world.store.write(lambda tx: BOX.pending(tx, now=world.now))


def wait(world: Any, seconds: float) -> None:
    world.clock.advance(timedelta(seconds=seconds))


def test_tasks_come_in_the_order_in_which_they_were_written(world: Any) -> None:
    enqueue(world, 3)
    assert [task.task for task in claim(world, 2)] == [1, 2]
    assert [task.task for task in claim(world, 2)] == [3]


def test_a_claimed_task_is_nobody_elses(world: Any) -> None:
    enqueue(world, 1)
    assert len(claim(world)) == 1
    assert claim(world) == []


def test_tasks_of_a_process_that_died_come_back_when_the_lease_ends(world: Any) -> None:
    enqueue(world, 1)
    claim(world)
    wait(world, LEASE_SECONDS - 1)
    assert claim(world) == []
    wait(world, 1)
    (task,) = claim(world)
    assert task.attempts == 0


def test_released_tasks_are_due_and_those_set_aside_stay_so(world: Any) -> None:
    enqueue(world, 2)
    (aside, claimed) = claim(world)
    last = Task(task=aside.task, kind="embed", scope=1, attempts=MAX_ATTEMPTS - 1)
    settle(world, failed=[(last, "no")])
    assert world.store.write(lambda tx: BOX.release(tx, now=world.now)) == 1
    assert claim(world) == [claimed]
    assert [each.task.task for each in world.store.read(BOX.set_aside)] == [aside.task]


def test_another_process_shares_the_work(world: Any, tmp_path: Path) -> None:
    enqueue(world, 5)
    with Store.open(tmp_path / "memory.db", clock=world.clock) as other:
        theirs = other.write(lambda tx: BOX.claim(tx, "embed", now=world.now, limit=3))
        ours = claim(world)
    assert sorted(task.task for task in theirs + ours) == [1, 2, 3, 4, 5]


def test_kinds_are_claimed_apart(world: Any) -> None:
    enqueue(world, 1, "embed")
    enqueue(world, 1, "resolve")
    assert [task.kind for task in claim(world, kind="resolve")] == ["resolve"]
    assert [task.kind for task in claim(world, kind="embed")] == ["embed"]


def test_a_finished_task_is_gone(world: Any) -> None:
    enqueue(world, 2)
    tasks = claim(world)
    settle(world, done=tasks[:1])
    wait(world, LEASE_SECONDS)
    assert claim(world) == tasks[1:]


def test_a_failed_task_comes_back_after_delays_that_double(world: Any) -> None:
    enqueue(world, 1)
    for attempt in range(4):
        (task,) = claim(world)
        assert task.attempts == attempt
        settle(world, failed=[(task, "no network")])
        delay = FIRST_DELAY_SECONDS * 2**attempt
        wait(world, delay - 1)
        assert claim(world) == []
        wait(world, 1)


def test_the_delay_has_a_limit(world: Any) -> None:
    box = Outbox(max_attempts=50, first_delay_seconds=1, longest_delay_seconds=10)
    enqueue(world, 1)
    for _ in range(40):
        (task,) = world.store.write(lambda tx: box.claim(tx, "embed", now=world.now, limit=1))
        world.store.write(lambda tx, task=task: box.failed(tx, [(task, "x")], now=world.now))
        wait(world, 10)
    assert len(claim(world)) == 1


def test_after_the_last_attempt_a_task_is_set_aside_and_listed(world: Any) -> None:
    enqueue(world, 1)
    for _ in range(MAX_ATTEMPTS):
        (task,) = claim(world)
        settle(world, failed=[(task, "bad\nmodel")])
        wait(world, 10_000)
    assert claim(world) == []
    assert pending(world) == {"embed": Pending(set_aside=1)}
    (aside,) = world.store.write(BOX.set_aside)
    assert (aside.task.task, aside.task.attempts, aside.error) == (1, MAX_ATTEMPTS, "bad model")


def test_what_was_set_aside_can_be_asked_for_again(world: Any) -> None:
    enqueue(world, 1)
    for _ in range(MAX_ATTEMPTS):
        settle(world, failed=[(claim(world)[0], "x")])
        wait(world, 10_000)
    assert world.store.write(lambda tx: BOX.retry(tx, now=world.now, kind="resolve")) == 0
    assert world.store.write(lambda tx: BOX.retry(tx, now=world.now)) == 1
    (task,) = claim(world)
    assert task.attempts == 0


def test_a_postponed_task_comes_back_without_a_mark(world: Any) -> None:
    enqueue(world, 1)
    settle(world, postponed=[(claim(world)[0], 30)])
    assert claim(world) == []
    wait(world, 30)
    assert claim(world)[0].attempts == 0


def test_a_batchs_writes_and_its_outcome_stand_or_fall_together(world: Any) -> None:
    enqueue(world, 1)
    tasks = claim(world)

    def write(tx: Any) -> None:
        tx.execute("INSERT INTO spaces(fingerprint, dimensions) VALUES ('half', 3)")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        settle(world, done=tasks, write=write)
    assert pending(world) == {"embed": Pending(later=1)}
    assert world.store.write(lambda tx: list(tx.execute("SELECT * FROM spaces"))) == []


def test_tasks_are_written_with_the_memory_or_not_at_all(world: Any) -> None:
    def fail(tx: Any) -> None:
        BOX.enqueue(tx, "embed", 1, [None], now=world.now)
        raise ValueError("rolled back")

    with pytest.raises(ValueError, match="rolled back"):
        world.store.write(fail)
    assert pending(world) == {}


def test_the_payload_comes_back_as_it_was(world: Any) -> None:
    payload = {"after": 12, "names": ["a", "ü"]}
    world.store.write(lambda tx: BOX.enqueue(tx, "embed", 1, [None], now=world.now, payload=payload))
    assert claim(world)[0].payload == payload


def test_pending_counts_by_kind_and_scope(world: Any) -> None:
    enqueue(world, 3)
    enqueue(world, 1, "resolve")
    world.store.write(lambda tx: BOX.enqueue(tx, "embed", 2, [None], now=world.now))
    claim(world, 1)
    assert pending(world) == {"embed": Pending(due=3, later=1), "resolve": Pending(due=1)}
    assert world.store.write(lambda tx: BOX.pending(tx, now=world.now, scope=2)) == {"embed": Pending(due=1)}


def test_next_due_knows_when_work_begins_again(world: Any) -> None:
    assert world.store.write(lambda tx: BOX.next_due(tx, ["embed"])) is None
    enqueue(world, 1)
    assert world.store.write(lambda tx: BOX.next_due(tx, ["embed"])) == world.now
    assert world.store.write(lambda tx: BOX.next_due(tx, ["resolve"])) is None
    claim(world)
    due = to_microseconds(world.clock.now() + timedelta(seconds=LEASE_SECONDS))
    assert world.store.write(lambda tx: BOX.next_due(tx, ["resolve", "embed"])) == due


def test_deleting_a_memory_takes_its_tasks_along(world: Any) -> None:
    one, two = world.remember("one", "two")
    world.store.write(lambda tx: BOX.enqueue(tx, "embed", 1, [one, two], now=world.now))
    world.delete(one)
    assert [task.pk for task in claim(world)] == [two]


def test_tasks_survive_the_process(tmp_path: Path, clock: ManualClock) -> None:
    now = to_microseconds(clock.now())
    with Store.open(tmp_path / "kept.db", clock=clock) as store:
        store.write(lambda tx: BOX.enqueue(tx, "embed", 1, [None], now=now))
    with Store.open(tmp_path / "kept.db", clock=clock) as store:
        assert len(store.write(lambda tx: BOX.claim(tx, "embed", now=now, limit=9))) == 1


def test_without_leaves_those_that_wait_already(world: Any) -> None:
    one, two, three = world.remember("one", "two", "three")
    world.store.write(lambda tx: BOX.enqueue(tx, "embed", 1, [one], now=world.now))
    world.store.write(lambda tx: BOX.enqueue(tx, "resolve", 1, [two], now=world.now))
    assert world.store.write(lambda tx: BOX.without(tx, "embed", [one, two, three])) == [two, three]
    assert world.store.write(lambda tx: BOX.has(tx, "embed", 1))
    assert not world.store.write(lambda tx: BOX.has(tx, "embed", 2))
