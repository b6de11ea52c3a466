"""Stop words: what does not rank, and what always does."""

from __future__ import annotations

import pytest

from comis_core.text import Analyser
from comis_core.text.stops import FUNCTION_WORDS


@pytest.mark.parametrize(
    ("question", "stems"),
    [
        ("What did Caroline do with the dog?", ["carolin", "dog"]),
        ("Where does she live?", ["live"]),
        ("Сколько лет Анне?", ["лет", "ан"]),
        ("متى سافر علي؟", ["سافر"]),
        ("¿Cuándo viaja?", ["viaja"]),
    ],
)
def test_function_and_question_words_do_not_rank(analyser: Analyser, question: str, stems: list[str]) -> None:
    found = analyser.stems(question)
    assert found[: len(stems)] == stems


def test_chinese_question_words_do_not_rank(analyser: Analyser) -> None:
    stems = analyser.stems("什么时候")
    assert "什么" not in stems
    assert "时候" in stems


@pytest.mark.parametrize("word", ["not", "no", "never", "without", "before", "after", "until", "since", "nor"])
def test_negation_and_order_in_time_rank(analyser: Analyser, word: str) -> None:
    assert len(analyser.stems(f"the {word} of")) == 1


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("german", "nicht kein keine ohne vor nach bis"),
        ("french", "ne pas sans avant après depuis"),
        ("spanish", "no nunca sin antes después hasta"),
        ("portuguese", "não sem antes depois até"),
        ("italian", "non senza prima dopo"),
        ("dutch", "niet geen zonder na sinds"),
        ("swedish", "inte utan före efter"),
        ("turkish", "değil yok önce sonra"),
        ("russian", "не нет ни без после перед"),
        ("greek", "δεν μην χωρίς πριν μετά"),
        ("arabic", "لا لم لن ليس بدون قبل بعد"),
        ("hindi", "नहीं न मत बिना पहले बाद"),
    ],
)
def test_no_language_lists_its_negation_or_order_in_time(language: str, words: str) -> None:
    assert not set(words.split()) & set(FUNCTION_WORDS[language].split())


@pytest.mark.parametrize("question", ["what is it", "to be or", "who", "Кто это", "क्या है", "什么"])
def test_a_question_of_nothing_but_stop_words_still_asks_for_them(analyser: Analyser, question: str) -> None:
    assert analyser.stems(question) == analyser.all_stems(question)
    assert analyser.stems(question) != []


def test_all_stems_answer_a_question_of_stop_words(analyser: Analyser) -> None:
    assert set(analyser.stems("what is it")) <= set(analyser.all_stems("I know what it is"))


def test_names_in_capitals_are_no_stop_words(analyser: Analyser) -> None:
    assert analyser.stems("moved to the US") == ["move", "us"]
    assert analyser.stems("moved with us") == ["move"]
    assert analyser.stems("the U.S. office") == ["us", "offic"]


def test_function_words_of_a_language_that_is_not_read_rank(analyser: Analyser) -> None:
    assert analyser.stems("die Würfel") == ["die", "wurfel"]
    assert Analyser("german").stems("die Würfel") == ["wurfel"]


def test_both_stemmers_of_a_language_know_its_stop_words() -> None:
    assert Analyser("porter").stems("the dog") == ["dog"]


@pytest.mark.parametrize("word", ["care", "cine", "come", "cum", "die", "dove", "hur", "kim", "one", "quanta", "vad"])
def test_question_words_of_other_languages_that_mean_something_in_english_rank(analyser: Analyser, word: str) -> None:
    assert len(analyser.stems(f"the {word}")) == 1
