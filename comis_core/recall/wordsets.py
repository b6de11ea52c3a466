"""The distinct words of memories, for recognising copies: read once a version, kept as hashes and never as text."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

import attrs

KEPT = 20_000
"""Memory versions whose words are kept: some 5 MB of chat turns in order, some 50 MB of them as sets."""

T = TypeVar("T")


def in_order(hashes: Iterable[int]) -> array[int]:
    """Each once, ascending: a tenth of a set's room, and the first of them are had without looking at the others."""
    return array("q", sorted(set(hashes)))


@attrs.define(eq=False, repr=False)
class WordSets(Generic[T]):
    """Memory version -> the hashes of its distinct words. A version never changes, so nothing here grows stale.

    reading: a text's words, as `Analyser.token_set` or `Analyser.stems`. kept_as: `frozenset` or `in_order`.

    Safe under many threads: the worst that two do is analyse a text twice. Hashes are Python's own, 64 bits and
    salted anew in each process: two words that meet in one are not expected in the life of a store.
    """

    reading: Callable[[str], Iterable[str]]
    kept_as: Callable[[Iterable[int]], T]
    _known: dict[int, T] = attrs.field(factory=dict, init=False)

    def of(self, ids: Sequence[int], texts: Callable[[Sequence[int]], Sequence[str]]) -> list[T]:
        """One set an id. texts: loads the contents of those that are not known yet."""
        known = self._known
        missing = [pk for pk in ids if pk not in known]
        if missing:
            fresh = {pk: self._read(text) for pk, text in zip(missing, texts(missing), strict=True)}
            if len(known) + len(fresh) > KEPT:
                # Another one, for other threads may be looking into the former.
                self._known = known = {pk: known[pk] for pk in ids if pk in known}
            known |= fresh
        return [known[pk] for pk in ids]

    def _read(self, text: str) -> T:
        return self.kept_as(map(hash, self.reading(text)))
