"""What two spellings of one name have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.text import fold_name


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("New  York ", "new york"),
        ("São Paulo", "sao paulo"),
        ("ＮＥＷ　ＹＯＲＫ", "new york"),
        ("Straße", "strasse"),
        ("Łódź", "lodz"),
        ("İstanbul", "istanbul"),
        ("O’Brien", "o'brien"),
        ("Jean‐Luc", "jean-luc"),
        ("Ёлка", "елка"),
        ("أحمد", "احمد"),
        ("北京", "北京"),
        ("", ""),
    ],
)
def test_what_only_decorates_a_name_is_left_out(name: str, folded: str) -> None:
    assert fold_name(name) == folded


def test_a_name_of_nothing_but_decoration_keeps_it() -> None:
    assert fold_name("\u0301") != ""


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_folding_twice_changes_nothing_more(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)
