"""Which recalled memories an answer used: those it cites, else those whose words or meaning it shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from comis_core.protocols import Embedder
from comis_core.text import Analyser

if TYPE_CHECKING:
    from collections.abc import Set

LONGEST_ANSWER = 65_536
"""Characters of an answer that are read, as many as a memory's; beyond it somebody hands on a document."""
LEAST_OVERLAP = 0.15
"""Share of a memory's stems and pairs of stems that stand in the answer."""
LEAST_COSINE = 0.6
"""Similarity of answer and memory from which a memory counts as used though no words are shared."""


def used_memories(
    answer: str, texts: Mapping[str, str], cited: Sequence[str], analyser: Analyser, embedder: Embedder | None
) -> frozenset[str]:
    """Ids of the memories that the answer used.

    Args:
        answer: what the agent said, of which the first 65,536 characters count.
        texts: id -> content of every recalled memory.
        cited: ids that the agent says it used; if it names any of `texts`, nothing else counts.
        embedder: for memories that share no words with the answer; None does without.
    """
    named = texts.keys() & set(cited)
    if named:
        return frozenset(named)
    answer = answer[:LONGEST_ANSWER]
    spoken = analyser.shingles(answer)
    shared = {id for id, text in texts.items() if overlap(analyser.shingles(text), spoken) >= LEAST_OVERLAP}
    rest = [id for id in texts if id not in shared]
    return frozenset(shared | (_alike(answer, rest, texts, embedder) if embedder and answer.strip() else set()))


def overlap(memory: Set[str], answer: Set[str]) -> float:
    """The share of the memory's shingles that stand in the answer, in 0..1; 0 for a memory without words."""
    return len(memory & answer) / len(memory) if memory else 0.0


def _alike(answer: str, ids: Sequence[str], texts: Mapping[str, str], embedder: Embedder) -> set[str]:
    if not ids:
        return set()
    vectors = embedder.embed([answer, *(texts[id] for id in ids)], "document")
    cosines = vectors[1:] @ vectors[0] * embedder.confidence(answer)
    return {id for id, cosine in zip(ids, cosines.tolist(), strict=True) if cosine >= LEAST_COSINE}
