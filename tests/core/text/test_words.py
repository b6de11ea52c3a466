"""Words, identifiers, numbers and emoji: what becomes a token."""

from __future__ import annotations

import pytest

from comis_core.text import Analyser


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("om_x1", ["om_x1", "om", "x1"]),
        ("gen-itgc", ["gen-itgc", "gen", "itgc"]),
        ("pre-edit", ["pre-edit", "pre", "edit"]),
        ("foo.bar()", ["foo.bar", "foo", "bar"]),
        ("a:b", ["a:b", "a", "b"]),
        ("std::vector", ["std::vector", "std", "vector"]),
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("src/foo_bar.py", ["src/foo_bar.py", "src", "foo_bar.py", "foo_bar", "foo", "bar", "py"]),
        ("C:\\logs\\app", ["c:\\logs\\app", "c", "logs", "app"]),
        ("ana.b@acme.org", ["ana.b@acme.org", "ana.b", "ana", "b", "acme.org", "acme", "org"]),
        (
            "https://acme.org/a?id=7",
            ["https://acme.org/a?id=7", "https", "acme.org", "acme", "org", "a", "id", "7"],
        ),
        ("__init__", ["init"]),
        ("R&D", ["r&d", "r", "d"]),
        ("2023-05-08", ["2023-05-08", "2023", "05", "08"]),
        ("O'Brien", ["obrien", "o", "brien"]),
    ],
)
def test_an_identifier_is_found_whole_and_by_its_parts(analyser: Analyser, text: str, words: list[str]) -> None:
    assert analyser.words(text) == words


@pytest.mark.parametrize("spelling", ["e-mail", "e_mail", "email", "E-Mail", "eMail"])
def test_an_identifier_is_found_however_it_is_joined(analyser: Analyser, spelling: str) -> None:
    assert "email" in analyser.stems(spelling)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,000,000", ["1000000"]),
        ("1,234.5", ["1234.5"]),
        ("3.14", ["3.14"]),
        ("U.S.", ["us"]),
        ("U.S.A", ["usa"]),
        ("at 5 p.m.", ["at", "5", "pm"]),
        ("C++ and C#", ["c++", "and", "c#"]),
        ("6½", ["6", "1/2", "1", "2"]),
        ("Acme™ shop", ["acme", "shop"]),
        ("23–16", ["23", "16"]),
        ("wait...what", ["wait", "what"]),
        ("a, b;c", ["a", "b", "c"]),
    ],
)
def test_numbers_acronyms_and_signs(analyser: Analyser, text: str, words: list[str]) -> None:
    assert analyser.words(text) == words


@pytest.mark.parametrize("apostrophe", ["'", "’", "ʼ", "＇", "`", "´", "′"])
def test_the_possessive_is_dropped_whatever_the_apostrophe(analyser: Analyser, apostrophe: str) -> None:
    assert analyser.words(f"Caroline{apostrophe}s dog") == ["caroline", "dog"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("what's next?", ["what", "next"]),
        ("I'm sure we'll", ["i", "sure", "we"]),
        ("don't", ["do", "not"]),
        ("CAN'T", ["can", "not"]),
        ("won’t", ["will", "not"]),
        ("cannot", ["can", "not"]),
    ],
)
def test_english_contractions_come_apart_and_keep_their_negation(
    analyser: Analyser, text: str, words: list[str]
) -> None:
    assert analyser.words(text) == words


def test_contractions_of_english_are_words_of_no_other_language() -> None:
    assert Analyser("french").words("d'accord can't") == ["daccord", "d", "accord", "cant", "can", "t"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("😀", ["😀"]),
        ("nice👍work", ["nice", "👍", "work"]),
        ("❤️", ["❤"]),
        ("👍🏽", ["👍"]),
        ("👩🏽‍💻", ["👩‍💻", "👩", "💻"]),
        ("🇵🇹🇧🇷", ["🇵🇹", "🇧🇷"]),
        ("1️⃣", ["1"]),
    ],
)
def test_emoji_are_tokens_without_skin_tone_and_variation(analyser: Analyser, text: str, words: list[str]) -> None:
    assert analyser.words(text) == words


@pytest.mark.parametrize("text", ["", " ", "...", "?!", '"', "(", "*", "^", "— … «»", "€ + ©", "\u200b\u200d", "_"])
def test_what_is_neither_word_nor_emoji_is_no_token(analyser: Analyser, text: str) -> None:
    assert analyser.words(text) == []


@pytest.mark.parametrize("invisible", ["\u00ad", "\u200b", "\u2060", "\u200e", "\ufeff", "\u034f"])
def test_invisible_characters_do_not_hide_a_word(analyser: Analyser, invisible: str) -> None:
    assert analyser.words(f"se{invisible}cret") == ["secret"]


def test_data_in_one_piece_is_found_by_its_head(analyser: Analyser) -> None:
    key = "QUJD" * 1000
    (word,) = analyser.words(key.lower())
    assert word == key.lower()[: len(word)]
    assert len(word) < 100
