"""Closing an engine while another connection holds the write lock."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import apsw
import pytest

import comis_core
from comis_core import Engine
from comis_core.engine import lag
from comis_core.engine.backfill import BACKFILL
from comis_core.store.waiting import LockWait

ENOUGH_SECONDS = 20.0


def opened(path: Path, preset: str = "tuned", *, wal: bool = True) -> Engine:
    config = {"memory": {"walMode": wal}}
    return comis_core.open(path, config=config, preset=preset, overrides={"embedding": "none"})


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """The write lock is somebody else's."""
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def given_work(engine: Engine) -> Iterator[None]:
    """The background has something to do, and the write lock is somebody else's before it begins."""
    with ExitStack() as stack:
        with engine._background._worker._in_hand:
            engine.store.write(lambda tx: engine._background.outbox.enqueue(tx, BACKFILL, 0, [None], now=0))
            stack.enter_context(locked(engine.path))
        engine._background.wake()
        yield


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Nobody gives up a lock by himself; set once somebody waits for one."""
    begun, pause = threading.Event(), LockWait._pause

    def noticed(self: LockWait, left: float, now: float, tries: int) -> bool:
        begun.set()
        return pause(self, 3600.0, now, tries)

    monkeypatch.setattr(LockWait, "_pause", noticed)
    return begun


def closes(engine: Engine) -> bool:
    """Whether the engine comes to its end."""
    thread = threading.Thread(target=engine.close, daemon=True)
    thread.start()
    thread.join(ENOUGH_SECONDS)
    return not thread.is_alive()


def test_a_catch_up_that_waits_for_the_lock_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lag, "PATIENCE_SECONDS", 0.01)
    path = tmp_path / "memory.db"
    tuned = opened(path)
    tuned.agent().recall("roses")
    with opened(path, "comis") as other:
        other.agent().store("The accordion is in the wardrobe.")
    with locked(path):
        assert len(tuned.agent().recall("accordion")) == 0
        assert closes(tuned)
    with opened(path) as again:
        assert len(again.agent().recall("accordion")) == 1


def test_background_work_that_waits_for_the_lock_ends(
    tmp_path: Path, waits: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "memory.db"
    with opened(path) as engine, given_work(engine), caplog.at_level(logging.WARNING):
        assert waits.wait(ENOUGH_SECONDS)
        assert closes(engine)
    assert "did not end" not in caplog.text
    assert "background work ends before it is done" in caplog.text


def test_background_work_that_waits_to_read_ends(
    tmp_path: Path, waits: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "memory.db"
    with opened(path, wal=False) as engine, closing(apsw.Connection(str(path))) as other:
        other.set_busy_timeout(int(ENOUGH_SECONDS * 1000))
        other.execute("BEGIN EXCLUSIVE")
        engine._background.wake()
        assert waits.wait(ENOUGH_SECONDS)
        with caplog.at_level(logging.WARNING):
            assert closes(engine)
    assert "did not end" not in caplog.text
    assert "background work ends before it is done" in caplog.text


def test_what_the_background_had_in_hand_is_there_when_the_file_is_opened_again(
    tmp_path: Path, waits: threading.Event
) -> None:
    path = tmp_path / "memory.db"
    with opened(path) as engine, given_work(engine):
        assert waits.wait(ENOUGH_SECONDS)
        assert closes(engine)
    with opened(path) as again:
        again.drain()
        assert again.store.pending() == {}
