"""How much of a text a tokenizer sees, for vocabularies of several kinds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from comis_core.text.sight import HAN_PROBE, MULTILINGUAL, Sight

ENGLISH = {"the", "cat", "sat", "on", "mat", "a", "un", "##seen", "##s"}


def pieces_of(vocabulary: set[str]) -> object:
    """Greedy word pieces over a vocabulary; Han characters are words of their own, as in BERT."""

    def pieces(text: str) -> Sequence[str | None]:
        spaced = "".join(f" {sign} " if "\u4e00" <= sign <= "\u9fff" or sign in ".,!?" else sign for sign in text)
        found: list[str | None] = []
        for word in spaced.split():
            rest, own = word, list[str | None]()
            while rest:
                mark = "##" if own else ""
                length = next((n for n in range(len(rest), 0, -1) if mark + rest[:n] in vocabulary), 0)
                if not length:
                    own = [None]
                    break
                own.append(mark + rest[:length])
                rest = rest[length:]
            found += own
        return found

    return pieces


def sight(vocabulary: set[str], size: int = 30_000) -> Sight:
    return Sight(pieces_of(vocabulary), size)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the cat sat", 1.0),
        ("unseens mat", (2 - 4 / 2) / 0.75),
        ("unseen the cat sat", 1.0),  # 5 pieces for 4 words
        ("unseen mat", (2 - 3 / 2) / 0.75),
        ("the zebra", 0.0),  # one known, one unknown: (1 + 4) / 2
        ("北京", 0.0),
        ("...", 0.0),
        ("", 0.0),
    ],
)
def test_confidence_falls_with_pieces_and_unknown_pieces_a_word(text: str, expected: float) -> None:
    assert sight(ENGLISH).confidence(text) == pytest.approx(expected)


def test_a_multilingual_vocabulary_is_judged_by_its_unknown_pieces_alone() -> None:
    seen = sight(ENGLISH, MULTILINGUAL)
    assert seen.confidence("unseens unseens") == 1.0
    assert seen.confidence("the cat sat on the mat a a a zebra") == pytest.approx(1 - 4 / 10)


def test_a_vocabulary_made_for_han_counts_every_character_as_a_word() -> None:
    seen = sight({*ENGLISH, *HAN_PROBE, "北", "京"})
    assert seen.confidence("北京在中国") == 1.0
    assert seen.confidence("龘鱻") == 0.0


def test_a_vocabulary_with_some_han_characters_is_not_made_for_them() -> None:
    seen = sight({*ENGLISH, *HAN_PROBE[:40], "北", "京"})
    assert seen.confidence("北京") == pytest.approx(0.0)
