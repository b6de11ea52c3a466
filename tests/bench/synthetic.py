"""Made-up memories and questions: words by Zipf's law, the same on every machine for a seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import attrs
import numpy as np

from comis_core.model import NewMemory

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSIONS = 384
"""As many as MiniLM has, and most small models."""
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SENDERS = ("ana", "ben")
TURNS = 30
"""Turns of one session."""

_SYLLABLES = [consonant + vowel for consonant in "bcdfghjklmnprstvz" for vowel in "aeiou"]
_TABLE = 8192


@attrs.frozen(eq=False)
class Language:
    """A vocabulary whose n-th word is said as often as 1 / n."""

    words: Sequence[str]
    edges: NDArray[np.float64]

    @classmethod
    def of(cls, size: int = 30_000) -> Language:
        """Words of one to four syllables, short ones the most frequent, as in speech."""
        random = np.random.default_rng(1)
        words: dict[str, None] = {}
        while len(words) < size:
            syllables = 1 + min(3, int(len(words) / 40) > 0) + int(random.integers(0, 3))
            words["".join(_SYLLABLES[place] for place in random.integers(0, len(_SYLLABLES), syllables))] = None
        weights = 1 / np.arange(1, size + 1)
        return cls(list(words), np.cumsum(weights) / weights.sum())

    def say(self, random: np.random.Generator, count: int) -> list[str]:
        """`count` words."""
        return [self.words[place] for place in np.searchsorted(self.edges, random.random(count))]

    def rare(self, random: np.random.Generator, count: int) -> list[str]:
        """`count` words beyond the two hundred most frequent."""
        floor = self.edges[199]
        drawn = floor + (1 - floor) * random.random(count)
        return [self.words[place] for place in np.searchsorted(self.edges, drawn)]


def memories(language: Language, count: int, seed: int) -> list[NewMemory]:
    """Turns of conversations: eight to thirty words, two speakers, sessions a day apart."""
    random = np.random.default_rng(seed)
    lengths = random.integers(8, 31, count)
    words = iter(language.say(random, int(lengths.sum())))
    start = NOW - timedelta(days=1 + count // TURNS)
    return [
        NewMemory(
            content=_sentence(words, int(length)),
            sender=SENDERS[number % 2],
            session=f"s{number // TURNS}",
            turn=number % TURNS,
            created_at=start + timedelta(days=number // TURNS, minutes=number % TURNS),
        )
        for number, length in enumerate(lengths)
    ]


def questions(language: Language, count: int, seed: int, *, words: int = 5) -> list[str]:
    """Questions of five words by Zipf's law: the hard case, for frequent words have long postings."""
    random = np.random.default_rng(seed)
    return [" ".join(language.say(random, words)) for _ in range(count)]


def mixed_questions(language: Language, count: int, seed: int) -> list[str]:
    """Questions as people ask them: three frequent words and three that mean something."""
    random = np.random.default_rng(seed)
    return [" ".join([*language.say(random, 3), *language.rare(random, 3)]) for _ in range(count)]


def batches(rows: Sequence[NewMemory], size: int = 1000) -> Iterator[Sequence[NewMemory]]:
    """`rows` in portions."""
    return (rows[start : start + size] for start in range(0, len(rows), size))


class RandomEmbedder:
    """Unit vectors that follow from a digest of the text: what embedding costs when it costs nothing."""

    fingerprint = f"bench-random-{DIMENSIONS}"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        table = np.random.default_rng(2).standard_normal((_TABLE, DIMENSIONS), np.float32)
        self._table = table / np.linalg.norm(table, axis=1, keepdims=True)

    def embed(self, texts: Sequence[str], kind: str) -> NDArray[np.float32]:
        """float32[len(texts), 256], unit length."""
        from zlib import crc32

        digests = np.fromiter((crc32(text.encode()) for text in texts), np.int64, len(texts))
        summed = self._table[digests % _TABLE] + self._table[digests // _TABLE % _TABLE]
        unit: NDArray[np.float32] = summed / np.linalg.norm(summed, axis=1, keepdims=True)
        return unit

    def windows(self, text: str) -> Sequence[str]:
        """The text itself."""
        return [text]

    def available(self) -> bool:
        """Always."""
        return True

    def confidence(self, text: str) -> float:
        """Certain."""
        return 1.0


def _sentence(words: Iterator[str], length: int) -> str:
    text = " ".join(next(words) for _ in range(length))
    return f"{text[0].upper()}{text[1:]}."
