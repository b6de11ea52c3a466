"""Long texts in overlapping windows, cut by counting tokens."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_plugins.embed_llama.windows import cut


def words(text: str) -> int:
    return len(text.split())


def characters(text: str) -> int:
    """A tokenizer that knows no words, as for a script that is written without blanks."""
    return len("".join(text.split()))


def test_windows_fit_overlap_and_lose_nothing() -> None:
    text = " ".join(np.random.default_rng(3).choice(["a", "b", "c", "cat", "mat"], 47))
    windows = cut(text, 10, 2, words)
    assert [words(window) for window in windows] == [10, 10, 10, 10, 10, 7]
    found = windows[0].split()
    for window in windows[1:]:
        assert found[-2:] == window.split()[:2]
        found += window.split()[2:]
    assert found == text.split()


@pytest.mark.parametrize("count", [0, 1, 9, 10])
def test_a_text_that_fits_is_one_window(count: int) -> None:
    text = "  seen  " * count
    assert cut(text, 10, 2, words) == [text]


def test_a_word_longer_than_a_window_is_cut_inside() -> None:
    windows = cut("x" * 100, 10, 2, characters)
    assert all(len(window) <= 10 for window in windows)
    assert sum(map(len, windows)) >= 100


def test_white_space_inside_a_window_stays_as_it_was() -> None:
    assert cut("a\n\nb\tc d", 3, 0, words) == ["a\n\nb\tc", "d"]


def test_a_text_of_white_space_alone_is_one_window() -> None:
    assert cut(" " * 100, 10, 2, len) == [" " * 100]


@given(
    gaps=st.lists(st.sampled_from(["", "", " ", "\n\n"]), max_size=120),
    size=st.integers(1, 20),
    overlap=st.integers(0, 19),
    count=st.sampled_from([words, characters]),
)
def test_windows_fit_and_cover_everything_in_order(
    gaps: list[str], size: int, overlap: int, count: Callable[[str], int]
) -> None:
    # No character comes twice, so that a window has one place only.
    text = "".join(chr(0x4E00 + place) + gap for place, gap in enumerate(gaps))
    windows = cut(text, size, min(overlap, size - 1), count)
    covered = 0
    for window in windows:
        start = text.index(window)
        assert count(window) <= size
        assert not text[covered:start].strip()
        assert not covered or start + len(window) > covered
        covered = start + len(window)
    assert not text[covered:].strip()
