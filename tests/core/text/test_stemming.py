"""Stems: one Snowball stemmer a script."""

from __future__ import annotations

import pytest

from comis_core.text import Analyser


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("painting paintings painted", "paint"),
        ("книги книгой книгу", "книга"),
        ("المدرسة المدرسه", "مدرسة"),
        ("लड़के लड़कों", "लड़का"),
        ("βιβλία βιβλίο", "βιβλίο"),
    ],
)
def test_forms_of_a_word_have_one_stem_in_every_script(analyser: Analyser, one: str, other: str) -> None:
    assert set(analyser.stems(one)) == set(analyser.stems(other))


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("french", "abandonnée abandonnees abandonner"),
        ("german", "Häuser Hauser Haus"),
        ("spanish", "canción canciones cancion"),
        ("portuguese", "avião aviões"),
        ("turkish", "öğretmen öğretmenler"),
        ("hungarian", "könyv könyvek konyvek"),
    ],
)
def test_the_configured_language_stems_latin_words_with_and_without_their_accents(language: str, forms: str) -> None:
    assert len(set(Analyser(language).stems(forms))) == 1


def test_another_language_leaves_the_other_scripts_alone(analyser: Analyser) -> None:
    text = "книги المدرسة लड़कों"
    assert Analyser("german").stems(text) == analyser.stems(text)


def test_a_language_takes_the_place_of_its_scripts_default(analyser: Analyser) -> None:
    assert Analyser("serbian").stems("књигама") != analyser.stems("књигама")
    assert Analyser("nepali").stems("paintings") == analyser.stems("paintings")


@pytest.mark.parametrize("code", ["en", "eng", "EN", "English", "english"])
def test_a_language_goes_by_its_name_or_its_iso_code(code: str) -> None:
    assert Analyser(code) == Analyser()
    assert Analyser(code).language == "english"


def test_a_language_without_a_stemmer_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"'klingon'.*english.*french"):
        Analyser("klingon")


def test_an_identifier_is_not_stemmed(analyser: Analyser) -> None:
    assert analyser.stems("v1.files")[0] == "v1.files"


def test_the_fingerprint_names_language_and_behaviour(analyser: Analyser) -> None:
    assert Analyser("en").fingerprint_id == analyser.fingerprint_id
    assert Analyser("german").fingerprint_id != analyser.fingerprint_id
    assert "english" in analyser.fingerprint_id


@pytest.mark.parametrize(
    ("form", "word"), [("went", "go"), ("children", "child"), ("bought", "buying"), ("women's", "woman")]
)
def test_irregular_english_forms_meet_their_word(form: str, word: str) -> None:
    analyser = Analyser()
    assert analyser.stems(form) == analyser.stems(word)


def test_irregular_forms_are_english_alone() -> None:
    assert Analyser("german").stems("went") == ["went"]
