from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from comis_core.clock import ManualClock
from comis_core.errors import ComisError, NewerSchemaError, NotADatabaseError, ReadOnlyError, StoreError
from comis_core.model import NewMemory, Scope
from comis_core.store import Store


def opened(path: Path, clock: ManualClock, **options: object) -> Store:
    return Store.open(path, clock=clock, **options)  # type: ignore[arg-type]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_and_folder_belong_to_their_owner_alone(path: Path, clock: ManualClock) -> None:
    opened(path, clock).close()
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)


def test_an_existing_folder_keeps_its_permissions(path: Path, clock: ManualClock) -> None:
    path.parent.mkdir(mode=0o755)
    path.parent.chmod(0o755)
    opened(path, clock).close()
    assert mode(path.parent) == 0o755


def test_the_log_beside_the_file_is_as_private_as_the_file(store: Store, path: Path) -> None:
    assert mode(path.with_name("memory.db-wal")) == 0o600


def test_an_empty_file_becomes_a_database(path: Path, clock: ManualClock, scope: Scope) -> None:
    path.parent.mkdir()
    path.touch()
    with opened(path, clock) as store:
        assert store.add(scope, [NewMemory(content="x")]).stored


def test_memories_are_there_after_opening_again(path: Path, clock: ManualClock, scope: Scope) -> None:
    with opened(path, clock) as store:
        stored = store.add(scope, [NewMemory(content="kept")]).stored[0].id
    with opened(path, clock) as store:
        assert store.get(scope, stored).content == "kept"


def test_a_clean_exit_leaves_one_file(path: Path, clock: ManualClock, scope: Scope) -> None:
    with opened(path, clock) as store:
        store.add(scope, [NewMemory(content="kept")])
    assert [entry.name for entry in path.parent.iterdir()] == ["memory.db"]


@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("page_size", 8192), ("foreign_keys", 1), ("secure_delete", 1), ("synchronous", 1)],
)
def test_the_writer_has_its_settings(path: Path, clock: ManualClock, pragma: str, value: object) -> None:
    with opened(path, clock) as store:
        assert list(store.write(lambda tx: tx.execute(f"PRAGMA {pragma}"))) == [(value,)]


def test_wal_can_be_turned_off(path: Path, clock: ManualClock, scope: Scope) -> None:
    with opened(path, clock, wal=False) as store:
        store.add(scope, [NewMemory(content="x")])
        assert not path.with_name("memory.db-wal").exists()
        assert store.count(scope) == 1


def test_every_commit_can_be_made_durable(path: Path, clock: ManualClock) -> None:
    with opened(path, clock, synchronous="FULL") as store:
        assert list(store.write(lambda tx: tx.execute("PRAGMA synchronous"))) == [(2,)]


@pytest.mark.parametrize("name", ["with space.db", "what?.db", "50%.db", "a#b.db", "naïve 数据.db", "mode=ro&x.db"])
def test_any_file_name_will_do(tmp_path: Path, clock: ManualClock, scope: Scope, name: str) -> None:
    for _ in range(2):
        with opened(tmp_path / name, clock, synchronous="OFF") as store:
            store.add(scope, [NewMemory(content="x")])
            assert store.count(scope) == 1
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("options", [{"synchronous": "NONE"}, {"readers": 0}])
def test_an_impossible_option_is_refused(path: Path, clock: ManualClock, options: dict[str, object]) -> None:
    with pytest.raises(ComisError, match="must be"):
        opened(path, clock, **options)


@pytest.mark.parametrize("content", [b"this is no database, but a letter " * 40, b"short"])
def test_a_file_that_is_no_database_is_refused_untouched(path: Path, clock: ManualClock, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(NotADatabaseError, match="not an SQLite database"):
        opened(path, clock)
    assert path.read_bytes() == content
    assert os.listdir(path.parent) == ["memory.db"]


def test_another_applications_database_is_refused_untouched(path: Path, clock: ManualClock) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE notes(text)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(NotADatabaseError, match="another application"):
        opened(path, clock)
    assert path.read_bytes() == before


def test_a_folder_is_no_database(tmp_path: Path, clock: ManualClock) -> None:
    with pytest.raises(NotADatabaseError, match="no file"):
        opened(tmp_path, clock)


def test_a_newer_schema_is_refused_untouched(path: Path, clock: ManualClock, scope: Scope) -> None:
    with opened(path, clock) as store:
        store.add(scope, [NewMemory(content="x")])
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 99")
    newer.close()
    before = path.read_bytes()
    with pytest.raises(NewerSchemaError, match="newer version"):
        opened(path, clock)
    with pytest.raises(NewerSchemaError):
        opened(path, clock, read_only=True)
    assert path.read_bytes() == before


def test_a_newer_schema_that_stands_in_the_log_is_refused_and_the_file_left_alone(
    path: Path, clock: ManualClock
) -> None:
    opened(path, clock).close()
    newer = apsw.Connection(str(path))
    newer.pragma("user_version", 99)
    copy = path.with_name("copy.db")
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")
    newer.close()
    before = copy.read_bytes()
    with pytest.raises(NewerSchemaError):
        opened(copy, clock)
    assert copy.read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="locks are of another kind here")
def test_opening_a_file_again_takes_no_lock_away_from_those_who_have_it_open(
    path: Path, clock: ManualClock, scope: Scope
) -> None:
    with opened(path, clock, wal=False) as store, store.transaction() as transaction:
        transaction.execute("INSERT INTO scopes(tenant, agent) VALUES ('a', 'b')")
        opened(path, clock, read_only=True).close()
        program = (
            "import sys, apsw\n"
            "other = apsw.Connection(sys.argv[1])\n"
            "try:\n    other.execute('BEGIN IMMEDIATE')\nexcept apsw.BusyError:\n    print('locked')\n"
        )
        done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "locked"


def test_a_damaged_page_is_named(path: Path, clock: ManualClock, scope: Scope) -> None:
    with opened(path, clock) as store:
        store.add(scope, [NewMemory(content=f"text {number} " + "word " * 200) for number in range(200)])
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xa5" * (len(content) - 8192)
    path.write_bytes(content)
    with pytest.raises(NotADatabaseError, match="damaged"):
        opened(path, clock).count(scope)
    assert path.read_bytes() == bytes(content)


def test_reading_what_is_not_there_makes_nothing(path: Path, clock: ManualClock) -> None:
    with pytest.raises(StoreError, match="no database"):
        opened(path, clock, read_only=True)
    assert not path.parent.exists()


def test_a_store_opened_for_reading_reads_and_refuses_to_write(path: Path, clock: ManualClock, scope: Scope) -> None:
    with opened(path, clock) as store:
        stored = store.add(scope, [NewMemory(content="x")]).stored[0].id
    with opened(path, clock, read_only=True) as store:
        assert store.get(scope, stored).content == "x"
        assert store.count(scope) == 1
        with pytest.raises(ReadOnlyError):
            store.add(scope, [NewMemory(content="y")])
        with pytest.raises(ReadOnlyError):
            store.vacuum()


@pytest.fixture
def locked(clock: ManualClock, scope: Scope) -> Iterator[Path]:
    """A database that may be read but not written, in a folder of the same kind, for a user without privileges."""
    user = os.geteuid()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "memory.db"
        with opened(path, clock) as store:
            store.add(scope, [NewMemory(content="x")])
        path.chmod(0o444)
        folder.chmod(0o555)
        if user == 0:
            os.seteuid(65534)
        try:
            yield path
        finally:
            os.seteuid(user)
            folder.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="file permissions are of another kind here")
def test_a_file_without_write_permission_opens_for_reading(locked: Path, clock: ManualClock, scope: Scope) -> None:
    before = locked.read_bytes()
    with opened(locked, clock) as store:
        assert store.read_only
        assert store.count(scope) == 1
        with pytest.raises(ReadOnlyError, match="reading only"):
            store.add(scope, [NewMemory(content="y")])
    assert locked.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="file permissions are of another kind here")
def test_a_folder_without_write_permission_cannot_hold_a_new_file(locked: Path, clock: ManualClock) -> None:
    with pytest.raises(ReadOnlyError, match="permissions"):
        opened(locked.with_name("other.db"), clock)


def test_processes_that_make_one_file_at_once_all_open_it(path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from comis_core.clock import SystemClock; from comis_core.model import NewMemory, Scope\n"
        "from comis_core.store import Store\n"
        "sys.stdin.readline()\n"
        "with Store.open(Path(sys.argv[1]), clock=SystemClock()) as store:\n"
        "    store.add(Scope('t', 'a'), [NewMemory(content=sys.argv[2])])\n"
    )
    command = [sys.executable, "-c", program, str(path)]
    processes = [
        subprocess.Popen([*command, str(number)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for number in range(4)
    ]
    errors = [process.communicate("go\n")[1] for process in processes]
    assert errors == [""] * 4
    from comis_core.clock import SystemClock

    with Store.open(path, clock=SystemClock()) as store:
        assert store.count(Scope("t", "a")) == 4


def test_no_statement_is_compiled_anew_for_the_values_bound_to_it(path: Path, clock: ManualClock, scope: Scope) -> None:
    connections: list[apsw.Connection] = []
    with opened(path, clock, on_connect=connections.append) as store:
        store.add(scope, [NewMemory(content="x")])
        store.count(scope)
        assert len(connections) > 1
        assert all(each.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, -1) for each in connections)
