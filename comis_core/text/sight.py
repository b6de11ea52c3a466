"""How much of a text a model sees, judged by its word pieces alone.

phi = clip((2 - f) / 0.75, 0, 1), f = (word pieces + 4 x unknown pieces) / words: about 1.05 for English under an
English vocabulary, 2 to 6 where the model is blind. Two kinds of vocabulary need other units. A multilingual one splits
more words and knows nearly every character, so only unknown pieces count against it. One that holds common Han
characters as pieces was made for them: there a character is a word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import regex

BLIND, SPAN = 2.0, 0.75
"""Pieces a word at which the model sees nothing, and over which it goes from there to everything."""
UNKNOWN_COST = 4
MULTILINGUAL = 100_000
"""Pieces from which on a vocabulary is multilingual; English ones have 30,000 to 50,000."""
HAN_PROBE = "的是不了人在有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
WORDS = regex.compile(r"[\p{L}\p{M}\p{N}]+")
UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
MARKS = "\u2581#"
"""What vocabularies put before a piece to say where in a word it stands."""


class Sight:
    """Confidence of one tokenizer in a text.

    Args:
        pieces: the word pieces of a text as the vocabulary writes them, without markers of beginning and end; None for
            a piece that stands for what the vocabulary does not know: the unknown one, a raw byte.
        vocabulary: how many pieces the vocabulary has.
    """

    def __init__(self, pieces: Callable[[str], Sequence[str | None]], vocabulary: int) -> None:
        self._pieces = pieces
        self._multilingual = vocabulary >= MULTILINGUAL
        self._reads_han = all(self._is_one_piece(character) for character in HAN_PROBE)

    def confidence(self, text: str) -> float:
        """0..1; 0 for a text without letters or digits."""
        words = self._words(text)
        if not words:
            return 0.0
        pieces = self._pieces(text)
        unknown = sum(1 for piece in pieces if piece is None)
        known = sum(1 for piece in pieces if piece is not None and WORDS.search(piece))
        if self._multilingual:
            return max(0.0, 1.0 - UNKNOWN_COST * unknown / max(1, known + unknown))
        return min(1.0, max(0.0, (BLIND - (known + UNKNOWN_COST * unknown) / words) / SPAN))

    def _is_one_piece(self, character: str) -> bool:
        pieces = [piece for piece in self._pieces(character) if piece is None or piece.strip(MARKS)]
        return len(pieces) == 1 and pieces[0] is not None

    def _words(self, text: str) -> int:
        """Runs of letters, marks and digits; under a vocabulary that reads Han every such character by itself."""
        if not self._reads_han:
            return len(WORDS.findall(text))
        return len(UNSPACED.findall(text)) + len(WORDS.findall(UNSPACED.sub(" ", text)))
