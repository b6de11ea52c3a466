"""The embedder: one text a call, windows, and which file it is."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from comis_core.errors import ComisError, EmbedderError, PartInactive
from comis_core.gguf.files import digest, locate, model_files, parse_reference
from comis_core.gguf.header import EMBEDDING_POOLINGS, Header, Pooling, read_header
from comis_core.gguf.native import INSTALL, Setup
from comis_core.gguf.network import Network, installed, usable_threads
from comis_core.protocols import BuildContext
from comis_core.text.sight import Sight
from comis_plugins.embed_llama.locate import models_folder, nothing_in
from comis_plugins.embed_llama.windows import cut

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from comis_core.protocols import Matrix

WINDOW = 512
"""Longest input in tokens, markers included; in a longer one every topic is diluted, and its cost grows faster."""
OVERLAP = 0.2
"""Share of a window that the next one repeats."""


def build(context: BuildContext, model: str | None = None) -> LlamaEmbedder:
    """The embedder of an agent; a file is loaded once an engine, with the first text.

    Raises PartInactive under `auto` when nothing is there to run, EmbedderError when a named model cannot be used.
    """
    models = models_folder(context)
    header = _present(models) if model is None else _named(model, models, context.folder)
    if not installed():
        words = f"the embedding model {header.path} needs llama-cpp-python"
        raise (PartInactive if model is None else EmbedderError)(words, hint=INSTALL)
    setup = Setup(
        path=header.path,
        pooling=_pooling(header),
        context=min(WINDOW, header.context_length),
        width=header.dimensions,
        threads=usable_threads(),
    )
    network = context.resource(("embed_llama", setup), lambda: Network(setup))
    return LlamaEmbedder(header, setup, network)


def _present(models: Path) -> Header:
    """The first embedding model by path; files of another kind, or broken ones, are passed over."""
    for path in model_files(models):
        try:
            header = read_header(path)
        except ComisError:
            continue
        if header.pooling in EMBEDDING_POOLINGS:
            return header
    raise nothing_in(models)


def _named(model: str, models: Path, folder: str) -> Header:
    path = locate(model, models=models, folder=Path(folder))
    if path.is_file():
        return read_header(path)
    fetchable = parse_reference(model) is not None
    hint = f"comis models fetch {model.strip()}" if fetchable else "relative paths start at the config's folder"
    raise EmbedderError(f"the embedding model is not there: {path}", hint=hint)


def _pooling(header: Header) -> Pooling:
    pooling = header.pooling
    if pooling not in EMBEDDING_POOLINGS or not header.dimensions:
        kind = "a cross-encoder" if pooling is Pooling.RANK else "no embedding model"
        raise EmbedderError(
            f"{header.path} is {kind}: it pools by {'nothing' if pooling is None else pooling.name}",
            hint=f"an embedding model pools by {', '.join(each.name for each in EMBEDDING_POOLINGS)}",
        )
    return pooling


class LlamaEmbedder:
    """A sentence encoder from a GGUF file."""

    def __init__(self, header: Header, setup: Setup, network: Network) -> None:
        self._path = header.path
        self._vocabulary = header.vocabulary
        self._context = setup.context
        self._network = network
        self.dimensions = setup.width
        self.fingerprint = f"gguf-{digest(header.path, setup.pooling.name, setup.width, setup.context, OVERLAP)}"

    def embed(self, texts: Sequence[str], kind: str) -> Matrix:
        """float32[len(texts), d], unit length; query and document alike; what goes beyond the longest input is cut.

        One text a call: llama.cpp gains nothing from batches on a processor, and a question need not wait for one.
        """
        import numpy as np

        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._embed(text)
        return vectors

    def windows(self, text: str) -> Sequence[str]:
        """The overlapping pieces of a document that fit the model; [text] when it fits whole."""
        size = self._room
        return cut(text, size, int(size * OVERLAP), lambda part: len(self._network.tokens(part)))

    def available(self) -> bool:
        """Whether library and file are in place; neither is loaded."""
        return installed() and self._path.is_file()

    def confidence(self, text: str) -> float:
        """0..1: how well the model's vocabulary fits the text (`comis_core.text.sight`)."""
        return self._sight.confidence(text)

    def _embed(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        special = self._network.special
        tokens = [*special.before, *self._network.tokens(text)[: self._room], *special.after]
        vector = self._network.run(tokens or [0])  # a vocabulary without markers has no token for the empty text
        if vector is None:
            raise EmbedderError(f"the model {self._path.name} was closed")
        unit: NDArray[np.float32] = vector / np.linalg.norm(vector)
        return unit

    @functools.cached_property
    def _sight(self) -> Sight:
        return Sight(self._network.pieces, self._vocabulary)

    @functools.cached_property
    def _room(self) -> int:
        """Tokens of a text that fit beside the markers."""
        special = self._network.special
        return max(1, self._context - len(special.before) - len(special.after))
