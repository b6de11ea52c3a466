"""What a process wrote that does not keep an index is found by the next recall of one that does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import comis_core
from comis_core import Engine
from comis_core.engine import lag

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
