"""The analysis of one text: its tokens, and the named views that lanes, dedup, attribution and topics read."""

from __future__ import annotations

import enum
from functools import cached_property
from itertools import chain, pairwise

import attrs

# Where a word begins and ends, in a trigram: no token of a text holds these signs.
_BEGIN, _END = "^", "$"
_PREFIX_LENGTH = 5
_TRIGRAM_LENGTH = 3


class Kind(enum.Enum):
    """What a token is, as far as the views treat it differently."""

    WORD = enum.auto()
    """A word, a number, an acronym: nothing smaller follows from it."""
    COMPOUND = enum.auto()
    """An identifier, path or hyphenated word as a whole; its parts follow as tokens of their own."""
    CHARACTER = enum.auto()
    """One character (or written syllable) of a script without spaces, in a run of several."""
    PAIR = enum.auto()
    """Two neighbouring characters of a script without spaces, or the only one of its run."""
    SYMBOL = enum.auto()
    """An emoji."""


# An enum looks its members up, and these are asked for with every token.
_WORD, _COMPOUND, _CHARACTER, _PAIR, _SYMBOL = Kind
_SEQUENTIAL = (_WORD, _PAIR, _SYMBOL)


@attrs.frozen
class Token:
    """One token of a text. `word` and `stem` are non-empty and hold no white space."""

    word: str
    stem: str
    kind: Kind
    stop: bool = False

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Its first five characters, if it is spelt; scripts without spaces have none, for pairs are no shorter."""
        return (self.word[:_PREFIX_LENGTH],) if self._spelt else ()

    @property
    def trigrams(self) -> tuple[str, ...]:
        """Its character trigrams, its ends marked ^ and $; a pair or an emoji stands for itself."""
        if self._spelt:
            marked = f"{_BEGIN}{self.word}{_END}"
            return tuple([marked[start : start + _TRIGRAM_LENGTH] for start in range(len(marked) - 2)])
        return () if self.kind is _CHARACTER else (self.word,)

    @property
    def _spelt(self) -> bool:
        return self.kind is _WORD or self.kind is _COMPOUND


@attrs.frozen(slots=False)  # in slots, a cached property costs ten times as much
class Analysis:
    """The tokens of one text, in reading order, and the views of them, each computed once when first asked for.

    Equal texts have equal analyses. Tokens repeat as often as the text repeats them.
    """

    tokens: tuple[Token, ...]

    @cached_property
    def content(self) -> tuple[Token, ...]:
        """The tokens that say what the text is about: all but stop words, or every token if there are only those."""
        return tuple([token for token in self.tokens if not token.stop]) or self.tokens

    @property
    def has_content(self) -> bool:
        """Whether there is any token that is no stop word."""
        return any(not token.stop for token in self.tokens)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every token, normalised and not stemmed."""
        return tuple(token.word for token in self.tokens)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The stems of the content: what a query asks for."""
        return tuple(token.stem for token in self.content)

    @cached_property
    def all_stems(self) -> tuple[str, ...]:
        """The stems of every token, stop words too: an index of these answers a query of nothing but stop words."""
        return tuple(token.stem for token in self.tokens)

    @cached_property
    def prefixes(self) -> tuple[str, ...]:
        """The first five characters of every content word; see `Token.prefixes`."""
        return tuple(chain.from_iterable([token.prefixes for token in self.content]))

    @cached_property
    def trigrams(self) -> tuple[str, ...]:
        """Character trigrams of every content word, its ends marked ^ and $; see `Token.trigrams`."""
        return tuple(chain.from_iterable([token.trigrams for token in self.content]))

    @property
    def stem_count(self) -> int:
        """How much the text says, in content words.

        A compound counts by its parts, a run of a script without spaces as one word for every two pairs.
        """
        kinds = [token.kind for token in self.tokens if not token.stop] or [token.kind for token in self.tokens]
        words = kinds.count(_WORD)
        return words if words == len(kinds) else words + kinds.count(_SYMBOL) + (kinds.count(_PAIR) + 1) // 2

    @cached_property
    def shingles(self) -> frozenset[str]:
        """The stems of the content and each two that follow one another (joined by a space), for measuring overlap."""
        sequence = [token.stem for token in self.content if token.kind in _SEQUENTIAL]
        return frozenset(sequence).union(map(" ".join, pairwise(sequence)))

    @cached_property
    def token_set(self) -> frozenset[str]:
        """The distinct words, stop words included: what dedup compares."""
        return frozenset(self.words)

    @cached_property
    def topic_key(self) -> tuple[str, ...]:
        """The distinct stems of the content, sorted: the same for texts about the same thing in another order."""
        return tuple(sorted(set(self.stems)))
