"""The cross-encoder: a pair of texts in, a relevance in 0..1 out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager

from comis_core.errors import ComisError
from comis_core.gguf.header import Header, Pooling
from comis_core.gguf.native import Setup
from comis_core.gguf.network import Network, usable_threads

CONTEXT = 512
"""Longest pair in tokens: what cross-encoders are trained with, and what a processor can bear."""
QUERY_SHARE = 0.5
"""At most so much of it is the question's."""
HEADS = {"cls.weight", "cls.output.weight"}
"""Tensors that make a score of a vector. llama.cpp ends the process when it is to rank with a model that has none."""


class CrossEncoder:
    """Judges pairs; the model is loaded at once.

    Raises:
        ComisError: the file is no cross-encoder with one score, or llama.cpp cannot load it.
    """

    def __init__(self, header: Header, *, threads: int, gpu: bool | None) -> None:
        _check(header)
        self._context = min(CONTEXT, header.context_length)
        setup = Setup(
            path=header.path,
            pooling=Pooling.RANK,
            context=self._context,
            width=1,
            threads=usable_threads(threads),
            gpu=gpu,
        )
        self._network = Network(setup)
        self._special = self._network.special
        if not self._special.between:
            self.close()
            raise ComisError(
                f"{header.path} has no token that parts a question from a text", hint="use a BERT-like cross-encoder"
            )

    def within(self, seconds: float) -> AbstractContextManager[None]:
        """Keep the model for several pairs, and stop when the time is over."""
        return self._network.within(seconds)

    def tokens(self, query: str) -> list[int]:
        """The question's tokens, cut to half of the longest pair."""
        return self._network.tokens(query)[: int(self._room * QUERY_SHARE)]

    def pair(self, query: Sequence[int], text: str) -> list[int]:
        """Question and text as the model wants them, e.g. [CLS] question [SEP] text [SEP]; the text is cut to fit."""
        special = self._special
        room = self._room - len(query)
        return [*special.before, *query, *special.between, *self._network.tokens(text)[:room], *special.after]

    def score(self, pair: Sequence[int]) -> float | None:
        """Relevance in 0..1: the logistic function of the model's only score; None when it was stopped."""
        found = self._network.run(pair)
        if found is None:
            return None
        return sigmoid(float(found[0]))

    def close(self) -> None:
        """Free the model."""
        self._network.close()

    @property
    def _room(self) -> int:
        special = self._special
        return self._context - len(special.before) - len(special.between) - len(special.after)


def sigmoid(value: float) -> float:
    """1 / (1 + exp(-value)), for any finite value. Raises ComisError for another one."""
    if not math.isfinite(value):
        raise ComisError("the cross-encoder returned a score that is not finite")
    return 1.0 / (1.0 + math.exp(-value)) if value >= 0 else math.exp(value) / (1.0 + math.exp(value))


def _check(header: Header) -> None:
    if header.pooling not in (Pooling.RANK, None) or not HEADS & header.tensors:
        raise ComisError(
            f"{header.path} is no cross-encoder: it has no head that gives a score",
            hint="convert a reranker with pooling type RANK",
        )
    if header.outputs != 1:
        raise ComisError(
            f"{header.path} gives {header.outputs} scores a pair", hint="use a cross-encoder with one score"
        )
