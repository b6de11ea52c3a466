"""Terms: how a token of a text becomes a number, in each of the three sub-lanes.

A term is the hash of a token, so no token stands in the table and nothing is left of one when its row goes. Stems have
38 bits: among a million different ones a word that was never said is taken for another once in 270,000. Prefixes and
trigrams, of little weight each, have 26 and 32.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TypeVar

import attrs

from comis_core.model.shown import Compared, Shown
from comis_core.text import Kind, Token

K = TypeVar("K")
V = TypeVar("V")

WIDTH = 38
"""Bits of a term without its sub-lane's number, which stands above them."""

_REMEMBERED = 32_768
"""Words, and trigrams, whose terms are kept; both start anew when they are full."""

_CHARACTER = Kind.CHARACTER


@attrs.frozen(repr=False)
class SubLane(Shown):
    """One way to cut a text into terms, and how they lie in the table.

    number: place among the sub-lanes. dtype: a word of the table, hash << count_bits | occurrences; without count_bits
    a token counts once, however often a text has it.
    """

    name: str
    number: int
    dtype: str
    hash_bits: int
    count_bits: int
    size: int = attrs.field(init=False)
    """Bytes of a word."""

    @size.default
    def _size_of_dtype(self) -> int:
        return int(self.dtype[-1])

    @property
    def code(self) -> str:
        """A word of the table in the language of `struct`."""
        return "Q" if self.size == 8 else "I"

    @property
    def base(self) -> int:
        """What is added to a hash to make it a term."""
        return self.number << WIDTH

    def hash(self, token: str) -> int:
        """The token's hash in `hash_bits` bits; the same in every process and version."""
        digest = hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "little") >> (64 - self.hash_bits)


STEMS = SubLane("stems", 0, "<u8", WIDTH, 16)
PREFIXES = SubLane("prefixes", 1, "<u4", 26, 6)
TRIGRAMS = SubLane("trigrams", 2, "<u4", 32, 0)
SUB_LANES = (STEMS, PREFIXES, TRIGRAMS)


@attrs.frozen(eq=False, repr=False)
class Grams(Compared):
    """The hashes of one token, as little-endian numbers in the sub-lane's width.

    counted: whether the token makes the text longer; stop words and second ways to write a date do not.
    """

    stems: bytes
    prefixes: bytes = b""
    trigrams: bytes = b""
    counted: bool = True


class Speller:
    """Turns tokens into hashes and remembers those of recent words. Safe for many threads."""

    def __init__(self) -> None:
        self._words: dict[tuple[str, str], Grams] = {}
        self._characters: dict[str, Grams] = {}
        self._stops: dict[str, Grams] = {}
        self._trigrams: dict[str, bytes] = {}

    def read(self, tokens: Iterable[Token]) -> list[Grams]:
        """The hashes of each token; a stop word has one that only questions of nothing but stop words ask for."""
        grams = []
        for token in tokens:
            if token.stop:
                found = self._stops.get(token.stem) or self._stop(token.stem)
            elif token.kind is _CHARACTER:
                found = self._characters.get(token.stem) or self._character(token.stem)
            else:
                found = self._words.get((token.word, token.stem)) or self._word(token)
            grams.append(found)
        return grams

    def uncounted(self, tokens: Iterable[Token]) -> list[Grams]:
        """The stems of further tokens that lead to a text without making it longer."""
        return [Grams(_number(STEMS, token.stem), counted=False) for token in tokens]

    def _word(self, token: Token) -> Grams:
        grams = Grams(
            _number(STEMS, token.stem),
            b"".join([_number(PREFIXES, prefix) for prefix in token.prefixes]),
            b"".join([self._trigrams.get(trigram) or self._trigram(trigram) for trigram in token.trigrams]),
        )
        return _kept(self._words, (token.word, token.stem), grams)

    def _character(self, stem: str) -> Grams:
        return _kept(self._characters, stem, Grams(_number(STEMS, stem)))

    def _stop(self, stem: str) -> Grams:
        # No token holds a space, so this one is its own.
        return _kept(self._stops, stem, Grams(_number(STEMS, f" {stem}"), counted=False))

    def _trigram(self, trigram: str) -> bytes:
        return _kept(self._trigrams, trigram, _number(TRIGRAMS, trigram))


def counted(grams: Sequence[Grams]) -> int:
    """How many of the tokens make the text longer."""
    return sum([each.counted for each in grams])


def _number(lane: SubLane, token: str) -> bytes:
    return lane.hash(token).to_bytes(lane.size, "little")


def _kept(memory: dict[K, V], key: K, value: V) -> V:
    if len(memory) >= _REMEMBERED:
        memory.clear()
    memory[key] = value
    return value
