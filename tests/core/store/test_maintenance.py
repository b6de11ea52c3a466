from __future__ import annotations

import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import apsw
import pytest
from support.damage import checkpoint

from comis_core.clock import ManualClock
from comis_core.errors import StoreError
from comis_core.model import Annotation, Filters, NewMemory, Scope
from comis_core.store import Store, maintenance

Add = Callable[..., str]


def test_a_backup_is_a_database_like_the_file(
    store: Store, scope: Scope, add: Add, clock: ManualClock, path: Path
) -> None:
    memory_id = add("one", annotations=(Annotation(kind="entity", name="Ana"),))
    target = path.with_name("backup.db")
    store.backup(target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    add("later")
    with Store.open(target, clock=clock) as copy:
        assert copy.count(scope) == 1
        assert copy.get(scope, memory_id) == store.get(scope, memory_id)
        assert copy.annotations(scope, memory_id) == store.annotations(scope, memory_id)
        assert copy.add(scope, [NewMemory(content="goes on")]).pks == (2,)


def test_a_backup_taken_while_others_write_is_one_state(
    store: Store, scope: Scope, clock: ManualClock, path: Path
) -> None:
    begun, stop = Event(), Event()

    def write() -> None:
        batch = 0
        while not stop.is_set():
            store.add(scope, [NewMemory(content=f"{batch} {row} " + "w" * 400) for row in range(100)])
            begun.set()
            batch += 1

    with ThreadPoolExecutor(1) as threads:
        writing = threads.submit(write)
        begun.wait()
        for number in range(3):
            store.backup(path.with_name(f"{number}.db"))
        stop.set()
        writing.result()
    for number in range(3):
        with Store.open(path.with_name(f"{number}.db"), clock=clock) as copy:
            assert copy.count(scope) % 100 == 0
            assert copy.write(lambda tx: list(tx.execute("PRAGMA integrity_check"))) == [("ok",)]


def test_a_backup_overwrites_nothing(store: Store, path: Path) -> None:
    target = path.with_name("precious")
    target.write_text("do not touch")
    with pytest.raises(StoreError, match="exists"):
        store.backup(target)
    assert target.read_text() == "do not touch"


def test_a_backup_that_cannot_be_written_leaves_nothing(store: Store, path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        store.backup(path.parent / "missing" / "backup.db")
    assert not [entry.name for entry in path.parent.iterdir() if "backup" in entry.name]


def test_a_file_that_is_only_read_can_be_backed_up(
    store: Store, scope: Scope, add: Add, clock: ManualClock, path: Path
) -> None:
    add("one")
    target = path.with_name("backup.db")
    with Store.open(path, clock=clock, read_only=True) as reading:
        reading.backup(target)
    with Store.open(target, clock=clock) as copy:
        assert copy.count(scope) == 1


def test_a_vacuum_gives_space_back_and_loses_nothing(store: Store, scope: Scope, add: Add, path: Path) -> None:
    kept = add("kept")
    before = store.get(scope, kept)
    ids = [row.id for row in store.add(scope, [NewMemory(content=f"{n} " + "w" * 2000) for n in range(500)]).stored]
    checkpoint(path)
    size = path.stat().st_size
    store.delete(scope, ids)
    store.vacuum()
    assert path.stat().st_size < size / 4
    assert path.with_name("memory.db-wal").stat().st_size == 0
    assert store.get(scope, kept) == before
    assert store.add(scope, [NewMemory(content="next")]).pks == (502,)


def test_a_vacuum_lets_indexes_tidy_up_first(store: Store, index: Any) -> None:
    store.attach("words", index, "1")
    store.vacuum()
    assert index.optimised == 1


def test_a_log_that_somebody_still_reads_is_not_emptied(store: Store, scope: Scope, add: Add) -> None:
    add("one")
    with store.snapshot(scope, now=0, filters=Filters()) as reader:
        add("two")
        store.write(lambda tx: list(tx.execute("PRAGMA busy_timeout = 0")))
        with pytest.raises(StoreError, match="another process is reading"):
            store.vacuum()
        assert reader.visible_ids().tolist() == [1]
    store.vacuum()


def test_a_checkpoint_folds_the_log_in_and_waits_for_nobody(store: Store, scope: Scope, add: Add, path: Path) -> None:
    add("one")
    connection = apsw.Connection(str(path))
    connection.execute("SELECT count(*) FROM memories").fetchall()  # before that it knows of no log
    with store.snapshot(scope, now=0, filters=Filters()):
        add("unmistakable")
        assert not maintenance.checkpoint(connection)
    assert b"unmistakable" not in path.read_bytes()
    assert maintenance.checkpoint(connection)
    assert b"unmistakable" in path.read_bytes()
    connection.close()
