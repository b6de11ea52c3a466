"""Texts that say when, in several languages, and texts that do not."""

from __future__ import annotations

import pytest

from comis_core.text.dates import has_time_expression

DATED = [
    # English
    "See you tomorrow", "last week was hard", "two years ago", "I moved in March", "in May we went", "May 5 is fine",
    "the 7th of the month", "on 2023-05-08", "2023-05-08T10:00", "8/5/2023", "08.05.23", "back in 1987", "at 14:30",
    "around 3 pm", "at 10 a.m.", "every Friday", "next summer", "3 days", "the day before", "Sept. 3", "12 Oct",
    "YESTERDAY!", "since late May",
    # German, French, Spanish
    "vorgestern war es kalt", "nächste Woche", "im März", "am Dienstag", "um 15 Uhr", "vor zwei Jahren", "übermorgen",
    "je l'ai vu hier", "il y a deux ans", "l'année dernière", "en février", "aujourd’hui", "à 14h30", "dimanche",
    "ayer fui al mar", "la próxima semana", "el 3 de mayo", "en diciembre", "hace dos años", "el miércoles",
    # Russian
    "вчера было холодно", "на прошлой неделе", "в марте", "два года назад", "в пятницу", "вчера́",
    # Chinese, Japanese
    "我昨天去了", "去年三月", "下个星期", "２０２３年５月", "两天以后", "周五见", "上午开会", "昨晚下雨", "下週見",
    "昨日行きました", "来週の金曜日", "午後に会う", "きのう食べた", "三時に", "先月まで",
    # Arabic
    "رأيته أمس", "الأسبوع الماضي", "في مارس", "قبل سنتين", "يوم الجمعة", "بالأمس", "عام ٢٠٢٣",
    # Hindi
    "मैं कल गया था", "पिछले हफ़्ते", "मार्च में", "सोमवार को", "दो साल पहले", "शाम को", "सन् २०२३ में",
]  # fmt: skip

UNDATED = [
    "I like cats", "You may go", "It may be so", "Sonne und Strand", "version 1.2.3", "Python 3.11", "3.50 dollars",
    "12 apples", "call 555-0199", "192.168.10.12", "the sun and the moon", "mon ami", "mes amis", "a number 123456",
    "Ich mag Katzen", "j'aime les chats", "me gustan los gatos", "я люблю кошек", "我喜欢猫", "用户身份",
    "猫が好きです", "أحب القطط", "मुझे बिल्लियाँ पसंद हैं", "", "   ", "?!", "😊", "x", "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("text", DATED)
def test_a_time_expression_is_seen(text: str) -> None:
    assert has_time_expression(text)


@pytest.mark.parametrize("text", UNDATED)
def test_other_texts_say_nothing_of_time(text: str) -> None:
    assert not has_time_expression(text)


def test_a_long_text_is_read_to_its_end() -> None:
    assert has_time_expression("lorem ipsum dolor " * 3000 + "tomorrow")
    assert not has_time_expression("lorem ipsum dolor " * 3000)
