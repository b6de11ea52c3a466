"""A GGUF model at work: tokens in, the pooled vector of one text out. Loaded when needed, shared by threads."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from comis_core.errors import ComisError
from comis_core.gguf.native import Loaded, Setup, SpecialTokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def installed() -> bool:
    """Whether llama-cpp-python is there; nothing is imported."""
    return importlib.util.find_spec("llama_cpp") is not None


def usable_threads(wanted: int | None = None) -> int:
    """One thread less than the cores this process may use, at least one, at most `wanted`.

    On a busy machine llama.cpp with a thread for every core is many times slower than with one.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores - 1, wanted or cores))


class Network:
    """A model, loaded when it is first needed. Threads may share it: it does one thing at a time.

    Raises:
        ComisError: by every method: it cannot be loaded, it failed, or it was closed.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._lock = threading.RLock()
        self._loaded: Loaded | None = None
        self._closed = False

    def load(self) -> None:
        """Load the model now."""
        self._get()

    def tokens(self, text: str) -> list[int]:
        """The text's tokens without special ones; "[SEP]" in a text is text like any other."""
        with self._lock:
            return self._get().tokenize(text)

    def pieces(self, text: str) -> list[str | None]:
        """The text's tokens as the vocabulary writes them, None for one that stands for what it does not know."""
        with self._lock:
            loaded = self._get()
            return [loaded.piece(token) for token in loaded.tokenize(text)]

    @property
    def special(self) -> SpecialTokens:
        """The tokens that this model wants around texts."""
        return self._get().special

    def run(self, tokens: Sequence[int]) -> NDArray[np.float32] | None:
        """float32[width] for one input of at most `context` tokens; None when it was stopped on the way."""
        with self._lock:
            return self._get().run(tokens)

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Keep the model for several runs, which are stopped when the time is over.

        Raises:
            ComisError: it was at work for somebody else all the time.
        """
        if not self._lock.acquire(timeout=max(0.0, seconds)):
            raise ComisError("the model was at work for another call all the time")
        try:
            stop = self._get().stop
            timer = threading.Timer(max(0.0, seconds), stop.set)
            timer.daemon = True
            timer.start()
            try:
                yield
            finally:
                timer.cancel()
                timer.join()
                stop.clear()
        finally:
            self._lock.release()

    def close(self) -> None:
        """Stop what is under way and free the model. Twice is harmless."""
        self._closed = True
        if self._loaded is not None:
            self._loaded.stop.set()
        with self._lock:
            if self._loaded is not None:
                self._loaded.free()
            self._loaded = None

    def _get(self) -> Loaded:
        with self._lock:
            if self._closed:
                raise ComisError(f"the model {self._setup.path.name} was closed")
            if self._loaded is None:
                self._loaded = Loaded(self._setup)
            return self._loaded
