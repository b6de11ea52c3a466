"""The reranker: as many candidates as fit into the time, best first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from comis_core.errors import ComisError
from comis_core.protocols import BuildContext, RerankRequest
from comis_plugins.rerank.files import find_model
from comis_plugins.rerank.options import RerankOptions
from comis_plugins.rerank.pace import Pace

if TYPE_CHECKING:
    from comis_core.model import Scores
    from comis_plugins.rerank.encoder import CrossEncoder

RESERVE = 0.05
"""Share of the time that is kept for bringing the answer home."""
WARM_UP = "Where does Ana live? She moved to Lisbon in March and has worked in a bakery there since."


class Encoder(Protocol):
    """What a reranker needs of a cross-encoder."""

    def within(self, seconds: float) -> AbstractContextManager[None]:
        """Keep the model for several pairs, and stop when the time is over."""
        ...

    def tokens(self, query: str) -> list[int]:
        """The question's tokens."""
        ...

    def pair(self, query: Sequence[int], text: str) -> list[int]:
        """Question and text as the model wants them."""
        ...

    def score(self, pair: Sequence[int]) -> float | None:
        """Relevance in 0..1; None when it was stopped."""
        ...


class Shared:
    """What the rerankers of an engine share: a loaded model and how fast it is."""

    def __init__(self, encoder: CrossEncoder) -> None:
        self.encoder = encoder
        try:
            self.pace = Pace(_warm_up(encoder))
        except BaseException:
            encoder.close()
            raise

    def close(self) -> None:
        """Free the model."""
        self.encoder.close()


def _warm_up(encoder: CrossEncoder) -> float:
    """Seconds a token of a first run, which also brings the weights into memory."""
    pair = encoder.pair(encoder.tokens(WARM_UP), WARM_UP)
    begun = time.monotonic()
    encoder.score(pair)
    return (time.monotonic() - begun) / len(pair)


def build(context: BuildContext, options: RerankOptions) -> LlamaReranker:
    """The reranker of an agent; the model is loaded once an engine, and before the first question.

    Raises PartInactive when the model is absent and `enabled` unset, ComisError when it cannot be used.
    """
    header = find_model(context, forced=options.enabled is True)
    wanted = context.setting("memory.recall.rerankerGpu")
    gpu = None if wanted == "auto" else wanted is not False
    threads = context.setting("memory.recall.rerankerThreads")

    def load() -> Shared:
        from comis_plugins.rerank.encoder import CrossEncoder

        return Shared(CrossEncoder(header, threads=threads, gpu=gpu))

    shared = context.resource(("rerank", str(header.path), threads, gpu), load)
    return LlamaReranker(shared.encoder, shared.pace, options)


class LlamaReranker:
    """Judges candidates one by one until the time is used up.

    Args:
        encoder: the model.
        pace: how fast it reads.
        options: limits.
        clock: seconds, as `time.monotonic` counts them.
    """

    def __init__(
        self, encoder: Encoder, pace: Pace, options: RerankOptions, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._encoder = encoder
        self._pace = pace
        self._clock = clock
        self.max_candidates = options.max_candidates
        self.min_results = options.min_results
        self.timeout_ms = options.timeout_ms

    def rerank(self, request: RerankRequest) -> Scores:
        """float64[k] in 0..1 for the first k candidates: as many as are expected to be judged by the deadline.

        Raises:
            ComisError: not even one can be judged in the time that is left.
        """
        import numpy as np

        end = request.deadline - RESERVE * self.timeout_ms / 1000
        left = end - self._clock()
        if left <= 0 or not request.texts:
            return np.empty(0)
        with self._encoder.within(left):
            scores = np.fromiter(self._scores(request, end), np.float64)
        if not len(scores):
            self._pace.doubt()
            raise ComisError(f"no candidate could be judged within {round(1000 * left)} ms")
        return scores

    def _scores(self, request: RerankRequest, end: float) -> Iterator[float]:
        query = self._encoder.tokens(request.query.text)
        for text in request.texts:
            pair = self._encoder.pair(query, text)
            begun = self._clock()
            if request.cancelled() or begun + self._pace.expect(len(pair)) > end:
                return
            score = self._encoder.score(pair)
            self._pace.learn(len(pair), self._clock() - begun, finished=score is not None)
            if score is None:
                return
            yield score
