"""Cited first, else shared words, else shared meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from comis_core.text import Analyser
from comis_plugins.feedback.attribution import LONGEST_ANSWER, overlap, used_memories

TEXTS = {"tea": "Ana drinks green tea every afternoon", "bees": "Bob keeps bees in his garden"}


class Embedder:
    """Two directions: texts about insects, and the others."""

    fingerprint = "two"
    dimensions = 2

    def embed(self, texts: Sequence[str], kind: str) -> Any:
        return np.array(
            [[1.0, 0.0] if "bees" in text or "insects" in text else [0.0, 1.0] for text in texts], np.float32
        )

    def windows(self, text: str) -> Sequence[str]:
        return [text]

    def available(self) -> bool:
        return True

    def confidence(self, text: str) -> float:
        return 1.0


def test_what_is_cited_was_used_and_nothing_else() -> None:
    assert used_memories("Ana drinks green tea", TEXTS, ["bees"], Analyser(), None) == {"bees"}


def test_a_citation_of_something_unknown_counts_for_nothing() -> None:
    assert used_memories("green tea in the afternoon", TEXTS, ["gone"], Analyser(), None) == {"tea"}


def test_shared_words_are_use() -> None:
    assert used_memories("She drinks green tea.", TEXTS, [], Analyser(), None) == {"tea"}


def test_an_answer_is_read_as_far_as_a_memory_may_be_long() -> None:
    filling = "nothing of it " * (LONGEST_ANSWER // 14)
    assert used_memories(f"green tea {filling}", TEXTS, [], Analyser(), None) == {"tea"}
    assert used_memories(f"{filling} more green tea", TEXTS, [], Analyser(), None) == set()


def test_an_answer_about_something_else_used_nothing() -> None:
    assert used_memories("The train leaves at nine.", TEXTS, [], Analyser(), None) == frozenset()


def test_shared_meaning_is_use_where_no_words_are_shared() -> None:
    assert used_memories("It is about insects.", TEXTS, [], Analyser(), Embedder()) == {"bees"}


@pytest.mark.parametrize("answer", ["", "   "])
def test_an_empty_answer_used_nothing(answer: str) -> None:
    assert used_memories(answer, TEXTS, [], Analyser(), Embedder()) == frozenset()


def test_overlap_is_the_share_of_the_memory() -> None:
    assert overlap(frozenset("abcd"), frozenset("ab")) == 0.5
    assert overlap(frozenset(), frozenset("ab")) == 0.0
