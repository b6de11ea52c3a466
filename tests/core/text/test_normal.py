"""The storage form of text, and what cannot be stored."""

from __future__ import annotations

import unicodedata

import pytest

from comis_core.text import check_text, normalise


def test_the_storage_form_is_composed() -> None:
    assert normalise("cafe\u0301") == "café"


def test_the_storage_form_keeps_case_width_and_space() -> None:
    assert normalise("  Ａ ﬁne\tDay ") == "  Ａ ﬁne\tDay "


def test_an_endless_run_of_combining_marks_is_broken_so_that_normalising_stays_linear() -> None:
    run = "\u0301\u0316" * 50_000
    stored = normalise("a" + run)
    assert stored.count("\u034f") == len(run) // 30
    assert normalise(stored) == stored


def test_marks_as_many_as_a_language_uses_stay_as_they_are() -> None:
    text = "ṩ̛̣̂ नमस्ते ที่นี่ שָׁלוֹם"
    assert normalise(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("text", ["", "plain", "日本語 😀", "tab\tand\nnewline", "\ufffe\U0010ffff"])
def test_ordinary_text_can_be_stored(text: str) -> None:
    check_text(text)
    assert text.encode().decode() == text


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("ab\x00c", "NUL", 2),
        ("\ud83d", "lone surrogate", 0),
        ("x\udfff\x00", "lone surrogate", 1),
    ],
)
def test_what_cannot_be_stored_is_refused_with_its_position(text: str, what: str, where: int) -> None:
    with pytest.raises(ValueError, match=rf"{what}.* at position {where}:"):
        check_text(text)
