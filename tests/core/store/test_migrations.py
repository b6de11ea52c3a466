from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from comis_core.clock import ManualClock
from comis_core.model import Filters, NewMemory, Scope
from comis_core.protocols import Transaction
from comis_core.specs import Migration
from comis_core.store import Store, migrations, opening
from comis_core.store.schema import MIGRATIONS

FIRST = Migration("0001_first", "CREATE TABLE mine_a(x); CREATE TABLE mine_b(x)")
CORE_STEPS = "SELECT position, name FROM migrations WHERE owner = 'core' ORDER BY name"
SECOND = Migration("0002_second", "INSERT INTO mine_a VALUES (2)")


def opened(path: Path, clock: ManualClock, *steps: Migration, **options: bool) -> Store:
    return Store.open(path, clock=clock, migrations={"mine": steps}, **options)  # type: ignore[arg-type]


def rows(store: Store) -> list[tuple[object, ...]]:
    return store.write(lambda tx: list(tx.execute("SELECT x FROM mine_a")))


def test_a_set_is_applied_once(path: Path, clock: ManualClock) -> None:
    opened(path, clock, FIRST, SECOND).close()
    with opened(path, clock, FIRST, SECOND) as store:
        assert rows(store) == [(2,)]
        assert not store.disabled


def test_a_longer_set_is_continued(path: Path, clock: ManualClock) -> None:
    opened(path, clock, FIRST).close()
    with opened(path, clock, FIRST, SECOND) as store:
        assert rows(store) == [(2,)]


def test_a_step_may_be_a_function(path: Path, clock: ManualClock) -> None:
    def fill(transaction: Transaction) -> None:
        transaction.executemany("INSERT INTO mine_a VALUES (?)", [(7,), (8,)])

    with opened(path, clock, FIRST, Migration("0002_fill", fill)) as store:
        assert rows(store) == [(7,), (8,)]


def test_a_set_newer_than_known_disables_its_owner_alone(path: Path, clock: ManualClock) -> None:
    opened(path, clock, FIRST, SECOND).close()
    with opened(path, clock, FIRST) as store:
        assert "newer version" in store.disabled["mine"]
        assert "0002_second" in store.disabled["mine"]
        assert rows(store) == [(2,)]


def fail(transaction: Transaction) -> None:
    raise ZeroDivisionError


@pytest.mark.parametrize("broken", [Migration("0002_x", "INSERT INTO nowhere VALUES (1)"), Migration("0002_x", fail)])
def test_a_failing_set_leaves_nothing_behind_and_disables_its_owner(
    path: Path, clock: ManualClock, broken: Migration
) -> None:
    with opened(path, clock, FIRST, broken) as store:
        assert "could not be made" in store.disabled["mine"]
        assert not list(store.write(lambda tx: tx.execute("SELECT 1 FROM sqlite_schema WHERE name = 'mine_a'")))


def test_a_set_cannot_be_applied_to_a_file_that_is_only_read(path: Path, clock: ManualClock) -> None:
    Store.open(path, clock=clock).close()
    with opened(path, clock, FIRST, read_only=True) as store:
        assert "read-only" in store.disabled["mine"]


def test_a_set_that_was_applied_serves_a_file_that_is_only_read(path: Path, clock: ManualClock) -> None:
    opened(path, clock, FIRST).close()
    with opened(path, clock, FIRST, read_only=True) as store:
        assert not store.disabled


def test_a_file_from_before_evictions_were_kept_is_brought_up(
    path: Path, clock: ManualClock, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        for module in (migrations, opening):
            earlier.setattr(module, "MIGRATIONS", MIGRATIONS[:1])
        with Store.open(path, clock=clock) as store:
            id = store.add(scope, [NewMemory(content="x")]).stored[0].id
            store.evict(scope, [id])
    clock.advance(timedelta(days=1))
    with Store.open(path, clock=clock) as store:
        assert store.restore(scope, [id]) == 1
        now = clock.now()
        seen = [
            len(store.browse(scope, filters=Filters(record_as_of=moment)).memories)
            for moment in (now - timedelta(hours=1), now)
        ]
        assert seen == [0, 1]


def test_the_cores_steps_are_recorded_in_their_places_in_new_and_brought_up_files(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        for module in (migrations, opening):
            earlier.setattr(module, "MIGRATIONS", MIGRATIONS[:1])
        Store.open(tmp_path / "old.db", clock=clock).close()
    for name in ("old.db", "new.db"):
        with Store.open(tmp_path / name, clock=clock) as store:
            recorded = store.write(lambda tx: list(tx.execute(CORE_STEPS)))
        assert recorded == list(enumerate(step.name for step in MIGRATIONS))
