"""Documented keys that have moved, and those that are frozen."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from comis_core.config.nodes import Entry, MappingNode, is_empty
from comis_core.config.problems import Problems

MOVED: Mapping[str, tuple[str, str]] = MappingProxyType({
    "rerankerModel": ("recall", "rerankerModel"),
    "rerankerThreads": ("recall", "rerankerThreads"),
    "rerankerGpu": ("recall", "rerankerGpu"),
})
"""Old key below `memory` -> where it lives now."""

FROZEN: tuple[str, ...] = ("rag.scoring.trustAlpha", "rag.includeTrustLevels")
"""Keys below an agent that make up the trust boundary: changing one is allowed and warned of."""


def move_keys(memory: MappingNode, problems: Problems) -> MappingNode:
    """The `memory` section with every moved key in its new place, and a notice for each.

    A key that stands in both places is a problem, since only one of them can be meant.
    """
    for old, (group, new) in MOVED.items():
        if old not in memory.entries:
            continue
        entry = memory.entries[old]
        rest = {key: value for key, value in memory.entries.items() if key != old}
        there = rest.get(group, Entry(entry.key_place, MappingNode({}, entry.key_place)))
        held = MappingNode({}, there.node.place) if is_empty(there.node) else there.node
        now = f"memory.{group}.{new}"
        if isinstance(held, MappingNode) and new in held.entries:
            other = held.entries[new].key_place
            problems.add(entry.key_place, ("memory", old), f"is now {now}, which stands at {other} too; keep that one")
        elif isinstance(held, MappingNode):
            rest[group] = Entry(there.key_place, MappingNode({**held.entries, new: entry}, held.place))
            problems.warn(entry.key_place, ("memory", old), f"has moved to {now}; it still counts")
        memory = MappingNode(rest, memory.place)
    return memory
