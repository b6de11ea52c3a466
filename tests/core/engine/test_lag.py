"""What a process wrote that does not keep an index is found by the next recall of one that does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

import comis_core
from comis_core import Engine
from comis_core.engine import background, lag
from comis_core.errors import StoreError
from comis_core.store import connection

WORDS_ONLY = {"embedding": "none"}


def opened(path: Path, preset: str, *, read_only: bool = False) -> Engine:
    return comis_core.open(path, preset=preset, overrides=WORDS_ONLY, read_only=read_only)


def found(engine: Engine, text: str) -> list[str]:
    return [item.memory.content for item in engine.agent().recall(text)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def tuned(path: Path) -> Iterator[Engine]:
    with opened(path, "tuned") as engine:
        engine.agent().store("The gardener waters the roses.")
        engine.agent().recall("roses")
        yield engine


@pytest.fixture
def other(path: Path, tuned: Engine) -> Iterator[Engine]:
    """Keeps `fts` and not `lexical`."""
    with opened(path, "comis") as engine:
        yield engine


def test_what_somebody_stored_without_the_index_is_found_at_once(tuned: Engine, other: Engine) -> None:
    other.agent().store("The accordion is in the wardrobe.")
    assert found(tuned, "Where is the accordion?") == ["The accordion is in the wardrobe."]
    assert tuned.store.pending() == {}


def test_it_goes_both_ways(tuned: Engine, other: Engine) -> None:
    other.agent().recall("roses")
    tuned.agent().store("The flute is in the attic.")
    assert found(other, "flute") == ["The flute is in the attic."]


def test_what_somebody_deleted_without_the_index_leaves_it(tuned: Engine, other: Engine) -> None:
    stored = other.agent().store("The accordion is in the wardrobe.")
    found(tuned, "accordion")
    other.agent().delete(stored.id)
    assert found(tuned, "accordion") == []
    assert tuned.store.pending() == {}


def test_who_may_only_read_says_that_something_may_be_missing(path: Path, tuned: Engine, other: Engine) -> None:
    with opened(path, "tuned", read_only=True) as reader:
        assert found(reader, "roses")
        other.agent().store("The accordion is in the wardrobe.")
        assert any("index lexical" in note for note in reader.agent().recall("accordion").notes)
        found(tuned, "accordion")
        answer = reader.agent().recall("accordion")
        assert [item.memory.content for item in answer] == ["The accordion is in the wardrobe."]
        assert not any("index lexical" in note for note in answer.notes)


def test_a_recall_does_not_wait_for_somebody_who_writes(
    tuned: Engine, other: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lag, "PATIENCE_SECONDS", 0.01)
    other.agent().store("The accordion is in the wardrobe.")
    with other.store.transaction():
        answer = tuned.agent().recall("accordion")
        assert len(answer) == 0
        assert any("index lexical" in note for note in answer.notes)
    tuned._background._lag.stop(30.0)
    assert found(tuned, "accordion") == ["The accordion is in the wardrobe."]


def test_what_the_engine_writes_itself_asks_for_no_second_walk(tuned: Engine) -> None:
    tuned.agent().store("The flute is in the attic.")
    tuned.agent().recall("flute")
    assert tuned._background._lag._running is None


# -- opening while somebody writes


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """The write lock is somebody else's, and nobody waits for it for long."""
    with closing(apsw.Connection(str(path))) as holder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(background, "OPENING_SECONDS", 0.01)
        patched.setattr(lag, "PATIENCE_SECONDS", 0.01)
        holder.execute("BEGIN IMMEDIATE")
        yield


def notes(engine: Engine) -> list[str]:
    return [note for note in engine.agent().recall("roses").notes if note.startswith("index")]


def made_up(engine: Engine) -> bool:
    """Wait for what is under way; whether a recall then finds what is there and has nothing to say about indexes."""
    engine._background._lag.stop(30.0)
    return found(engine, "roses") == ["The gardener waters the roses."] and notes(engine) == []


def test_another_preset_opens_while_somebody_writes_and_says_what_is_missing(path: Path, tuned: Engine) -> None:
    with locked(path), opened(path, "comis") as engine:
        assert notes(engine) == ["index fts: not filled yet"]
        assert len(engine.agent().browse().memories) == 1


def test_what_opening_left_is_made_up_when_the_lock_is_free(path: Path, tuned: Engine) -> None:
    with locked(path):
        engine = opened(path, "comis")
    with engine:
        assert made_up(engine)


def test_a_large_file_opens_while_somebody_writes(path: Path, tuned: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "AT_ONCE", 0)
    with locked(path):
        engine = opened(path, "comis")
    with engine:
        assert made_up(engine)


def test_a_recall_tries_again_what_the_background_gave_up(
    path: Path, tuned: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "BUSY_MILLISECONDS", 10)
    with locked(path):
        engine = opened(path, "comis")
        engine._background._lag.stop(30.0)
        assert notes(engine) == ["index fts: not filled yet"]
    with engine:
        notes(engine)
        assert made_up(engine)


def test_what_opening_left_is_part_of_draining(path: Path, tuned: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "BUSY_MILLISECONDS", 10)
    with locked(path):
        engine = opened(path, "comis")
        with pytest.raises(StoreError, match="stayed locked"):
            engine.drain()
    with engine:
        engine.drain()
        assert engine.store.pending() == {}


def test_an_index_of_another_version_is_begun_anew_when_the_lock_is_free(path: Path, tuned: Engine) -> None:
    tuned.store.write(lambda tx: tx.execute("UPDATE watermarks SET version = 'old' WHERE name = 'lexical'"))
    with locked(path):
        engine = opened(path, "tuned")
        assert notes(engine) == ["index lexical: not filled yet"]
    with engine:
        assert made_up(engine)


def test_another_configuration_comes_into_force_while_somebody_writes(path: Path, tuned: Engine) -> None:
    with locked(path):
        tuned.reconfigure({"agents": {"default": {"preset": "comis", **WORDS_ONLY}}})
        assert notes(tuned) == ["index fts: not filled yet"]
    assert made_up(tuned)


def test_a_file_without_the_tables_waits_and_fails(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "BUSY_MILLISECONDS", 10)
    comis_core.open(path, preset="tuned", overrides=WORDS_ONLY, disable=("fts",)).close()
    with locked(path), pytest.raises(StoreError, match="stayed locked by another process"):
        opened(path, "comis")
