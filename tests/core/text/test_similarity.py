"""Whether two texts are the same, and how alike they are."""

from __future__ import annotations

import pytest

from comis_core.text import Analyser, fingerprint, similarity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana moved  to\nLisbon ", "ana moved to lisbon"),
        ("café", "CAFE\u0301"),
        ("ＡＢＣ", "abc"),
        ("Straße", "STRASSE"),
        ("a\u00a0b", "a b"),
    ],
)
def test_texts_that_differ_in_form_alone_have_one_fingerprint(one: str, other: str) -> None:
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"), [("cafe", "café"), ("a b", "ab"), ("a.", "a"), ("", "x"), ("Ana paid Bob", "Bob paid Ana")]
)
def test_texts_that_say_something_else_have_different_fingerprints(one: str, other: str) -> None:
    assert fingerprint(one) != fingerprint(other)


def test_the_fingerprint_does_not_change_between_releases(analyser: Analyser) -> None:
    assert fingerprint("Hello World").hex() == "e9a804b2e527fd3601d2ffc0bb023cd6"
    assert analyser.fingerprint("Hello World") == fingerprint("hello world")


def test_the_fingerprint_takes_text_that_cannot_be_stored() -> None:
    assert len(fingerprint("\ud800\x00")) == 16


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [("a b c", "c b a", 1.0), ("a b", "c d", 0.0), ("a b c", "b c d", 0.5), ("", "", 0.0), ("a", "", 0.0)],
)
def test_similarity_is_the_share_of_tokens_in_both(left: str, right: str, expected: float) -> None:
    assert similarity(set(left.split()), set(right.split())) == expected


def test_near_copies_are_alike_and_a_negation_tells(analyser: Analyser) -> None:
    original = "Ana said that she is going to move to Lisbon in March with her two dogs and a cat"
    copy = original.upper() + "!"
    assert similarity(analyser.token_set(original), analyser.token_set(copy)) == 1.0
    denied = original.replace("is going", "is not going")
    assert similarity(analyser.token_set(original), analyser.token_set(denied)) < 0.95
