"""Slow work as durable tasks: written with the change that asks for it, done later, lost never.

A task is claimed by moving its due time past a lease, so that several processes share the work; one that died gives
its tasks back when the lease ends. A task that fails comes back after a growing delay, and is set aside after so many
attempts, where it can be seen and asked for again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import attrs

from comis_core.model.shown import Compared, Shown
from comis_core.protocols import Transaction

SECOND = 1_000_000
"""Microseconds in a second."""

NEVER = 2**63 - 1
"""Due time of a task that was set aside."""

LEASE_SECONDS = 900
"""Longer than the slowest batch may take (`engine.assembly.DOCUMENT_SECONDS`)."""
MAX_ATTEMPTS = 8
FIRST_DELAY_SECONDS = 5
LONGEST_DELAY_SECONDS = 3600

_ERROR_LENGTH = 200

_COLUMNS = "task, kind, scope, pk, payload, attempts"

T = TypeVar("T")


class Statements(Protocol):
    """Anything that runs a reading statement: a snapshot or a transaction."""

    def execute(self, sql: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run one statement."""
        ...


class Writing(Protocol):
    """The part of the store that background work needs."""

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one write transaction and return what it returns; an exception undoes everything."""
        ...

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one read transaction and return what it returns."""
        ...


@attrs.frozen(kw_only=True, repr=False)
class Task(Shown):
    """A claimed task. attempts: how often it has failed so far."""

    task: int
    kind: str
    scope: int
    pk: int | None = None
    payload: Mapping[str, Any] = attrs.field(factory=dict, eq=False)
    attempts: int = 0


@attrs.frozen(kw_only=True, eq=False, repr=False)
class SetAside(Compared):
    """A task that failed too often, and the last reason."""

    task: Task
    error: str


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Pending(Compared):
    """How many tasks of one kind are due now, due later (delayed, or claimed by someone), and set aside."""

    due: int = 0
    later: int = 0
    set_aside: int = 0


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Settlement(Compared):
    """What became of a batch of tasks.

    done: forgotten, once `write` has gone through. failed: (task, reason) come back later; a reason holds no text of a
    memory. postponed: (task, seconds) come back without a mark, for they could not be worked on here. write: the
    batch's own writes, in the same transaction.
    """

    done: Sequence[Task] = ()
    failed: Sequence[tuple[Task, str]] = ()
    postponed: Sequence[tuple[Task, int]] = ()
    write: Callable[[Transaction], None] | None = None


class Handler(Protocol):
    """Works on tasks of one kind."""

    batch: int
    """How many tasks it takes at once."""

    def handle(self, tasks: Sequence[Task]) -> Settlement:
        """Do the slow part, outside any transaction. An exception fails all of them."""
        ...


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Outbox:
    """The rules of the table `outbox`. Times are epoch microseconds."""

    lease_seconds: int = LEASE_SECONDS
    max_attempts: int = MAX_ATTEMPTS
    first_delay_seconds: int = FIRST_DELAY_SECONDS
    longest_delay_seconds: int = LONGEST_DELAY_SECONDS

    def enqueue(
        self,
        tx: Transaction,
        kind: str,
        scope: int,
        pks: Sequence[int | None],
        *,
        now: int,
        payload: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a task for each of `pks` (None: for no memory in particular), due at once.

        payload: JSON data without any text of a memory, for tasks outlive what they speak of.
        """
        data = json.dumps(payload or {}, separators=(",", ":"))
        tx.executemany(
            "INSERT INTO outbox(kind, scope, pk, payload, due) VALUES (?, ?, ?, ?, ?)",
            [(kind, scope, pk, data, now) for pk in pks],
        )

    def claim(self, tx: Transaction, kind: str, *, now: int, limit: int) -> list[Task]:
        """Take up to `limit` due tasks, those due longest first; nobody else gets them until the lease ends."""
        rows = tx.execute(
            f"UPDATE outbox SET due = ? WHERE task IN (SELECT task FROM outbox WHERE due <= ? AND kind = ? "
            f"ORDER BY due, task LIMIT ?) RETURNING {_COLUMNS}",
            (now + self.lease_seconds * SECOND, now, kind, limit),
        )
        return sorted((_task(row) for row in rows), key=lambda task: task.task)

    def settle(self, tx: Transaction, settlement: Settlement, *, now: int) -> None:
        """Write down what became of a batch, with its own writes."""
        if settlement.write is not None:
            settlement.write(tx)
        self.done(tx, settlement.done)
        self.failed(tx, settlement.failed, now=now)
        self.postpone(tx, settlement.postponed, now=now)

    def done(self, tx: Transaction, tasks: Sequence[Task]) -> None:
        """Forget finished tasks."""
        tx.executemany("DELETE FROM outbox WHERE task = ?", [(task.task,) for task in tasks])

    def failed(self, tx: Transaction, failures: Sequence[tuple[Task, str]], *, now: int) -> None:
        """Count an attempt: back after a delay that doubles, or set aside after the last one."""
        tx.executemany(
            "UPDATE outbox SET attempts = ?, due = ?, error = ? WHERE task = ?",
            [
                (task.attempts + 1, self._retry_at(task.attempts + 1, now), _one_line(reason), task.task)
                for task, reason in failures
            ],
        )

    def postpone(self, tx: Transaction, postponed: Sequence[tuple[Task, int]], *, now: int) -> None:
        """Give tasks back for (task, seconds) later."""
        rows = [(now + seconds * SECOND, task.task) for task, seconds in postponed]
        tx.executemany("UPDATE outbox SET due = ? WHERE task = ?", rows)

    def retry(self, tx: Transaction, *, now: int, kind: str | None = None) -> int:
        """Make tasks that were set aside due again, from the first attempt on. Returns how many."""
        rows = tx.execute(
            "UPDATE outbox SET due = ?1, attempts = 0 WHERE due = ?2 AND (?3 IS NULL OR kind = ?3) RETURNING task",
            (now, NEVER, kind),
        )
        return len(list(rows))

    def release(self, tx: Transaction, *, now: int) -> int:
        """Make tasks due that were claimed or put off; only while nobody works on them. Returns how many.

        One who does work on them loses nothing: the work is done twice.
        """
        rows = tx.execute("UPDATE outbox SET due = ?1 WHERE due > ?1 AND due < ?2 RETURNING task", (now, NEVER))
        return len(list(rows))

    def pending(self, reader: Statements, *, now: int, scope: int | None = None) -> dict[str, Pending]:
        """Counts by kind, of one scope if given; kinds without a task are missing."""
        # A condition that a scope may or may not fulfil would read the whole table: recalls ask while much is waiting.
        rows = reader.execute(
            "SELECT kind, sum(due <= ?1), sum(due > ?1 AND due < ?2), sum(due = ?2) FROM outbox "
            f"{'' if scope is None else 'WHERE scope = ?3'} GROUP BY kind ORDER BY kind",
            (now, NEVER) if scope is None else (now, NEVER, scope),
        )
        return {kind: Pending(due=due, later=later, set_aside=aside) for kind, due, later, aside in rows}

    def has(self, reader: Statements, kind: str, scope: int) -> bool:
        """Whether a task of this kind is there for the scope, set aside ones left out."""
        found = reader.execute(
            "SELECT 1 FROM outbox WHERE kind = ? AND scope = ? AND due < ? LIMIT 1", (kind, scope, NEVER)
        )
        return bool(list(found))

    def without(self, reader: Statements, kind: str, pks: Sequence[int]) -> list[int]:
        """Those of `pks` that have no task of this kind, not even one that was set aside."""
        rows = reader.execute(
            "SELECT value FROM json_each(?) AS wanted WHERE NOT EXISTS "
            "(SELECT 1 FROM outbox AS o WHERE o.pk = wanted.value AND o.kind = ?)",
            (json.dumps(list(pks)), kind),
        )
        return [pk for (pk,) in rows]

    def given_up(self, reader: Statements, kind: str, pks: Sequence[int]) -> set[int]:
        """Those of `pks` whose task of this kind was set aside."""
        rows = reader.execute(
            "SELECT o.pk FROM json_each(?) AS wanted CROSS JOIN outbox AS o ON o.pk = wanted.value "
            "WHERE o.kind = ? AND o.due = ?",
            (json.dumps(list(pks)), kind, NEVER),
        )
        return {pk for (pk,) in rows}

    def is_due(self, reader: Statements, kind: str, *, now: int) -> bool:
        """Whether `claim` would find something."""
        return bool(list(reader.execute("SELECT 1 FROM outbox WHERE due <= ? AND kind = ? LIMIT 1", (now, kind))))

    def next_due(self, reader: Statements, kinds: Sequence[str]) -> int | None:
        """When the next task of these kinds is due; None when none will be."""
        ((due,),) = reader.execute(
            "SELECT min(due) FROM outbox WHERE due < ? AND kind IN (SELECT value FROM json_each(?))",
            (NEVER, json.dumps(list(kinds))),
        )
        return None if due is None else int(due)

    def set_aside(self, reader: Statements, *, limit: int = 100) -> list[SetAside]:
        """Tasks that failed too often, oldest first."""
        rows = reader.execute(
            f"SELECT {_COLUMNS}, error FROM outbox WHERE due = ? ORDER BY task LIMIT ?", (NEVER, limit)
        )
        return [SetAside(task=_task(row[:-1]), error=row[-1] or "") for row in rows]

    def _retry_at(self, attempts: int, now: int) -> int:
        if attempts >= self.max_attempts:
            return NEVER
        delay = min(self.first_delay_seconds << (attempts - 1), self.longest_delay_seconds)
        return now + delay * SECOND


def _task(row: Sequence[Any]) -> Task:
    task, kind, scope, pk, payload, attempts = row
    return Task(task=task, kind=kind, scope=scope, pk=pk, payload=json.loads(payload), attempts=attempts)


def _one_line(reason: str) -> str:
    return " ".join(reason.split())[:_ERROR_LENGTH]
