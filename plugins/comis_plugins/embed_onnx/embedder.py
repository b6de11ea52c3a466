"""The embedder: prompts, windows, vectors."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from comis_core.errors import EmbedderError, PartInactive
from comis_core.protocols import BuildContext
from comis_core.text.sight import Sight
from comis_plugins.embed_onnx.export import Export, read_export
from comis_plugins.embed_onnx.locate import is_export, nothing_in, present, resolve
from comis_plugins.embed_onnx.network import Network
from comis_plugins.embed_onnx.sight import sight_of

if TYPE_CHECKING:
    from comis_core.protocols import Matrix

OVERLAP = 0.2
"""Share of a window that the next one repeats."""
INSTALL = "pip install 'comis-core[onnx]'"


def build(context: BuildContext, model: str | None = None) -> OnnxEmbedder:
    """The embedder of an agent; one network an export, shared by all agents of the engine.

    Raises PartInactive under `auto` when nothing is there to run, EmbedderError when a named model cannot be used.
    """
    folder = resolve(model, context.folder) if model is not None else present(context.folder)
    if folder is None:
        raise nothing_in(context.folder)
    if not installed():
        if model is None:
            raise PartInactive(f"the ONNX export in {folder} needs onnxruntime and tokenizers", hint=INSTALL)
        raise EmbedderError(f"the embedding model {model} needs onnxruntime and tokenizers", hint=INSTALL)
    return context.resource(("embed_onnx", str(folder)), lambda: OnnxEmbedder(folder, read_export(folder)))


def installed() -> bool:
    """Whether the extra's libraries are there; nothing is imported."""
    return all(importlib.util.find_spec(name) is not None for name in ("onnxruntime", "tokenizers"))


class OnnxEmbedder:
    """A sentence encoder from an ONNX file."""

    def __init__(self, folder: Path, export: Export) -> None:
        self._folder = folder
        self._export = export
        self._network = Network(export)
        self.fingerprint = export.fingerprint
        self.dimensions = self._network.dimensions()

    def embed(self, texts: Sequence[str], kind: str) -> Matrix:
        """float32[len(texts), d], unit length; what goes beyond the model's longest input is cut (see `windows`)."""
        prompt = self._export.prompts.get(kind, "")
        return self._network.run([prompt + text for text in texts])

    def windows(self, text: str) -> Sequence[str]:
        """The overlapping pieces of a document that fit the model; [text] when it fits whole."""
        size = self._window
        if len(text.encode()) < size:  # a token has at least one byte
            return [text]
        offsets = self._network.tokenizer.encode(text, add_special_tokens=False).offsets
        if len(offsets) <= size:
            return [text]
        overlap = int(size * OVERLAP)
        starts = range(0, len(offsets) - overlap, size - overlap)
        return [text[offsets[start][0] : offsets[min(start + size, len(offsets)) - 1][1]] for start in starts]

    def available(self) -> bool:
        """Whether libraries and files are in place."""
        return installed() and is_export(self._folder)

    def confidence(self, text: str) -> float:
        """0..1: how well the model's vocabulary fits the text (`comis_core.text.sight`)."""
        return self._sight.confidence(text)

    @functools.cached_property
    def _sight(self) -> Sight:
        return sight_of(self._network.tokenizer)

    @functools.cached_property
    def _window(self) -> int:
        """Tokens of a document that fit beside the markers and the prompt."""
        tokenizer = self._network.tokenizer
        prompt = self._export.prompts.get("document", "")
        taken = len(tokenizer.encode(prompt, add_special_tokens=False).ids) if prompt else 0
        return max(1, self._export.max_length - int(tokenizer.num_special_tokens_to_add(False)) - taken)
