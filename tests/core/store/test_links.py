"""A database that is opened by a symbolic link: its log is beside the file, not beside the link."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from comis_core.clock import ManualClock
from comis_core.errors import ReadOnlyError
from comis_core.model import NewMemory, Scope
from comis_core.store import Store, files
from comis_core.store.presence import log_of
from comis_core.store.salvage import whole

PAGE = 8192
UNPRIVILEGED = pytest.mark.skipif(not hasattr(os, "seteuid"), reason="file permissions are of another kind here")


def fill(store: Store, scope: Scope, count: int) -> None:
    store.add(scope, [NewMemory(content=f"{number} {'x' * 500}") for number in range(count)])


@pytest.fixture
def places() -> Iterator[tuple[Path, Path]]:
    """A file that is not there yet, and a link to it in another folder, which everybody may write."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        file, link = Path(name) / "data" / "real.db", Path(name) / "links" / "memory.db"
        for path in (file, link):
            path.parent.mkdir()
        link.parent.chmod(0o777)
        link.symlink_to(file)
        yield file, link


@contextmanager
def unprivileged(folder: Path, mode: int = 0o444) -> Iterator[None]:
    """Nobody may write the folder, its files have this mode, and the process has no privileges."""
    user = os.geteuid()
    for path in folder.iterdir():
        path.chmod(mode)
    folder.chmod(0o555)
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
        folder.chmod(0o755)


@UNPRIVILEGED
def test_a_log_that_cannot_be_folded_in_is_not_passed_over(
    store: Store, path: Path, places: tuple[Path, Path], clock: ManualClock, scope: Scope
) -> None:
    file, link = places
    fill(store, scope, 1)
    shutil.copyfile(path, file)
    shutil.copyfile(log_of(path), log_of(file))
    with unprivileged(file.parent), pytest.raises(ReadOnlyError, match="has a log that must be folded in first"):
        Store.open(link, clock=clock, read_only=True)


@UNPRIVILEGED
def test_a_file_in_a_folder_that_cannot_be_written_opens_for_reading(
    places: tuple[Path, Path], clock: ManualClock, scope: Scope
) -> None:
    file, link = places
    with Store.open(file, clock=clock) as store:
        fill(store, scope, 1)
    with unprivileged(file.parent, 0o666):
        assert not files.writable(link)
        with Store.open(link, clock=clock) as reader:
            assert reader.count(scope) == 1


def test_a_file_whose_log_was_half_folded_in_is_whole(
    store: Store, path: Path, places: tuple[Path, Path], clock: ManualClock, scope: Scope
) -> None:
    file, link = places
    before = path.read_bytes()
    fill(store, scope, 200)
    shutil.copyfile(log_of(path), log_of(file))
    with closing(apsw.Connection(str(path))) as other:
        other.execute("SELECT count(*) FROM scopes").fetchall()
        other.wal_checkpoint()
    after = path.read_bytes()
    assert len(after) > len(before)
    file.write_bytes(after[:PAGE] + before[PAGE:])
    with Store.open(link, clock=clock) as again:
        assert again.count(scope) == 200


def test_what_is_rescued_of_a_file_that_was_cut_off_has_its_log(
    store: Store, path: Path, places: tuple[Path, Path], scope: Scope
) -> None:
    file, link = places
    fill(store, scope, 1)
    file.write_bytes(path.read_bytes()[: -2 * PAGE])
    shutil.copyfile(log_of(path), log_of(file))
    with whole(link) as copy:
        assert copy.stat().st_size == path.stat().st_size
        assert log_of(copy).read_bytes() == log_of(file).read_bytes()
