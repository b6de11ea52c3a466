"""How a memory's terms lie in the table: one blob a sub-lane, ascending words of hash and number of occurrences."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from comis_plugins.lexical.terms import SUB_LANES, Grams, SubLane, counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 4096
"""Memories packed together."""
_FEW = 4
"""So many memories are packed one by one: up to here, calls of numpy cost more than what they do."""


@attrs.frozen
class Packed:
    """A memory as its row has it. lengths: tokens of each sub-lane, repetitions included; blobs: its terms."""

    lengths: tuple[int, ...]
    blobs: tuple[bytes, ...]


def pack(memories: Sequence[Sequence[Grams]]) -> list[Packed]:
    """Pack the tokens of many memories: sorting all of them at once costs less than any call a memory."""
    packed: list[Packed] = []
    for start in range(0, len(memories), _AT_ONCE):
        packed += _pack(memories[start : start + _AT_ONCE])
    return packed


def _pack(memories: Sequence[Sequence[Grams]]) -> list[Packed]:
    stems = [b"".join([token.stems for token in grams]) for grams in memories]
    prefixes = [b"".join([token.prefixes for token in grams]) for grams in memories]
    trigrams = [b"".join([token.trigrams for token in grams]) for grams in memories]
    lengths = zip(
        map(counted, memories), (len(each) // 4 for each in prefixes), (len(each) // 4 for each in trigrams),
        strict=True,
    )  # fmt: skip
    count = count_each if len(memories) <= _FEW else count_together
    blobs = zip(*map(count, SUB_LANES, (stems, prefixes, trigrams)), strict=True)
    return [Packed(length, blob) for length, blob in zip(lengths, blobs, strict=True)]


def count_each(lane: SubLane, memories: Sequence[bytes]) -> list[bytes]:
    """One blob a memory: its distinct hashes, ascending, with how often each occurs."""
    most = (1 << lane.count_bits) - 1
    blobs = []
    for hashes in memories:
        found = struct.unpack(f"<{len(hashes) // lane.size}{lane.code}", hashes)
        if lane.count_bits:
            counts = Counter(found)
            words = [hash << lane.count_bits | min(counts[hash], most) for hash in sorted(counts)]
        else:
            words = sorted(set(found))
        blobs.append(struct.pack(f"<{len(words)}{lane.code}", *words))
    return blobs


def count_together(lane: SubLane, memories: Sequence[bytes]) -> list[bytes]:
    """The same for many memories at once."""
    hashes: NDArray[Any] = np.frombuffer(b"".join(memories), lane.dtype).astype(np.uint64)
    if not len(hashes):
        return [b""] * len(memories)
    sizes = [len(each) // lane.size for each in memories]
    shift = np.uint64(lane.hash_bits)
    keys = np.repeat(np.arange(len(memories), dtype=np.uint64) << shift, sizes) | hashes
    keys.sort()
    firsts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    counts = np.minimum(np.diff(firsts, append=len(keys)), (1 << lane.count_bits) - 1).astype(np.uint64)
    keys = keys[firsts]
    words = ((keys & np.uint64((1 << lane.hash_bits) - 1)) << np.uint64(lane.count_bits) | counts).astype(lane.dtype)
    ends = np.searchsorted(keys >> shift, np.arange(len(memories), dtype=np.uint64), "right").tolist()
    return [words[begin:end].tobytes() for begin, end in zip([0, *ends[:-1]], ends, strict=True)]
