"""A file or a log that is removed or replaced while it is open, or after a crash, is noticed and said."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from comis_core.clock import ManualClock
from comis_core.errors import MissingFileError
from comis_core.model import Filters, NewMemory, Scope
from comis_core.protocols import Index
from comis_core.store import Store
from comis_core.store.presence import Presence, index_of, log_of, refuse_lost_log

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

STORE = """
import sys
from pathlib import Path
from comis_core.clock import SystemClock
from comis_core.model import NewMemory, Scope
from comis_core.store import Store
with Store.open(Path(sys.argv[1]), clock=SystemClock()) as store:
    store.add(Scope("acme", "helper"), [NewMemory(content=f"theirs {number}") for number in range(30)])
    print("stored", flush=True)
    sys.stdin.readline()
"""

FAIL = """
import sys
from pathlib import Path
from comis_core.clock import SystemClock
from comis_core.model import NewMemory, Scope
from comis_core.store import Store
store = Store.open(Path(sys.argv[1]), clock=SystemClock())
scope = Scope("acme", "helper")
store.add(scope, [NewMemory(content="one")])
print("stored", flush=True)
sys.stdin.readline()
store.add(scope, [NewMemory(content="two")])
"""


@contextmanager
def another_process(path: Path) -> Iterator[None]:
    """Another process stores 30 memories, and closes the file at the end of the block."""
    command = [sys.executable, "-c", STORE, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "stored\n"
        yield
        process.communicate("\n")
    assert process.returncode == 0


@pytest.fixture
def place(path: Path) -> Path:
    """The path of a file in a folder that is there; nobody has it open."""
    path.parent.mkdir()
    path.touch()
    return path


def stored_by_others(path: Path, clock: ManualClock) -> int:
    with Store.open(path, clock=clock) as again:
        assert not again.damage().complaints
        return sum(content.startswith("theirs") for content in contents(again, Scope("acme", "helper")))


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


@pytest.mark.parametrize("ending", ["-wal", "-shm"])
def test_nothing_is_acknowledged_beside_a_log_or_an_index_that_was_removed(
    store: Store, path: Path, scope: Scope, ending: str
) -> None:
    add(store, scope, "one")
    beside(path, ending).unlink()
    with pytest.raises(MissingFileError, match=rf"{ending} was removed or replaced while .* is open"):
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


def test_what_took_the_files_place_is_not_read_as_if_it_were_the_file(store: Store, path: Path, scope: Scope) -> None:
    add(store, scope, "one")
    store.backup(path.with_name("backup.db"))
    add(store, scope, "two")
    os.replace(path.with_name("backup.db"), path)

    def more_than_are_kept_ready() -> None:
        with ExitStack() as stack:
            for _ in range(5):
                stack.enter_context(store.snapshot(scope, now=0, filters=Filters()))

    with pytest.raises(MissingFileError, match="another file was put in its place"):
        more_than_are_kept_ready()


def test_a_backup_of_what_took_the_files_place_is_not_made(store: Store, path: Path, scope: Scope) -> None:
    add(store, scope, "one")
    store.backup(path.with_name("backup.db"))
    os.replace(path.with_name("backup.db"), path)
    with pytest.raises(MissingFileError, match="another file was put in its place"):
        store.backup(path.with_name("second.db"))
    assert [file.name for file in path.parent.iterdir() if "second" in file.name] == []


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


# -- its index


def test_what_others_store_after_the_index_was_removed_stays(
    store: Store, path: Path, clock: ManualClock, scope: Scope
) -> None:
    add(store, scope, "one")
    beside(path, "-shm").unlink()
    with another_process(path):
        with pytest.raises(MissingFileError):
            add(store, scope, "two")
        store.close()
    assert stored_by_others(path, clock) == 30


# -- closing


def test_closing_leaves_what_others_stored_since_log_and_index_were_removed(
    store: Store, path: Path, clock: ManualClock, scope: Scope, caplog: pytest.LogCaptureFixture
) -> None:
    add(store, scope, "one")
    beside(path, "-wal").unlink()
    beside(path, "-shm").unlink()
    with another_process(path):
        pass
    with caplog.at_level(logging.WARNING):
        store.close()
    assert "what this process stored last may be lost" in caplog.text
    assert stored_by_others(path, clock) == 30


def test_a_program_that_fails_without_closing_leaves_what_others_stored(path: Path, clock: ManualClock) -> None:
    command = [sys.executable, "-c", FAIL, str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "stored\n"
        beside(path, "-wal").unlink()
        beside(path, "-shm").unlink()
        with another_process(path):
            pass
        _, error = program.communicate("\n")
    assert "MissingFileError" in error.splitlines()[-1]
    assert "ignored" not in error
    assert stored_by_others(path, clock) == 30


def test_a_reader_that_closes_last_folds_nothing_in(store: Store, path: Path, clock: ManualClock, scope: Scope) -> None:
    add(store, scope, "one")
    with store.snapshot(scope, now=0, filters=Filters()):
        beside(path, "-wal").unlink()
        beside(path, "-shm").unlink()
        with another_process(path):
            pass
        store.close()
    assert stored_by_others(path, clock) == 30


def test_closing_does_not_fold_into_a_log_that_was_replaced(
    store: Store, path: Path, scope: Scope, caplog: pytest.LogCaptureFixture
) -> None:
    add(store, scope, "one")
    before = path.read_bytes()
    other = path.with_name("other")
    other.write_bytes(b"somebody else's")
    other.replace(beside(path, "-wal"))
    with caplog.at_level(logging.WARNING):
        store.close()
    assert path.read_bytes() == before
    assert beside(path, "-wal").read_bytes() == b"somebody else's"
    assert "-wal was removed or replaced" in caplog.text


def test_a_backup_that_took_the_files_place_is_not_given_the_log_of_the_former_file(
    store: Store, path: Path, clock: ManualClock, scope: Scope, caplog: pytest.LogCaptureFixture
) -> None:
    add(store, scope, "one")
    store.backup(path.with_name("backup.db"))
    add(store, scope, "two")
    os.replace(path.with_name("backup.db"), path)
    with caplog.at_level(logging.WARNING):
        store.close()
    assert "is not in the file that is there now" in caplog.text
    with Store.open(path, clock=clock) as again:
        assert contents(again, scope) == ["one"]


def test_closing_a_file_that_stayed_where_it_is_folds_its_log_in_without_a_word(
    store: Store, path: Path, scope: Scope, caplog: pytest.LogCaptureFixture
) -> None:
    add(store, scope, "one")
    with caplog.at_level(logging.WARNING):
        store.close()
    assert not beside(path, "-wal").exists()
    assert caplog.text == ""


# -- no false alarm


def test_a_log_that_another_process_took_with_it_is_no_obstacle(path: Path, clock: ManualClock, scope: Scope) -> None:
    with Store.open(path, clock=clock, wal=False) as store:
        with another_process(path):
            assert log_of(path).exists()
            store.damage()
        assert not log_of(path).exists()
        add(store, scope, "one")
        assert store.count(scope) == 31


def test_a_log_that_came_after_the_file_was_opened_is_held_in_place_too(
    path: Path, clock: ManualClock, scope: Scope
) -> None:
    with Store.open(path, clock=clock, wal=False) as store, another_process(path):
        add(store, scope, "one")
        aside = log_of(path).with_name("aside")
        log_of(path).rename(aside)
        with pytest.raises(MissingFileError, match="-wal was removed"):
            add(store, scope, "two")
        aside.rename(log_of(path))


def test_logs_come_and_go_beside_a_file_that_is_only_read(place: Path) -> None:
    for file in (log_of(place), index_of(place)):
        file.touch()
    presence = Presence(place, writes=False)
    log_of(place).unlink()
    index_of(place).unlink()
    presence.check()


def test_a_folder_that_cannot_be_looked_into_is_no_reason_to_say_that_a_file_is_gone(
    store: Store, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: str) -> os.stat_result:
        raise PermissionError(13, "Permission denied", path)

    add(store, scope, "one")
    with monkeypatch.context() as patched:
        patched.setattr("comis_core.store.presence.os.stat", refused)
        add(store, scope, "two")
    assert store.count(scope) == 2


def test_what_could_not_be_looked_at_when_it_was_opened_is_no_file_that_is_gone(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: str) -> os.stat_result:
        raise PermissionError(13, "Permission denied", path)

    with monkeypatch.context() as patched:
        patched.setattr("comis_core.store.presence._identity", refused)
        presence = Presence(place, writes=True)
    place.unlink()
    presence.check()


def test_a_folder_that_became_a_file_is_noticed(place: Path) -> None:
    presence = Presence(place, writes=True)
    place.rename(place.with_name("away"))
    place.parent.rename(place.parent.with_name("elsewhere"))
    place.parent.touch()
    with pytest.raises(MissingFileError, match="was removed"):
        presence.check()


def test_the_same_number_on_another_device_is_another_file(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    presence = Presence(place, writes=True)
    there = place.stat()
    mounted = SimpleNamespace(st_dev=there.st_dev + 1, st_ino=there.st_ino)
    with monkeypatch.context() as patched:
        patched.setattr("comis_core.store.presence.os.stat", lambda _: mounted)
        with pytest.raises(MissingFileError, match="another file was put in its place"):
            presence.check()


def test_a_file_that_is_being_opened_by_another_process_is_not_taken_for_one_without_its_log(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, index = log_of(place), index_of(place)
    there = Path.exists

    def meanwhile(file: Path) -> bool:
        if file == index:
            log.touch()
            index.touch()
        return there(file)

    monkeypatch.setattr(Path, "exists", meanwhile)
    refuse_lost_log(place)


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
