"""The named views of one analysis."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from comis_core.text import Analyser, Kind

TEXT = "Painting sunsets doesn't bore Ana; see om_x1, 用户身份 and 👍."


def test_every_method_gives_the_view_of_its_name(analyser: Analyser) -> None:
    analysis = analyser.analyse(TEXT)
    assert analyser.words(TEXT) == list(analysis.words)
    assert analyser.stems(TEXT) == list(analysis.stems)
    assert analyser.all_stems(TEXT) == list(analysis.all_stems)
    assert analyser.prefixes(TEXT) == list(analysis.prefixes)
    assert analyser.trigrams(TEXT) == list(analysis.trigrams)
    assert analyser.stem_count(TEXT) == analysis.stem_count
    assert analyser.shingles(TEXT) == analysis.shingles
    assert analyser.token_set(TEXT) == analysis.token_set
    assert analyser.topic_key(TEXT) == analysis.topic_key


def test_equal_texts_have_equal_analyses() -> None:
    assert Analyser().analyse(TEXT) == Analyser().analyse(TEXT)


def test_tokens_know_their_kind(analyser: Analyser) -> None:
    kinds = {token.word: token.kind for token in analyser.analyse("om_x1 测试 👍").tokens}
    assert kinds == {
        "om_x1": Kind.COMPOUND,
        "om": Kind.WORD,
        "x1": Kind.WORD,
        "测": Kind.CHARACTER,
        "测试": Kind.PAIR,
        "试": Kind.CHARACTER,
        "👍": Kind.SYMBOL,
    }


def test_stems_repeat_as_often_as_the_text(analyser: Analyser) -> None:
    assert analyser.stems("dog dogs and the Dog") == ["dog", "dog", "dog"]


def test_prefixes_are_five_characters_of_every_content_word(analyser: Analyser) -> None:
    assert analyser.prefixes("The paintings of Ana") == ["paint", "ana"]


def test_scripts_without_spaces_have_no_prefixes(analyser: Analyser) -> None:
    assert analyser.prefixes("用户身份") == []


def test_trigrams_mark_where_a_word_begins_and_ends(analyser: Analyser) -> None:
    assert analyser.trigrams("the cats") == ["^ca", "cat", "ats", "ts$"]
    assert analyser.trigrams("x") == ["^x$"]


def test_pairs_stand_for_trigrams_in_scripts_without_spaces(analyser: Analyser) -> None:
    assert analyser.trigrams("用户身份") == ["用户", "户身", "身份"]
    assert analyser.trigrams("猫") == ["猫"]


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("the dog barks", 2), ("state-of-the-art", 2), ("用户身份", 2), ("猫", 1), ("nice 👍", 2)],
)
def test_the_stem_count_is_in_content_words(analyser: Analyser, text: str, count: int) -> None:
    assert analyser.stem_count(text) == count


def test_shingles_are_stems_and_neighbouring_stems(analyser: Analyser) -> None:
    assert analyser.shingles("The dog chased cats") == {"dog", "chase", "cat", "dog chase", "chase cat"}


def test_the_token_set_keeps_stop_words_and_negation(analyser: Analyser) -> None:
    assert analyser.token_set("Ana is not in") == {"ana", "is", "not", "in"}


def test_the_topic_key_is_the_same_in_another_order(analyser: Analyser) -> None:
    assert analyser.topic_key("deploying the staging server") == analyser.topic_key("Server staging: deploy!")
    assert analyser.topic_key("部署服务器") != ()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda analyser: pickle.loads(pickle.dumps(analyser))])
def test_a_copy_analyses_alike(copied: Callable[[Analyser], Analyser]) -> None:
    analyser = Analyser("german")
    with analyser.remembering():
        analyser.analyse(TEXT)
        other = copied(analyser)
    assert other == analyser
    assert other.analyse(TEXT) == analyser.analyse(TEXT)


def test_within_a_block_a_text_is_analysed_once() -> None:
    analyser = Analyser()
    with analyser.remembering():
        first = analyser.analyse("Moving boxes")
        assert analyser.analyse("Moving boxes") is first


def test_after_the_block_nothing_is_remembered() -> None:
    analyser = Analyser()
    with analyser.remembering():
        first = analyser.analyse("Moving boxes")
    assert analyser.analyse("Moving boxes") is not first
    assert analyser.analyse("Moving boxes") == first


def test_an_inner_block_ends_without_ending_the_outer_one() -> None:
    analyser = Analyser()
    with analyser.remembering():
        first = analyser.analyse("Moving boxes")
        with analyser.remembering():
            assert analyser.analyse("Moving boxes") is first
        assert analyser.analyse("Moving boxes") is first


def test_another_thread_does_not_share_what_is_remembered() -> None:
    analyser = Analyser()
    with analyser.remembering(), ThreadPoolExecutor(1) as pool:
        first = analyser.analyse("Moving boxes")
        assert pool.submit(analyser.analyse, "Moving boxes").result() is not first


@pytest.mark.parametrize(("text", "has"), [("What did you do?", False), ("What about tea?", True), ("", False)])
def test_a_text_of_stop_words_alone_has_no_content(analyser: Analyser, text: str, has: bool) -> None:
    assert analyser.analyse(text).has_content is has
