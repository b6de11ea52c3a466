"""The one analyser of the project: the same text gives the same tokens, for whoever writes and whoever asks."""

from __future__ import annotations

import functools
import hashlib
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

import attrs
import Stemmer

from comis_core.text.analysis import Analysis, Token
from comis_core.text.folding import prepare
from comis_core.text.lexicon import Lexicon, Words
from comis_core.text.scanning import classification, pieces
from comis_core.text.similarity import fingerprint
from comis_core.text.stemming import canonical_language

# Raise this when the same text gives other tokens than before, so that indexes are built again.
_VERSION = 2

_MOST_REMEMBERED = 250_000
"""Characters of one block's texts that are remembered; an analysis takes some 80 bytes a character."""


class _Here(threading.local):
    """What is known in one thread: text -> its analysis, within a block that asks for it."""

    known: dict[str, Analysis] | None = None
    characters: int = 0


@functools.cache
def _fingerprint_id(language: str) -> str:
    behaviour = hashlib.blake2b(classification(), digest_size=4)
    behaviour.update(f"{Stemmer.version()} {unicodedata.unidata_version}".encode())
    return f"{_VERSION}-{language}-{behaviour.hexdigest()}"


@attrs.frozen
class Analyser:
    """Reads texts in one language, and what is written in other scripts in the default language of each.

    `language` is a Snowball name or an ISO 639 code and stands for its own script (Latin for most); a language without
    a stemmer is a ValueError. All views are pure functions of the text, take any str (also one that cannot be stored),
    never raise, and take time linear in its length. One analyser may be used by any number of threads.
    """

    language: str = attrs.field(default="english", converter=canonical_language)
    _lexicon: Lexicon = attrs.field(init=False, eq=False, repr=False)
    _words: Words = attrs.field(init=False, eq=False, repr=False)
    _here: _Here = attrs.field(init=False, eq=False, repr=False, factory=_Here)

    @_lexicon.default
    def _new_lexicon(self) -> Lexicon:
        return Lexicon(self.language)

    @_words.default
    def _new_words(self) -> Words:
        return Words(self._lexicon)

    def __reduce__(self) -> tuple[type[Analyser], tuple[str]]:
        """A copy, in this process or another, is an analyser of the same language; it has read nothing yet."""
        return Analyser, (self.language,)

    @property
    def fingerprint_id(self) -> str:
        """A short name for this analyser's behaviour: another one means that stored tokens must be made again.

        It covers the rules, the language, and the versions of Snowball and of the Unicode data in use.
        """
        return _fingerprint_id(self.language)

    def analyse(self, text: str) -> Analysis:
        """Read `text` once, for several views of it."""
        known = self._here.known
        if known is None:
            return self._read(text)
        analysis = known.get(text)
        if analysis is None:
            analysis = self._read(text)
            self._here.characters += len(text)
            if self._here.characters <= _MOST_REMEMBERED:
                known[text] = analysis
        return analysis

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """Within the block, what this thread analyses is analysed once; nothing is kept after it.

        A batch is read by every index, and a question by most lanes.
        """
        former = self._here.known
        if former is None:
            self._here.known, self._here.characters = {}, 0
        try:
            yield
        finally:
            self._here.known = former

    def _read(self, text: str) -> Analysis:
        tokens: list[Token] = []
        for piece in pieces(prepare(text)):
            tokens += self._lexicon[piece]
        return Analysis(tuple(tokens))

    def words(self, text: str) -> list[str]:
        """Every token, normalised and not stemmed; see `Analysis.words`."""
        return list(self.analyse(text).words)

    def stems(self, text: str) -> list[str]:
        """The stems of all but stop words, or of every word if there is nothing else; see `Analysis.stems`."""
        return list(self.analyse(text).stems)

    def all_stems(self, text: str) -> list[str]:
        """The stems of every token, stop words too; see `Analysis.all_stems`."""
        return list(self.analyse(text).all_stems)

    def prefixes(self, text: str) -> list[str]:
        """The first five characters of every content word; see `Analysis.prefixes`."""
        return list(self.analyse(text).prefixes)

    def trigrams(self, text: str) -> list[str]:
        """Character trigrams of every content word, its ends marked; see `Analysis.trigrams`."""
        return list(self.analyse(text).trigrams)

    def stem_count(self, text: str) -> int:
        """How much the text says, in content words; see `Analysis.stem_count`."""
        return self.analyse(text).stem_count

    def shingles(self, text: str) -> frozenset[str]:
        """Stems and pairs of neighbouring stems; see `Analysis.shingles`."""
        return self.analyse(text).shingles

    def token_set(self, text: str) -> frozenset[str]:
        """The distinct words; see `Analysis.token_set`."""
        return frozenset(chain.from_iterable(map(self._words.__getitem__, pieces(prepare(text)))))

    def topic_key(self, text: str) -> tuple[str, ...]:
        """The distinct stems, sorted; see `Analysis.topic_key`."""
        return self.analyse(text).topic_key

    def fingerprint(self, text: str) -> bytes:
        """16 bytes that tell whether two texts are the same but for case and white space; see `fingerprint`."""
        return fingerprint(text)
