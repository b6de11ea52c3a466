"""The model itself: a tokenizer and one float16 row a word piece."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from comis_core.errors import EmbedderError
from comis_plugins.embed_static.files import ModelFiles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

TENSOR = "embedding.weight"
UNKNOWN = 0
"""Id of the piece `<unk>`; it stands for a text that has no piece at all."""


FEW = 256
"""So many rows are read one by one; whoever asks for more reads all of them at once."""


@attrs.define(eq=False, repr=False)
class Weights:
    """float16[pieces, d], a row a word piece, in a file of safetensors.

    A first question needs ten rows and need not wait for all of them, which takes a hundred times as long.
    """

    pieces: int
    dimensions: int
    _file: Any
    """The tensor as safetensors slices it, None once all rows are read: it keeps the whole file mapped."""
    _left: int = FEW
    _whole: NDArray[np.float16] | None = None
    _reading: threading.Lock = attrs.field(factory=threading.Lock, init=False)

    @classmethod
    def of(cls, tensor: Any) -> Weights:
        """The rows of a sliced tensor. Raises ValueError when it has no two dimensions."""
        pieces, dimensions = tensor.get_shape()
        return cls(pieces, dimensions, tensor)

    def rows(self, ids: NDArray[np.intp]) -> NDArray[np.float16]:
        """float16[len(ids), d]. ids: in 0..pieces - 1."""
        import numpy as np

        file = self._file  # another thread may let go of it
        if file is not None:
            self._left -= len(ids)
            if self._left >= 0:
                return np.concatenate([file[row : row + 1] for row in ids.tolist()])
        return self._all()[ids]

    def _all(self) -> NDArray[np.float16]:
        """float16[pieces, d], read once, whoever asks first."""
        with self._reading:
            if self._whole is None:
                self._whole = self._file[:]
                self._file = None
            return self._whole


@attrs.frozen(eq=False, repr=False)
class StaticModel:
    """Any number of threads and agents share it.

    weights: rows are widened to float32 as they are used, which halves the resident memory.
    """

    tokenizer: Tokenizer
    weights: Weights

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self.weights.dimensions

    def encode(self, text: str) -> Any:
        """The text's word pieces (ids, tokens, character offsets), without markers of sentence start or end."""
        return self.tokenizer.encode(text, add_special_tokens=False)

    def average(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32[len(texts), d], unit length: the plain mean of the pieces' rows, as the model was trained."""
        import numpy as np

        pieces = [self.encode(text).ids or [UNKNOWN] for text in texts]
        lengths = np.fromiter((len(ids) for ids in pieces), np.intp, len(pieces))
        flat = np.fromiter((piece for ids in pieces for piece in ids), np.intp, int(lengths.sum()))
        rows = self.weights.rows(np.minimum(flat, self.weights.pieces - 1)).astype(np.float32)
        # The mean's divisor cancels when the length becomes one, so the sum is enough.
        sums = np.add.reduceat(rows, np.concatenate(([0], np.cumsum(lengths)[:-1])), axis=0)
        unit: NDArray[np.float32] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return unit


def load(files: ModelFiles) -> StaticModel:
    """Read the model from its files. Raises EmbedderError when they do not hold what is expected."""
    from safetensors import safe_open
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(files.tokenizer.read_bytes())  # reads faster than its own from_file
        tensors: Any = safe_open(str(files.weights), framework="np")
        weights = Weights.of(tensors.get_slice(TENSOR))
    except Exception as error:  # both libraries raise classes of their own
        raise EmbedderError(
            f"the static model in {files.weights.parent.parent} cannot be read: {error}",
            hint="reinstall it: pip install --force-reinstall 'comis-core[static]'",
        ) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True  # "</s>" in a memory is text like any other
    return StaticModel(tokenizer, weights)
