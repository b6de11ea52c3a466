"""Scripts: one word however it is written, and words where there are no spaces."""

from __future__ import annotations

import unicodedata

import pytest

from comis_core.text import Analyser


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("café", "cafe\u0301"),
        ("café", "cafe"),
        ("ＣＡＦＥ １２３", "cafe 123"),
        ("ﬁnal oﬃce", "final office"),
        ("Straße", "STRASSE"),
        ("İstanbul", "istanbul"),
        ("ISTANBUL", "ıstanbul"),
        ("Łódź", "lodz"),
        ("Ærøskøbing", "aeroskobing"),
        ("Ёлка", "елка"),
        ("за́мок", "замок"),
        ("ΆΝΘΡΩΠΟΣ", "άνθρωπος"),
        ("الكِتَابُ", "الكتاب"),
        ("الكـــتاب", "الكتاب"),
        ("أحمد", "احمد"),
        ("ﻛﺘﺎﺏ", "كتاب"),
        ("שָׁלוֹם", "שלום"),
        ("ज़रूर", "जरूर"),
        ("हँसना", "हंसना"),
        ("१९४७", "1947"),
        ("١٩٩٥", "1995"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
    ],
)
def test_two_spellings_of_one_word_are_one_token(analyser: Analyser, written: str, asked: str) -> None:
    assert analyser.words(written) == analyser.words(asked)
    assert analyser.words(written) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("мой", "мои"),
        ("काला", "कल"),
        ("कर्म", "करम"),
        ("หมา", "หมี"),
        ("か", "が"),
        ("ড়", "ড"),
    ],
)
def test_marks_that_are_letters_tell_words_apart(analyser: Analyser, one: str, other: str) -> None:
    assert analyser.words(one) != analyser.words(other)


@pytest.mark.parametrize("word", ["नमस्ते", "தமிழ்", "বাংলা", "മലയാളം", "ქართული", "አማርኛ", "བོད"])
def test_a_word_with_combining_signs_stays_in_one_piece(analyser: Analyser, word: str) -> None:
    assert analyser.words(word) == [unicodedata.normalize("NFKC", word)]


def test_an_unspaced_run_becomes_characters_and_overlapping_pairs(analyser: Analyser) -> None:
    assert analyser.words("用户身份") == ["用", "用户", "户", "户身", "身", "身份", "份"]


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("今日は成語しりとり", "しりとり"),
        ("系统记录了用户身份信息", "用户身份"),
        ("我住在北京", "北京"),
        ("昨日カラオケに行った", "カラオケ"),
        ("서울에서 만났어요", "서울"),
        ("แมวของฉันชื่อมะลิ", "แมว"),
        ("ຂ້ອຍຮັກລາວ", "ລາວ"),
        ("ខ្ញុំស្រឡាញ់ភ្នំពេញ", "ភ្នំពេញ"),
        ("ကျွန်တော်ရန်ကုန်မှာနေတယ်", "ရန်ကုန်"),
    ],
)
def test_a_word_inside_an_unspaced_run_is_found(analyser: Analyser, stored: str, asked: str) -> None:
    asked_for = set(analyser.stems(asked))
    assert asked_for
    assert asked_for <= set(analyser.all_stems(stored))


def test_south_east_asian_vowel_signs_stay_with_their_consonant(analyser: Analyser) -> None:
    assert analyser.words("เมีย") == ["เมี", "เมีย", "ย"]
    assert analyser.words("ក្រុង") == ["ក្រុ", "ក្រុង", "ង"]


def test_scripts_part_where_they_meet(analyser: Analyser) -> None:
    assert analyser.words("om_x1 测试") == ["om_x1", "om", "x1", "测", "测试", "试"]
    assert analyser.words("om_x1测试") == analyser.words("om_x1 测试")
    assert analyser.words("308分") == ["308", "分"]


def test_one_character_alone_is_found_as_it_is_in_a_run(analyser: Analyser) -> None:
    assert set(analyser.stems("猫")) <= set(analyser.stems("黑猫"))


def test_capital_i_is_dotless_in_turkish_alone() -> None:
    assert Analyser("turkish").words("IŞIK")[0] == Analyser("turkish").words("ışık")[0]
    assert Analyser("turkish").words("İzmir") == ["izmir"]
