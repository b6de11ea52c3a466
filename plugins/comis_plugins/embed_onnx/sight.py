"""How much of a text a model sees, judged by its tokenizer alone.

phi = clip((2 - f) / 0.75, 0, 1), f = (word pieces + 4 x unknown pieces) / words: about 1.05 for English under an
English vocabulary, 2 to 6 where the model is blind. Two kinds of vocabulary need other units. A multilingual one splits
more words and knows nearly every character, so only unknown pieces count against it. One that holds common Han
characters as pieces was made for them: there a character is a word.
"""

from __future__ import annotations

from typing import Any

import regex

BLIND, SPAN = 2.0, 0.75
"""Pieces a word at which the model sees nothing, and over which it goes from there to everything."""
UNKNOWN_COST = 4
MULTILINGUAL = 100_000
"""Pieces from which on a vocabulary is multilingual; English ones have 30,000 to 50,000."""
HAN_PROBE = "的是不了人在有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
WORDS = regex.compile(r"[\p{L}\p{M}\p{N}]+")
UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
BYTE = regex.compile(r"<0x[0-9A-F]{2}>")


class Sight:
    """Confidence of one tokenizer in a text."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._multilingual = tokenizer.get_vocab_size() >= MULTILINGUAL
        self._reads_han = all(self._known(character) for character in HAN_PROBE)
        self._unknown = _unknown_token(tokenizer)

    def _known(self, character: str) -> bool:
        return any(self._tokenizer.token_to_id(form) is not None for form in (character, f"\u2581{character}"))

    def confidence(self, text: str) -> float:
        """0..1; 0 for a text without letters or digits."""
        words = self._words(text)
        if not words:
            return 0.0
        tokens = self._tokenizer.encode(text, add_special_tokens=False).tokens
        unknown = sum(1 for token in tokens if self._is_unknown(token))
        known = sum(1 for token in tokens if WORDS.search(token) and not self._is_unknown(token))
        if self._multilingual:
            return max(0.0, 1.0 - UNKNOWN_COST * unknown / max(1, known + unknown))
        return min(1.0, max(0.0, (BLIND - (known + UNKNOWN_COST * unknown) / words) / SPAN))

    def _is_unknown(self, token: str) -> bool:
        return token == self._unknown or BYTE.fullmatch(token) is not None

    def _words(self, text: str) -> int:
        """Runs of letters, marks and digits; under a vocabulary that reads Han every such character by itself."""
        if not self._reads_han:
            return len(WORDS.findall(text))
        return len(UNSPACED.findall(text)) + len(WORDS.findall(UNSPACED.sub(" ", text)))


def _unknown_token(tokenizer: Any) -> str | None:
    """The piece that stands for anything outside the vocabulary."""
    return next((token for token in ("[UNK]", "<unk>") if tokenizer.token_to_id(token) is not None), None)
