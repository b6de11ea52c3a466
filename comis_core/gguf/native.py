"""One model in llama.cpp's memory, by llama.cpp's own functions as llama-cpp-python hands them through.

The package's `Llama` class is not used: it closes the process's standard output while it loads, and has no way to a
cross-encoder's score. Nothing here is safe for two threads; `network` sees to that.
"""

from __future__ import annotations

import ctypes
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from comis_core.errors import ComisError
from comis_core.gguf.header import Pooling

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INSTALL = "pip install 'comis-core[llama]' (it is compiled during installation)"
LOGGER = "llama-cpp-python"
SILENT = logging.CRITICAL + 1
ABORTED = 2
"""What `llama_decode` returns when it was told to stop."""
ALL_LAYERS_ON_GPU = 0x7FFFFFFF
"""More than any model has."""


@attrs.frozen(kw_only=True)
class Setup:
    """How a model is run.

    context: longest input in tokens. width: values of the answer: the vector's length, for a cross-encoder 1.
    gpu: True = it must run on one, False = it must not, None = where llama.cpp sees fit.
    """

    path: Path
    pooling: Pooling
    context: int
    width: int
    threads: int
    gpu: bool | None = None


@attrs.frozen(kw_only=True)
class SpecialTokens:
    """The tokens that a model wants before and after its input, and between the two texts of a pair."""

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]


class Stop:
    """A flag that llama.cpp reads between two steps of its computation without coming back to Python.

    A callback in Python would need the interpreter's lock 25 times a layer, and a busy host makes it wait each time
    (measured: 1.6 times slower). C's `strlen` is such a function by itself: 0 while the buffer is empty, else 1.
    """

    def __init__(self) -> None:
        self._buffer = ctypes.create_string_buffer(2)

    def set(self) -> None:
        """Ask to stop."""
        self._buffer[0] = b"\1"

    def clear(self) -> None:
        """Take it back."""
        self._buffer[0] = b"\0"

    def attach(self, api: Any, context: Any) -> None:
        """Let a context obey this flag."""
        library = ctypes.CDLL(None) if os.name == "posix" else ctypes.CDLL("msvcrt")
        self._function = ctypes.cast(library.strlen, api.ggml_abort_callback)
        api.llama_set_abort_callback(context, self._function, ctypes.cast(self._buffer, ctypes.c_void_p))


class Loaded:
    """Model, context and batch in llama.cpp's memory."""

    def __init__(self, setup: Setup) -> None:
        self._api = _library()
        self._setup = setup
        self._model = self._context = self._batch = None
        self.stop = Stop()
        try:
            self._model = self._load_model()
            self._context = self._make_context()
            self._batch = self._make_batch()
        except BaseException:
            self.free()
            raise
        self._vocabulary = self._api.llama_model_get_vocab(self._model)
        self._memory = self._api.llama_get_memory(self._context)
        # Some converters mark the unknown token as a control token; no other one can come out of a text.
        self._strange = (
            self._api.LLAMA_TOKEN_ATTR_UNKNOWN | self._api.LLAMA_TOKEN_ATTR_CONTROL | self._api.LLAMA_TOKEN_ATTR_BYTE
        )
        self.stop.attach(self._api, self._context)
        self.special = self._special_tokens()

    def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """The text's tokens; special: with those that the model wants around it."""
        data = text.encode("utf-8", "replace")
        room = len(data) + 4
        while True:
            buffer = (self._api.llama_token * room)()
            count = self._api.llama_tokenize(self._vocabulary, data, len(data), buffer, room, special, False)
            if count >= 0:
                return list(buffer[:count])
            room = -count

    def piece(self, token: int) -> str | None:
        """A token as the vocabulary writes it; None for the unknown one and raw bytes."""
        attributes = self._api.llama_vocab_get_attr(self._vocabulary, token)
        if attributes & self._strange:
            return None
        text: bytes = self._api.llama_vocab_get_text(self._vocabulary, token)
        return text.decode("utf-8", "replace")

    def run(self, tokens: Sequence[int]) -> NDArray[np.float32] | None:
        """The pooled vector of one input, None when stopped."""
        import numpy as np

        count = len(tokens)
        if not 0 < count <= self._setup.context:
            raise ComisError(f"an input has {count} tokens; the model takes 1 to {self._setup.context}")
        batch: Any = self._batch
        batch.n_tokens = count
        ctypes.memmove(batch.token, (self._api.llama_token * count)(*tokens), count * ctypes.sizeof(ctypes.c_int32))
        if self._memory:
            self._api.llama_memory_clear(self._memory, True)
        code = self._api.llama_decode(self._context, batch)
        if code == ABORTED:
            return None
        vector = self._api.llama_get_embeddings_seq(self._context, 0) if code == 0 else None
        if not vector:
            raise ComisError(f"the model {self._setup.path.name} failed (llama.cpp says {code})")
        return np.array(vector[: self._setup.width], np.float32)

    def free(self) -> None:
        """Give the memory back, context before model."""
        if self._batch is not None:
            self._api.llama_batch_free(self._batch)
        if self._context is not None:
            self._api.llama_free(self._context)
        if self._model is not None:
            self._api.llama_model_free(self._model)
        self._model = self._context = self._batch = None

    def _load_model(self) -> Any:
        parameters = self._api.llama_model_default_params()
        if self._setup.gpu is not None:
            parameters.n_gpu_layers = ALL_LAYERS_ON_GPU if self._setup.gpu else 0
        if self._setup.gpu and not self._api.llama_supports_gpu_offload():
            raise ComisError(
                "llama-cpp-python was built without support for a GPU", hint="build it with one, or say auto or false"
            )
        model = self._api.llama_model_load_from_file(os.fsencode(self._setup.path), parameters)
        if not model:
            raise ComisError(
                f"llama.cpp cannot load {self._setup.path}",
                hint=f"fetch or convert it again; the logger {LOGGER!r} at level ERROR shows what is wrong",
            )
        self._check_width(model)
        return model

    def _check_width(self, model: Any) -> None:
        """Raise ComisError when a vector is not as long as its file's header says: what lies behind it is not ours."""
        if self._setup.pooling is Pooling.RANK:
            return
        # Older versions know no models whose output has another length than their inner vectors.
        length = getattr(self._api, "llama_model_n_embd_out", self._api.llama_model_n_embd)(model)
        if length != self._setup.width:
            self._api.llama_model_free(model)
            raise ComisError(f"{self._setup.path} has vectors of {length} values instead of {self._setup.width}")

    def _make_context(self) -> Any:
        setup, parameters = self._setup, self._api.llama_context_default_params()
        # An encoder sees its whole input at once, so both batch sizes must hold it.
        parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = setup.context
        parameters.n_seq_max = 1
        parameters.n_threads = parameters.n_threads_batch = setup.threads
        parameters.embeddings = True
        parameters.pooling_type = int(setup.pooling)
        context = self._api.llama_init_from_model(self._model, parameters)
        if not context:
            raise ComisError(f"llama.cpp cannot run {setup.path}", hint="it may need more memory than there is")
        return context

    def _make_batch(self) -> Any:
        """A batch for one sequence, in which only the tokens change from run to run."""
        batch = self._api.llama_batch_init(self._setup.context, 0, 1)
        for place in range(self._setup.context):
            batch.pos[place] = place
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = 0
            batch.logits[place] = 1
        return batch

    def _special_tokens(self) -> SpecialTokens:
        """What llama.cpp puts around a text; between two, BERT has one separator and others end the first before it."""
        api, vocabulary = self._api, self._vocabulary
        around = tuple(self.tokenize("", special=True))
        begins = bool(around) and around[0] == api.llama_vocab_bos(vocabulary)
        separator, end = api.llama_vocab_sep(vocabulary), api.llama_vocab_eos(vocabulary)
        between = []
        if api.llama_vocab_type(vocabulary) == api.LLAMA_VOCAB_TYPE_WPM:
            between = [separator]
        else:
            between += [end] if api.llama_vocab_get_add_eos(vocabulary) else []
            between += [separator] if api.llama_vocab_get_add_sep(vocabulary) else []
        return SpecialTokens(
            before=around[: int(begins)],
            between=tuple(token for token in between if token != api.LLAMA_TOKEN_NULL),
            after=around[int(begins) :],
        )


def _library() -> Any:
    """llama.cpp's functions, with its log switched off unless the program has set a level for it."""
    try:
        from llama_cpp import llama_cpp
    except Exception as error:
        raise ComisError(f"llama-cpp-python cannot be imported: {error}", hint=INSTALL) from error
    log = logging.getLogger(LOGGER)
    if log.level == logging.NOTSET:
        log.setLevel(SILENT)
    llama_cpp.llama_backend_init()
    return llama_cpp
