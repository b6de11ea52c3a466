"""The lexicon: what each piece of a text means in one language, read once and remembered."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from types import MappingProxyType

import regex

from comis_core.text.analysis import Kind, Token
from comis_core.text.folding import casefold, fold
from comis_core.text.scanning import EMOJI_JOINER, characters, is_emoji, is_run, parts, simple_form
from comis_core.text.stemming import ENGLISH, script_languages, script_of, stem
from comis_core.text.stops import FUNCTION_WORDS, NAMES_IN_CAPITALS, QUESTION_WORDS

# A longer word is data (base64, a key): its head finds it, and no token grows with the text.
_LONGEST_WORD = 64
_LONGEST_COMPOUND = 128

# Some 10 MB when full. Zipf's law sees to it that the pieces that matter come back at once after it was emptied.
_REMEMBERED_PIECES = 32_768

# Stemmers of the same language: what holds for it holds under either.
_OTHER_STEMMERS = MappingProxyType({"porter": "english", "dutch_porter": "dutch"})
_UNCLIPPED = MappingProxyType({"ca": "can", "wo": "will", "sha": "shall", "ai": "is"})


@functools.cache
def _english_clitic() -> regex.Pattern[str]:
    return regex.compile(r"(?i)(.+?)(n't|'(?:s|m|re|ve|ll|d))")


@functools.cache
def _letters() -> regex.Pattern[str]:
    return regex.compile(r"[\p{L}\p{M}]+")


def _is_plain(piece: str) -> bool:
    """Whether `piece` can only be one word: most are, and need not be tried against every other form."""
    return piece.isascii() and piece.isalpha() and piece[1:].islower() and piece.casefold() != "cannot"


def stop_words(languages: Mapping[str, str]) -> frozenset[str]:
    """The stop words that count when `languages` (by script) are read: as written, and folded where that is safe.

    Accents tell a foreign question word from a word of the language read (Vietnamese gì, Spanish qué), so question
    words in Latin script are not folded; words of the languages read and of other scripts are.
    """
    names = [_OTHER_STEMMERS.get(language, language) for language in languages.values()]
    read = frozenset(word for name in names for word in FUNCTION_WORDS.get(name, "").split())
    asked = frozenset(word for words in QUESTION_WORDS.values() for word in words.split())
    folded = {fold(casefold(word)) for word in read | {word for word in asked if script_of(word) != "Latin"}}
    return read | asked | folded


class Words(dict[str, tuple[str, ...]]):
    """A mapping from every possible piece to its words, for who wants nothing else; as bounded as the lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__()
        self._lexicon = lexicon

    def __missing__(self, piece: str) -> tuple[str, ...]:
        words = tuple(token.word for token in self._lexicon[piece])
        if piece in self._lexicon:
            if len(self) >= _REMEMBERED_PIECES:
                self.clear()
            self[piece] = words
        return words


class Lexicon(dict[str, tuple[Token, ...]]):
    """A mapping from every possible piece of prepared text to its tokens, which fills itself and stays bounded.

    Safe under many threads: a value depends on its key alone, so the worst that two threads do is read a piece twice.
    """

    def __init__(self, language: str) -> None:
        """Read in `language`, a Snowball name; other scripts are read in their default language."""
        super().__init__()
        self._language = language
        self._languages = script_languages(language)
        self._stop_words = stop_words(self._languages)

    def __missing__(self, piece: str) -> tuple[Token, ...]:
        if _is_plain(piece):
            tokens = tuple(self._read_word(piece))
        elif is_run(piece):  # rarely seen twice
            return tuple(self._read_run(piece))
        else:
            tokens = tuple(self._read_emoji(piece) if is_emoji(piece) else self._read_spelt(piece))
        if len(piece) <= _LONGEST_WORD:
            if len(self) >= _REMEMBERED_PIECES:
                self.clear()
            self[piece] = tokens
        return tokens

    def _read_run(self, run: str) -> Iterator[Token]:
        units = characters(run)
        if len(units) == 1:
            yield self._gram(units[0], Kind.PAIR)
            return
        for position, unit in enumerate(units):
            if position:
                yield self._gram(units[position - 1] + unit, Kind.PAIR)
            yield self._gram(unit, Kind.CHARACTER)

    def _gram(self, gram: str, kind: Kind) -> Token:
        return Token(gram, gram, kind, gram in self._stop_words)

    def _read_emoji(self, emoji: str) -> Iterator[Token]:
        yield Token(emoji, emoji, Kind.SYMBOL)
        if EMOJI_JOINER in emoji:
            for part in emoji.split(EMOJI_JOINER):
                yield Token(part, part, Kind.SYMBOL)

    def _read_spelt(self, piece: str) -> Iterator[Token]:
        simple = simple_form(piece)
        if simple is not None:
            word = fold(self._casefold(simple[:_LONGEST_WORD]))
            yield Token(word, word, Kind.WORD)
            return
        base, is_negated = self._without_clitic(piece)
        for part, is_whole in parts(base):
            yield from self._read_compound(part) if is_whole else self._read_word(part)
        if is_negated:
            yield from self._read_word("not")

    def _without_clitic(self, piece: str) -> tuple[str, bool]:
        """Drop what hangs on a word by an apostrophe (the possessive; English verbs); whether it was a negation."""
        if self._language not in ENGLISH:
            return piece.removesuffix("'s"), False
        if piece.casefold() == "cannot":
            return "can", True
        found = _english_clitic().fullmatch(piece)
        if found is None:
            return piece, False
        is_negated = found[2].casefold() == "n't"
        return (_UNCLIPPED.get(found[1].casefold(), found[1]) if is_negated else found[1]), is_negated

    def _read_word(self, part: str) -> Iterator[Token]:
        spelling = self._casefold(part[:_LONGEST_WORD])
        word = fold(spelling)
        if word:
            is_stop = (word in self._stop_words or spelling in self._stop_words) and part not in NAMES_IN_CAPITALS
            yield Token(word, self._stem(spelling) or word, Kind.WORD, is_stop)

    def _read_compound(self, whole: str) -> Iterator[Token]:
        """The whole as it is written, its stem without hyphens and underscores: e-mail, e_mail and email are one."""
        if len(whole) > _LONGEST_COMPOUND:
            return
        spelling = self._casefold(whole).replace("'", "")
        word = fold(spelling)
        joined = spelling.replace("-", "").replace("_", "")
        if word and joined:
            stemmed = self._stem(joined) if _letters().fullmatch(joined) else fold(joined)
            yield Token(word, stemmed or word, Kind.COMPOUND)

    def _stem(self, spelling: str) -> str:
        return stem(spelling, self._languages.get(script_of(spelling) or ""))

    def _casefold(self, part: str) -> str:
        if self._language == "turkish":  # the only language where capital I is not the capital of i
            part = part.replace("I", "ı").replace("İ", "i")
        return casefold(part)
