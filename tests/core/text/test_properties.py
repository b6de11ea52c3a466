"""What holds for every text."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given, settings
from hypothesis import strategies as st

from comis_core.text import Analyser, check_text, fingerprint, normalise, similarity

ANALYSER = Analyser()
TRICKY = st.sampled_from((
    *"aZ1_-./:@'’`+#&?=\\%~ \t\n\u00a0\u0301\u0316\u093c\u094d\u200b\u200d\u034f\ufe0f\u0e40\u0e33\u17d2\u20e3\ud800",
    *"ßİıﬁ½™éйёक़กក日カﾞ한😀👩🏽🇵ﷺـ",
    *("n't", "'s", "U.S.", "1,000", "C++", "don't", "getUserName", "測試"),
))
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=60), st.lists(TRICKY, max_size=40).map("".join)
)
STORABLE = st.text(max_size=60)
repeatable = settings(derandomize=True, deadline=None, max_examples=300)


@given(TEXTS)
@repeatable
def test_no_text_breaks_any_view(text: str) -> None:
    analysis = ANALYSER.analyse(text)
    assert len(analysis.words) == len(analysis.all_stems) >= len(analysis.stems)
    assert analysis.stem_count <= len(analysis.stems)
    for token in (*analysis.words, *analysis.all_stems, *analysis.prefixes, *analysis.trigrams, *analysis.topic_key):
        assert token
        assert not any(character.isspace() for character in token)
        check_text(token)


@given(TEXTS)
@repeatable
def test_a_text_with_tokens_has_stems_to_ask_for(text: str) -> None:
    assert bool(ANALYSER.words(text)) == bool(ANALYSER.stems(text))


@given(STORABLE)
@repeatable
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(TEXTS)
@repeatable
def test_composed_and_decomposed_text_is_the_same_text(text: str) -> None:
    composed, decomposed = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
    assert ANALYSER.analyse(composed) == ANALYSER.analyse(decomposed)
    assert fingerprint(composed) == fingerprint(decomposed)
    assert normalise(composed) == normalise(decomposed)


@given(TEXTS)
@repeatable
def test_the_stored_form_is_found_by_the_text_as_typed(text: str) -> None:
    assert ANALYSER.analyse(normalise(text)) == ANALYSER.analyse(text)


@given(TEXTS, TEXTS)
@repeatable
def test_words_do_not_reach_across_a_space(left: str, right: str) -> None:
    assert ANALYSER.words(f"{left} {right}") == ANALYSER.words(left) + ANALYSER.words(right)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz ", max_size=60))
@repeatable
def test_capitals_make_no_other_words(text: str) -> None:
    assert ANALYSER.words(text.upper()) == ANALYSER.words(text)


@given(st.sets(st.text(max_size=3)), st.sets(st.text(max_size=3)))
@repeatable
def test_similarity_is_symmetric_and_between_none_and_all(left: set[str], right: set[str]) -> None:
    assert 0.0 <= similarity(left, right) == similarity(right, left) <= 1.0
    assert similarity(left, left) == (1.0 if left else 0.0)


def test_many_threads_read_alike_through_one_analyser() -> None:
    texts = [f"Paintings{number} of the {number}th running dogs, книги{number} المدرسة" for number in range(200)]
    expected = [Analyser().stems(text) for text in texts]
    shared = Analyser()
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: [shared.stems(text) for text in texts], range(16)):
            assert found == expected
