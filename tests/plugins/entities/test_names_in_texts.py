"""How a text shows that something is a name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comis_core.text import fold_name
from comis_plugins.entities.marks import marked
from comis_plugins.entities.scanning import plain
from comis_plugins.entities.spans import spans


def names(text: str) -> list[str]:
    return [mention.name for mention in (*marked(plain(text)), *spans(plain(text)))]


def doubtful(text: str) -> list[str]:
    return [mention.name for mention in spans(plain(text)) if not mention.sure]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("we met Ana in New York City", ["Ana", "New York City"]),
        ("at the University of Copenhagen", ["University of Copenhagen"]),
        ("by Leonardo da Vinci and Ludwig van Beethoven", ["Leonardo da Vinci", "Ludwig van Beethoven"]),
        ("saw Ana's brother and Ben’s sister Dana", ["Ana", "Ben", "Dana"]),
        ("with O'Brien, Jean-Luc and AT&T", ["O'Brien", "Jean-Luc", "AT&T"]),
        ("read J. K. Rowling at the U.S. Open", ["J K Rowling", "US Open"]),
        ("asked Dr. Smith and Mrs. Jones", ["Dr Smith", "Mrs Jones"]),
        ("an iPhone, an eBay account, COVID-19", ["iPhone", "eBay", "COVID-19"]),
        ("from NASA to LA", ["NASA", "LA"]),
        ("живу в Москве с Анной", ["Москве", "Анной"]),
        ("στην Αθήνα με την Άννα", ["Αθήνα", "Άννα"]),
        ("à Besançon avec Élodie", ["Besançon", "Élodie"]),
    ],
)
def test_a_capital_within_a_sentence_shows_a_name(text: str, found: list[str]) -> None:
    assert names(text) == found
    assert doubtful(text) == []


@pytest.mark.parametrize("before", ["", "So what? ", "- ", '"', "first line\n", "look: ", "🎉 "])
def test_a_single_word_that_opens_a_sentence_is_doubtful(before: str) -> None:
    assert doubtful(f"{before}Ana came") == ["Ana"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Hey Joanna! Thanks Ben.", ["Joanna", "Ben"]),
        ("Yesterday Ana left. Then Ben did.", ["Ana", "Ben"]),
        ("Call Dana and I'll ask Ben", ["Dana", "Ben"]),
        ("The Beatles played", ["Beatles"]),
        ("New York is big. Great Britain too.", ["New York", "Great Britain"]),
        ("GitHub is down", ["GitHub"]),
    ],
)
def test_what_opens_a_sentence_before_a_name_is_no_part_of_it(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "I said that I'm here and I've seen it",
        "It's late. That's all. What's next? Don't.",
        "in May 2023, on Monday Morning, since March, Last Friday",
        "am Dienstag im Januar, en Lunes de Enero",
        "THIS IS ALL IN CAPITALS",
        "this is AWESOME, OMG, and THE BEST DAY EVER",
        "no capitals at all, 24 of 7",
        "Thanks! Wow. Great. People came. Mom too.",
        "  \n\t",
        "",
    ],
)
def test_capitals_that_name_nothing_find_nothing(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ich habe den Hund und ein Haus in Berlin", ["Berlin"]),
        ("ich war mit der Katze und einem Freund bei Anna", ["Anna"]),
        ("we saw the Eiffel Tower and a Picasso", ["Eiffel Tower", "Picasso"]),
    ],
)
def test_german_nouns_behind_an_article_are_no_names(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('she loves "Becoming Nicole" a lot', ["Becoming Nicole"]),
        ('he said "I love it!" and "the end"', []),
        ("reads “The Name of the Wind” again", ["Name of the Wind"]),
        ("я читаю «Ревизора»", ["Ревизора"]),
        ("我在读《红楼梦》", ["红楼梦"]),
        ("「成語しりとり」で遊んだ", ["成語しりとり"]),
        ("他说“他们”来了", []),
        ("他说“我来了，你在哪里”", []),
        ("قرأت «الف ليلة»", ["الف ليلة"]),
        ('पढ़ी "गोदान" किताब', ["गोदान"]),
    ],
)
def test_quotation_marks_and_brackets_show_titles_and_not_speech(text: str, found: list[str]) -> None:
    assert list(dict.fromkeys(names(text))) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("mail ana.silva+x@example.co.uk now", ["ana.silva+x@example.co.uk"]),
        ("see https://www.example.com/a/b?x=1#y.", ["example.com", "example.com/a/b"]),
        ("see http://localhost:8080 there", ["localhost", "localhost:8080"]),
        ("on fly.io or www.example.org", ["fly.io", "example.org"]),
        ("version 1.2.3, foo.bar(), e.g. this", []),
        ("ask @ben.b about #Lisbon and #2024", ["@ben.b", "Lisbon"]),
        ("a colour of #fff0 and issue#7", ["fff0"]),
    ],
)
def test_signs_show_addresses_handles_and_tags(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_a_heading_names_what_stands_below_it() -> None:
    assert "Person-centered therapy" in names("Person-centered therapy\nis a form of psychotherapy")
    assert names("this is one line\nand another") == []
    assert "Hosts" in names("# Hosts\nstaging is up")


@given(st.text(max_size=300))
def test_any_text_can_be_read_and_every_key_is_its_folded_name(text: str) -> None:
    for mention in (*marked(plain(text)), *spans(plain(text))):
        assert mention.key == fold_name(mention.name)
        assert mention.name.strip()
