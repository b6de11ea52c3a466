"""Vectors of earlier runs: found again, bounded, and without a word of text."""

from __future__ import annotations

import logging
import stat
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comis_core.clock import ManualClock
from comis_core.embedding.cache import VectorCache
from comis_core.embedding.guard import GuardedEmbedder, text_key
from comis_core.errors import StoreError


def keys(count: int, prefix: str = "text") -> list[bytes]:
    return [text_key("model", "document", f"{prefix} {number}") for number in range(count)]


def rows(count: int, dimensions: int = 4) -> Any:
    return np.arange(count * dimensions, dtype=np.float32).reshape(count, dimensions)


def test_what_was_put_is_found_in_the_next_run(tmp_path: Path, clock: ManualClock) -> None:
    names = keys(1200)
    cache = VectorCache(tmp_path / "cache.db", clock=clock)
    cache.put(names, rows(1200))
    cache.close()
    cache = VectorCache(tmp_path / "cache.db", clock=clock)
    found = cache.get([*names, b"unknown"], 4)
    assert set(found) == set(names)
    assert np.array([found[name] for name in names]).tolist() == rows(1200).tolist()
    cache.close()


def test_vectors_of_another_length_are_not_known(tmp_path: Path, clock: ManualClock) -> None:
    cache = VectorCache(tmp_path / "cache.db", clock=clock)
    cache.put(keys(1), rows(1))
    assert cache.get(keys(1), 5) == {}
    cache.close()


def test_the_file_is_held_to_its_limit_and_the_unused_goes_first(tmp_path: Path, clock: ManualClock) -> None:
    limit = 1_000_000
    cache = VectorCache(tmp_path / "cache.db", clock=clock, byte_limit=limit)
    used = keys(5, "used")
    cache.put(used, rows(5, 256))
    for step in range(60):
        clock.advance(timedelta(days=2))
        cache.put(keys(50, f"step {step}"), rows(50, 256))
        assert len(cache.get(used, 256)) == 5
    assert cache.size() <= limit
    assert cache.get(keys(50, "step 0"), 256) == {}
    assert len(cache.get(keys(50, "step 59"), 256)) == 50
    cache.close()
    assert (tmp_path / "cache.db").stat().st_size <= 1.2 * limit


def test_the_file_holds_no_text(tmp_path: Path, clock: ManualClock, toy: Any) -> None:
    cache = VectorCache(tmp_path / "cache.db", clock=clock)
    guarded = GuardedEmbedder(toy, plugin="toy", cache=cache)
    guarded.embed(["unmistakable words"], "document")
    guarded.embed(["unmistakable question"], "query")
    guarded.close()
    for file in tmp_path.iterdir():
        assert b"unmistakable" not in file.read_bytes()


def test_the_file_is_the_owners_alone(tmp_path: Path, clock: ManualClock) -> None:
    VectorCache(tmp_path / "cache.db", clock=clock).close()
    assert stat.S_IMODE((tmp_path / "cache.db").stat().st_mode) == 0o600


def test_another_run_asks_the_model_for_new_texts_only(tmp_path: Path, clock: ManualClock, toys: Any) -> None:
    first, second = toys(), toys()
    guarded = GuardedEmbedder(first, plugin="toy", cache=VectorCache(tmp_path / "cache.db", clock=clock))
    expected = guarded.embed(["a", "b"], "document")
    guarded.close()
    guarded = GuardedEmbedder(second, plugin="toy", cache=VectorCache(tmp_path / "cache.db", clock=clock))
    assert guarded.embed(["b", "c", "a"], "document")[[2, 0]].tolist() == expected.tolist()
    assert second.calls == [(("c",), "document")]
    guarded.embed(["a"], "query")
    assert second.calls[1:] == [(("a",), "query")]
    guarded.close()


def test_another_model_shares_nothing(tmp_path: Path, clock: ManualClock, toys: Any) -> None:
    cache = VectorCache(tmp_path / "cache.db", clock=clock)
    other = toys(fingerprint="toy-4b")
    GuardedEmbedder(toys(), plugin="toy", cache=cache).embed(["a"], "document")
    GuardedEmbedder(other, plugin="toy", cache=cache).embed(["a"], "document")
    assert other.calls == [(("a",), "document")]
    cache.close()


def test_a_bad_vector_is_not_kept(tmp_path: Path, clock: ManualClock, toys: Any) -> None:
    cache = VectorCache(tmp_path / "cache.db", clock=clock)
    toy = toys(spoil=lambda texts, vectors: vectors * np.nan)
    with pytest.raises(Exception, match="not finite"):
        GuardedEmbedder(toy, plugin="toy", cache=cache).embed(["a"], "document")
    assert cache.get([text_key("toy-4", "document", "a")], 4) == {}
    cache.close()


def test_a_file_that_is_something_else_is_refused(tmp_path: Path, clock: ManualClock) -> None:
    path = tmp_path / "cache.db"
    path.write_bytes(b"these are my notes, not a database. " * 50)
    with pytest.raises(StoreError, match=r"cache\.db"):
        VectorCache(path, clock=clock)
    assert path.read_bytes().startswith(b"these are my notes")


def test_a_cache_that_fails_knows_nothing(
    tmp_path: Path, clock: ManualClock, toy: Any, caplog: pytest.LogCaptureFixture
) -> None:
    cache = VectorCache(tmp_path / "cache.db", clock=clock)
    guarded = GuardedEmbedder(toy, plugin="toy", cache=cache)
    cache.close()
    with caplog.at_level(logging.WARNING):
        assert guarded.embed(["a"], "document").shape == (1, 4)
    assert "cannot be read" in caplog.text
    assert "cannot be written" in caplog.text
