"""A file or a log that is removed or replaced while it is open, or after a crash, is noticed and said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from comis_core.clock import ManualClock
from comis_core.errors import MissingFileError
from comis_core.model import Filters, NewMemory, Scope
from comis_core.protocols import Index
from comis_core.store import Store

CRASH = """
import os, sys
from pathlib import Path
from comis_core.clock import SystemClock
from comis_core.model import NewMemory, Scope
from comis_core.store import Store
store = Store.open(Path(sys.argv[1]), clock=SystemClock())
store.add(Scope("acme", "helper"), [NewMemory(content="one")])
os._exit(9)
"""


def beside(path: Path, end: str) -> Path:
    return path.with_name(f"{path.name}{end}")


def add(store: Store, scope: Scope, *contents: str) -> None:
    store.add(scope, [NewMemory(content=content) for content in contents])


def contents(store: Store, scope: Scope) -> list[str]:
    return sorted(memory.content for memory in store.browse(scope).memories)


@pytest.fixture
def crashed(path: Path) -> Path:
    """A file that was not closed."""
    assert subprocess.run([sys.executable, "-c", CRASH, str(path)]).returncode == 9
    assert beside(path, "-wal").stat().st_size
    return path


# -- while it is open


def test_nothing_is_acknowledged_into_a_log_that_was_removed(store: Store, path: Path, scope: Scope) -> None:
    add(store, scope, "one")
    beside(path, "-wal").unlink()
    with pytest.raises(MissingFileError, match=r"-wal was removed or replaced while .* is open"):
        add(store, scope, "two")


def test_closing_keeps_what_was_acknowledged_before_the_log_was_removed(
    store: Store, path: Path, clock: ManualClock, scope: Scope
) -> None:
    add(store, scope, "one")
    beside(path, "-wal").unlink()
    store.close()
    with Store.open(path, clock=clock) as again:
        assert contents(again, scope) == ["one"]


def test_nothing_is_acknowledged_into_a_log_that_was_replaced(store: Store, path: Path, scope: Scope) -> None:
    add(store, scope, "one")
    other = path.with_name("other")
    other.write_bytes(b"")
    other.replace(beside(path, "-wal"))
    with pytest.raises(MissingFileError, match="-wal was removed or replaced"):
        add(store, scope, "two")


def test_a_read_that_fails_for_want_of_its_log_says_so(store: Store, path: Path, scope: Scope) -> None:
    add(store, scope, *map(str, range(50)))
    beside(path, "-wal").unlink()
    with (
        pytest.raises(MissingFileError, match="-wal was removed or replaced"),
        store.snapshot(scope, now=0, filters=Filters()),
        store.snapshot(scope, now=0, filters=Filters(tags=frozenset({"x"}))),
        store.snapshot(scope, now=0, filters=Filters(), include_evicted=True),
    ):
        pass


def test_nothing_is_acknowledged_after_a_backup_took_the_files_place(store: Store, path: Path, scope: Scope) -> None:
    add(store, scope, "one")
    store.backup(path.with_name("backup.db"))
    os.replace(path.with_name("backup.db"), path)
    with pytest.raises(MissingFileError, match="another file was put in its place"):
        add(store, scope, "two")


def test_nothing_is_acknowledged_after_the_file_was_removed(store: Store, path: Path, scope: Scope) -> None:
    add(store, scope, "one")
    path.unlink()
    with pytest.raises(MissingFileError, match="was removed"):
        add(store, scope, "two")


def test_the_check_of_a_file_that_is_gone_says_so(store: Store, path: Path) -> None:
    path.unlink()
    with pytest.raises(MissingFileError):
        store.damage()


def test_an_index_is_not_to_blame_for_a_file_that_is_gone(store: Store, path: Path, index: Index) -> None:
    store.attach("words", index, "1")
    path.unlink()
    with pytest.raises(MissingFileError):
        store.rebuild("words")
    assert store._indexes.attached()[0].fault == ""


@pytest.mark.parametrize("wal", [True, False])
def test_a_file_that_stays_where_it_is_takes_every_write(
    path: Path, clock: ManualClock, scope: Scope, wal: bool
) -> None:
    with Store.open(path, clock=clock, wal=wal) as store, Store.open(path, clock=clock, wal=wal) as other:
        for number in range(3):
            add(store, scope, f"one {number}")
            add(other, scope, f"two {number}")
            store.vacuum()
        assert store.count(scope) == 6


def test_a_link_is_followed_to_the_log_of_its_file(
    store: Store, path: Path, clock: ManualClock, scope: Scope, tmp_path: Path
) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with Store.open(link, clock=clock) as linked:
        add(linked, scope, "one")
        beside(path, "-wal").unlink()
        with pytest.raises(MissingFileError, match="-wal was removed"):
            add(linked, scope, "two")


# -- after a crash


def test_a_file_whose_log_was_taken_away_after_a_crash_does_not_open_as_if_it_were_empty(
    crashed: Path, clock: ManualClock
) -> None:
    beside(crashed, "-wal").unlink()
    with pytest.raises(MissingFileError, match="-wal is missing"):
        Store.open(crashed, clock=clock)


def test_the_log_put_back_brings_everything_back(crashed: Path, clock: ManualClock) -> None:
    away = crashed.with_name("away")
    beside(crashed, "-wal").rename(away)
    with pytest.raises(MissingFileError):
        Store.open(crashed, clock=clock)
    away.rename(beside(crashed, "-wal"))
    with Store.open(crashed, clock=clock) as store:
        assert contents(store, Scope("acme", "helper")) == ["one"]


def test_whoever_gives_the_log_up_removes_its_index_and_goes_on(crashed: Path, clock: ManualClock) -> None:
    beside(crashed, "-wal").unlink()
    beside(crashed, "-shm").unlink()
    with Store.open(crashed, clock=clock) as store:
        add(store, Scope("acme", "helper"), "two")
        assert contents(store, Scope("acme", "helper")) == ["two"]


def test_a_crash_alone_is_no_obstacle(crashed: Path, clock: ManualClock) -> None:
    with Store.open(crashed, clock=clock) as store:
        assert contents(store, Scope("acme", "helper")) == ["one"]
