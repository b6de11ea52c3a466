"""Known names are found wherever they stand, and only there."""

from __future__ import annotations

import pytest

from comis_core.text import fold_name
from comis_plugins.entities.alike import alike
from comis_plugins.entities.known import mentioned

KNOWN = frozenset(
    map(
        fold_name,
        (
            "Ana", "New York", "New York City", "Hope", "K8s", "C++", "@ben", "São Paulo", "dead letter", "May",
            "O'Brien", "北京", "成語しりとり", "アナ", "서울", "لشبونة", "लिस्बन", "ลิสบอน", "Москва", "exceptions",
        ),
    )
)  # fmt: skip


def found(text: str, *, asking: bool = False) -> list[str]:
    return [key for key, _ in mentioned(text, KNOWN.__contains__, asking=asking)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I met Ana there", ["ana"]),
        ("Ana's flat in New York City, not in New York.", ["ana", "new york city", "new york"]),
        ("in SAO PAULO with O’Brien".replace("’", "'"), ["sao paulo", "o'brien"]),
        ("a k8s cluster in C++ by @ben", ["k8s", "c++", "@ben"]),
        ("we were in Москва today", ["москва"]),
        ("我住在北京市中心", ["北京"]),
        ("今日は成語しりとりをした", ["成語しりとり"]),
        ("アナはバナナが好き", ["アナ"]),
        ("サッカーのアナウンサー", []),
        ("서울에서 만났다", ["서울"]),
        ("남서울에서", []),
        ("تسكن في لشبونة منذ الربيع", ["لشبونه"]),
        ("वह लिस्बन में रहती है", ["लिस्बन"]),
        ("อาศัยอยู่ที่ลิสบอนแล้ว", ["ลิสบอน"]),
    ],
)
def test_a_known_name_is_found_in_every_script(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text", ["anagrams", "banana", "the ana of it", "Anastasia", "Manhattan-Anaheim", "in May 2023", "I hope"]
)
def test_what_only_looks_like_a_known_name_is_none(text: str) -> None:
    assert found(text) == []


def test_a_name_that_is_a_common_word_counts_where_it_cannot_open_a_sentence() -> None:
    assert found("We saw Hope today") == ["hope"]
    assert found("Hope is all") == []


def test_questions_need_no_capitals_but_for_common_words() -> None:
    assert found("where does ana live, in new york?", asking=True) == ["ana", "new york"]
    assert found("i hope we may go", asking=True) == []
    assert found("what about dead letter messages and exceptions", asking=True) == ["dead letter", "exceptions"]
    assert found("what about dead letter messages and exceptions") == []


def test_a_name_comes_with_the_spelling_of_the_text() -> None:
    assert list(mentioned("in São Paulo's centre", KNOWN.__contains__)) == [("sao paulo", "São Paulo")]


SCOPE = frozenset({
    "san francisco",
    "johnson",
    "peterson",
    "alexandra",
    "katherine",
    "mississippi",
    "москвичка",
    "dana",
})


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("san fransisco", "san francisco"),
        ("misisssippi", "mississippi"),
        ("katharine", "katherine"),
        ("missisippi", "mississippi"),
        ("mississsippi", "mississippi"),
        ("san francsico", None),
        ("johnston", None),
        ("petersen", None),
        ("alexander", None),
        ("alexandro", None),
        ("dan", None),
        ("sandra", None),
        ("san francisco bay", None),
        ("new francisco", None),
        ("mississippi2", None),
    ],
)
def test_only_long_names_that_differ_within_are_one(name: str, other: str | None) -> None:
    assert alike(name, SCOPE.__contains__) == other
