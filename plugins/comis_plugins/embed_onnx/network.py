"""The running model: token ids in, unit vectors out. Loaded on first use, shared by threads and agents."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from comis_core.errors import EmbedderError
from comis_plugins.embed_onnx.export import Export

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from comis_core.protocols import Matrix

BATCH = 8
"""Texts of about one length a run; on few cores larger batches only add padding."""
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
SENTENCE = "sentence_embedding"
"""Name of an output that is pooled already."""


def usable_threads() -> int:
    """One thread less than the cores this process may use, at least one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)


class Network:
    """Tokenizer and session of one export."""

    def __init__(self, export: Export) -> None:
        self._export = export
        self._lock = threading.Lock()
        self._tokenizer: Any = None
        self._session: Any = None

    @property
    def tokenizer(self) -> Any:
        """The export's tokenizer; it neither pads nor cuts, whatever its file says."""
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = self._load_tokenizer()
            return self._tokenizer

    @property
    def session(self) -> Any:
        """The onnxruntime session."""
        with self._lock:
            if self._session is None:
                self._session = self._load_session()
            return self._session

    def dimensions(self) -> int:
        """Length of a vector; asks the model only if the export's files do not say."""
        return self._export.dimensions or self.run(["a"]).shape[1]

    def run(self, texts: Sequence[str]) -> Matrix:
        """float32[len(texts), d], unit length. Raises EmbedderError when the model fails."""
        import numpy as np

        rows = [self._cut(self.tokenizer.encode(text)) for text in texts]
        order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        parts = [self._forward([rows[place] for place in order[i : i + BATCH]]) for i in range(0, len(order), BATCH)]
        vectors = np.empty((len(rows), parts[0].shape[1] if parts else self.dimensions()), np.float32)
        if parts:
            vectors[order] = np.concatenate(parts)
        return vectors

    def _cut(self, encoding: Any) -> list[int]:
        """Token ids within the model's limit; the closing marker stays."""
        ids: list[int] = encoding.ids
        limit = self._export.max_length
        return ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]

    def _forward(self, rows: Sequence[list[int]]) -> NDArray[np.float32]:
        import numpy as np

        ids = np.zeros((len(rows), max(1, max(map(len, rows)))), np.int64)
        mask = np.zeros_like(ids)
        for place, row in enumerate(rows):
            ids[place, : len(row)], mask[place, : len(row)] = row, 1
        feeds = dict(zip(INPUTS, (ids, mask, np.zeros_like(ids)), strict=True))
        session = self.session
        try:
            wanted = {node.name: feeds[node.name] for node in session.get_inputs()}
            outputs = session.run(self._outputs(session), wanted)
        except Exception as error:  # the runtime raises classes of its own without a common base
            raise EmbedderError(f"the model {self._export.model} failed: {error}") from error
        pooled = self._pool(np.asarray(outputs[0], np.float32), mask)
        unit: NDArray[np.float32] = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return unit

    @staticmethod
    def _outputs(session: Any) -> list[str]:
        """The pooled output where the export has one, else the first (a vector a token)."""
        names = [node.name for node in session.get_outputs()]
        return [SENTENCE if SENTENCE in names else names[0]]

    def _pool(self, output: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """float32[n, d] from float32[n, tokens, d]: the mean over the tokens that are not padding, or the first."""
        import numpy as np

        if output.ndim == 2:
            return output
        if self._export.pooling == "cls":
            return output[:, 0]
        weights = mask[:, :, None].astype(np.float32)
        mean: NDArray[np.float32] = (output * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)
        return mean

    def _load_tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self._export.tokenizer))
        except Exception as error:  # the library raises bare Exception
            raise EmbedderError(f"{self._export.tokenizer} cannot be read: {error}") from error
        tokenizer.no_padding()
        tokenizer.no_truncation()
        tokenizer.encode_special_tokens = True  # "[SEP]" in a memory is text like any other
        return tokenizer

    def _load_session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = usable_threads()
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Idle threads that spin would take the host agent's cores between two embeddings.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        path = str(self._export.model)
        try:
            session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the runtime raises classes of its own without a common base
            raise EmbedderError(f"the model {path} cannot be loaded: {error}") from error
        unknown = [node.name for node in session.get_inputs() if node.name not in INPUTS]
        if unknown:
            raise EmbedderError(f"the model {path} wants the input {unknown[0]}", hint=f"known: {', '.join(INPUTS)}")
        return session
