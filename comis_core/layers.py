"""Mappings that grow without being copied, so that a small change of a large one costs little."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

_SMALL = 64
"""So many entries may lie on top of any mapping, however small."""


class Layered(Mapping[K, V]):
    """A mapping that never changes: `extended` makes another one, which shares all but a few entries with it.

    What is added lies in a layer of its own until that has about as many entries as the square root of what is below;
    then both become one. Adding one entry to n takes time in the order of the square root of n.
    """

    __slots__ = ("_below", "_top")

    def __init__(self, below: Mapping[K, V], top: Mapping[K, V] = MappingProxyType({})) -> None:
        """The entries of `below` and those of `top`, which have no key in common; neither may change from now on."""
        self._below = below
        self._top = top

    def extended(self, more: Mapping[K, V]) -> Layered[K, V]:
        """This mapping and `more`, whose keys it does not have."""
        top = {**self._top, **more}
        if len(top) <= _SMALL + math.isqrt(len(self._below)):
            return Layered(self._below, top)
        return Layered({**self._below, **top})

    def added_to(self, older: object) -> Mapping[K, V] | None:
        """This one's own layer, if everything else, and all of `older`, is shared with it; else None."""
        if not isinstance(older, Layered) or older._below is not self._below:
            return None
        return self._top if older._top.items() <= self._top.items() else None

    def __getitem__(self, key: K) -> V:
        return self._top[key] if key in self._top else self._below[key]

    def __contains__(self, key: object) -> bool:
        return key in self._below or key in self._top

    def __iter__(self) -> Iterator[K]:
        yield from self._below
        yield from self._top

    def __len__(self) -> int:
        return len(self._below) + len(self._top)
