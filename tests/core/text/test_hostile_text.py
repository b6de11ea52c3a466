"""Texts made to break an analyser: it reads them, and what it makes of them stays in proportion."""

from __future__ import annotations

import pytest

from comis_core.text import Analyser
from comis_core.text import lexicon as lexicon_module

SIZE = 100_000


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "word ",
        "aA",
        "a-",
        "a.b.",
        "ab/cd.",
        "a'",
        "A.",
        "123,",
        "_",
        ":/",
        "n't",
        "字",
        "한",
        "เ",
        "ក្",
        "ที่",
        "\u0301\u0316",
        "\u094d",
        "👩‍💻",
        "🇵🇹",
        "\u200d",
        "\ud800",
        "\x00",
        '"',
        "ﷺ",
    ],
)
def test_a_hundred_kilobytes_of_anything_are_read(analyser: Analyser, unit: str) -> None:
    text = (unit * SIZE)[:SIZE]
    analysis = analyser.analyse("x " + text + " zebra")
    assert analysis.words[0] == "x"
    assert analysis.words[-1] == "zebra"
    assert max(map(len, analysis.words)) <= 128
    assert len(analysis.trigrams) <= 20 * SIZE


def test_what_the_analyser_remembers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicon_module, "_REMEMBERED_PIECES", 100)
    lexicon = lexicon_module.Lexicon("english")
    for number in range(1000):
        assert lexicon[f"word{number}"][0].word == f"word{number}"
    assert len(lexicon) <= 100


def test_long_pieces_are_not_remembered() -> None:
    lexicon = lexicon_module.Lexicon("english")
    assert lexicon["x" * 1000][0].word.startswith("xxx")
    assert len(lexicon) == 0
