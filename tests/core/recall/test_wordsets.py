"""Words of memories, read once a version."""

from __future__ import annotations

from collections.abc import Sequence

from comis_core.recall.wordsets import WordSets, in_order
from comis_core.text import Analyser, similarity

TEXTS = {1: "tea at four", 2: "Tea, at FOUR!", 3: "bees in summer"}


def sets(ids: Sequence[int], asked: list[int], words: WordSets[frozenset[int]]) -> list[frozenset[int]]:
    def texts(missing: Sequence[int]) -> list[str]:
        asked.extend(missing)
        return [TEXTS[pk] for pk in missing]

    return words.of(ids, texts)


def test_each_version_is_read_once() -> None:
    words, asked = WordSets(Analyser().token_set, frozenset), []
    first = sets([3, 1], asked, words)
    again = sets([1, 2, 3], asked, words)
    assert asked == [3, 1, 2]
    assert [again[2], again[0]] == first


def test_equal_words_are_equal_sets_and_others_are_not() -> None:
    one, same, other = sets([1, 2, 3], [], WordSets(Analyser().token_set, frozenset))
    assert similarity(one, same) == 1.0
    assert similarity(one, other) == 0.0


def test_nothing_of_the_text_is_kept() -> None:
    words = WordSets(Analyser().token_set, frozenset)
    sets([1, 2, 3], [], words)
    assert all(isinstance(word, int) for known in words._known.values() for word in known)


def test_words_in_order_are_each_there_once() -> None:
    words = WordSets(lambda text: text.split(), in_order)
    (tokens,) = words.of([1], lambda missing: ["tea at four at tea"])
    assert tokens.tolist() == sorted({hash("tea"), hash("at"), hash("four")})
