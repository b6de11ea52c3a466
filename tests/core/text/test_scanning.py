"""Scanning: texts in ASCII take a shorter road, and it must lead to the same place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comis_core.text import Analyser
from comis_core.text.folding import prepare
from comis_core.text.scanning import pieces

SIGNS = st.sampled_from((*"abzAZ019_-./:@'&+=\\?#%~,;>() \t\n", "://", "->", "::", "1,000", "U.S.", "C++", "n't"))
ASCII = st.one_of(st.text(st.characters(max_codepoint=127), max_size=60), st.lists(SIGNS, max_size=40).map("".join))


@given(ASCII)
@settings(derandomize=True, deadline=None, max_examples=1000)
def test_text_in_ascii_breaks_into_the_same_pieces_as_in_a_text_of_several_scripts(text: str) -> None:
    assert [*pieces(text), "é"] == pieces(f"{text} é")


@pytest.mark.parametrize("text", ["Don't, e-mail U.S. 1,000 C++ users!", "naïve café 日本語 😀 déjà", ""])
def test_the_token_set_is_that_of_the_analysis(text: str) -> None:
    analyser = Analyser()
    assert analyser.token_set(text) == analyser.analyse(text).token_set == frozenset(analyser.words(prepare(text)))
