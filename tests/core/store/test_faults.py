from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from comis_core.clock import ManualClock
from comis_core.errors import NotADatabaseError, ReadOnlyError, StoreError
from comis_core.model import NewMemory, Scope
from comis_core.store import Store
from comis_core.store.faults import Translated, is_environment

Add = Callable[..., str]


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (apsw.FullError, StoreError, "disk is full"),
        (apsw.IOError, StoreError, "reading or writing"),
        (apsw.CorruptError, NotADatabaseError, "damaged"),
        (apsw.NotADBError, NotADatabaseError, "not an SQLite database"),
        (apsw.BusyError, StoreError, "locked by another process"),
        (apsw.LockedError, StoreError, "locked by another statement"),
        (apsw.ReadOnlyError, ReadOnlyError, "cannot be written"),
        (apsw.PermissionsError, ReadOnlyError, "denied"),
        (apsw.CantOpenError, StoreError, "cannot be opened"),
        (apsw.InterruptError, StoreError, "deadline"),
        (apsw.NoMemError, StoreError, "memory ran out"),
        (apsw.ThreadingViolationError, StoreError, "two threads"),
        (apsw.ConnectionClosedError, StoreError, "closed"),
    ],
)
def test_each_of_sqlites_errors_is_told_in_a_sentence_with_the_file(
    error: type[apsw.Error], kind: type[StoreError], words: str
) -> None:
    with pytest.raises(StoreError) as caught, Translated("/data/memory.db"):
        raise error("details")
    assert type(caught.value) is kind
    assert words in caught.value.message
    assert "/data/memory.db" in caught.value.message
    assert "details" in caught.value.message
    assert caught.value.hint
    assert is_environment(caught.value)


@pytest.mark.parametrize(
    ("kind", "number", "code"),
    [
        (apsw.IOError, apsw.SQLITE_IOERR_WRITE, "SQLITE_IOERR_WRITE"),
        (apsw.FullError, apsw.SQLITE_FULL, "SQLITE_FULL"),
        (apsw.FullError, 0, "FullError"),
    ],
)
def test_an_error_without_words_is_told_by_its_code(kind: type[apsw.Error], number: int, code: str) -> None:
    error = kind("not an error")
    error.extendedresult = number
    with pytest.raises(StoreError) as caught, Translated("/data/memory.db"):
        raise error
    assert caught.value.message.endswith(f": {code}")


def test_what_failed_at_reading_or_writing_is_told_by_its_code_too() -> None:
    error = apsw.IOError("disk I/O error")
    error.extendedresult = apsw.SQLITE_IOERR_FSYNC
    with pytest.raises(StoreError, match=r"disk I/O error \(SQLITE_IOERR_FSYNC\)"), Translated("x"):
        raise error


def test_a_faulty_statement_is_not_blamed_on_the_environment() -> None:
    with pytest.raises(StoreError, match="SQLError: no such table") as caught, Translated("x"):
        raise apsw.SQLError("no such table: y")
    assert not is_environment(caught.value)


def test_other_errors_pass_through() -> None:
    with pytest.raises(KeyError), Translated("x"):
        raise KeyError("own")


def test_a_full_disk_stores_nothing_and_the_store_goes_on(store: Store, scope: Scope, add: Add, path: Path) -> None:
    add("one")
    store.write(lambda tx: list(tx.execute("PRAGMA max_page_count = 1")))
    with pytest.raises(StoreError, match="disk is full"):
        store.add(scope, [NewMemory(content="x" * 60000) for _ in range(10)])
    assert store.count(scope) == 1
    store.write(lambda tx: list(tx.execute("PRAGMA max_page_count = 100000")))
    add("two")
    assert store.count(scope) == 2


def test_a_file_that_stays_locked_is_named(
    store: Store, scope: Scope, add: Add, path: Path, clock: ManualClock
) -> None:
    add("one")
    store.write(lambda tx: list(tx.execute("PRAGMA busy_timeout = 0")))
    with (
        Store.open(path, clock=clock) as other,
        other.transaction(),
        pytest.raises(StoreError, match="stayed locked by another process"),
    ):
        add("two")
    add("two")
    assert store.count(scope) == 2


def test_a_broken_rule_of_the_tables_is_told(store: Store) -> None:
    with pytest.raises(StoreError, match="NOT NULL"):
        store.write(lambda tx: tx.execute("INSERT INTO scopes(tenant) VALUES ('x')"))
    with pytest.raises(StoreError, match="NOT NULL"):
        store.write(lambda tx: tx.executemany("INSERT INTO scopes(tenant) VALUES (?)", [("x",)]))
