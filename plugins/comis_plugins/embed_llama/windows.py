"""Overlapping pieces of a text that fit a model, cut between words by counting their tokens.

llama.cpp does not say which characters a token stands for, so words are counted one by one. Where a tokenizer joins
words, the sum is a little off; what an embedder then cuts at a window's end stands in the next window too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import attrs

WORD = re.compile(r"\S+")


@attrs.frozen
class _Piece:
    """A stretch of the text, and how many tokens it has."""

    start: int
    end: int
    tokens: int


def cut(text: str, size: int, overlap: int, count: Callable[[str], int]) -> list[str]:
    """The windows of a text, at least one.

    Args:
        text: what is cut.
        size: tokens of a window.
        overlap: tokens that neighbouring windows share, fewer than `size`.
        count: how many tokens a text has.
    """
    if len(text.encode("utf-8", "replace")) < size or count(text) <= size:  # a token has at least one byte
        return [text]
    words = (match.span() for match in WORD.finditer(text))
    pieces = [piece for start, end in words for piece in _fitting(text, start, end, size, count)]
    spans = list(_windows(pieces, size, overlap))
    return [text[pieces[first].start : pieces[last].end] for first, last in spans] or [text]


def _fitting(text: str, start: int, end: int, size: int, count: Callable[[str], int]) -> Iterator[_Piece]:
    """A word as one piece; one that alone is longer than a window (unspaced scripts, data) halved until it fits."""
    tokens = count(text[start:end])
    if tokens <= size or end - start == 1:
        yield _Piece(start, end, tokens)
        return
    middle = (start + end) // 2
    yield from _fitting(text, start, middle, size, count)
    yield from _fitting(text, middle, end, size, count)


def _windows(pieces: Sequence[_Piece], size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """First and last piece of each window: as many as fit, each beginning within the one before."""
    first = 0
    while first < len(pieces):
        last, tokens = first, pieces[first].tokens
        while last + 1 < len(pieces) and tokens + pieces[last + 1].tokens <= size:
            last += 1
            tokens += pieces[last].tokens
        yield first, last
        if last + 1 == len(pieces):
            return
        # The next window has to reach further than this one, or it would say nothing new.
        first = _next_start(pieces, first, last, min(overlap, size - pieces[last + 1].tokens))


def _next_start(pieces: Sequence[_Piece], first: int, last: int, overlap: int) -> int:
    """The piece with which the next window begins: those before its end that have at most `overlap` tokens."""
    start, tokens = last + 1, 0
    while start - 1 > first and tokens + pieces[start - 1].tokens <= overlap:
        start -= 1
        tokens += pieces[start].tokens
    return start
