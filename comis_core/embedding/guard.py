"""The embedder that everything else sees: a plugin's embedder with its answers checked and its queries cached."""

from __future__ import annotations

import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from comis_core.embedding.limits import TimeLimit
from comis_core.errors import ComisError, EmbedderError
from comis_core.protocols import Embedder

if TYPE_CHECKING:
    from comis_core.embedding.cache import VectorCache
    from comis_core.protocols.reading import Matrix

T = TypeVar("T")

QUERIES_KEPT = 512
"""Query vectors kept in RAM: 0.8 MB at 384 dimensions."""

TOLERANCE = 0.02
"""A length this far from 1 is rounding (half precision, quantised weights) and put right; farther is a fault."""

_EXACT = 1e-6

_QUOTED = 12
"""So many characters in a row that an error shares with a text are a quotation."""

KINDS = ("query", "document")


class GuardedEmbedder:
    """An embedder (`protocols.Embedder`) whose vectors are finite float32 unit vectors of its dimensions, or an error.

    Query vectors are cached in RAM. Nothing is kept of a document's.

    Args:
        embedder: the plugin's.
        plugin: which plugin, distribution and version it came from, for messages.
        cache: vectors of earlier runs, for evaluation and repeated imports.
        query_seconds, document_seconds: how long a call may take; None does without the limit and its thread.

    Raises:
        EmbedderError: it has no fingerprint or no dimensions.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        plugin: str,
        cache: VectorCache | None = None,
        queries_kept: int = QUERIES_KEPT,
        query_seconds: float | None = None,
        document_seconds: float | None = None,
    ) -> None:
        self._embedder = embedder
        self._plugin = plugin
        self._cache = cache
        limits = {"query": query_seconds, "document": document_seconds}
        self._limits = {kind: TimeLimit(seconds) for kind, seconds in limits.items() if seconds is not None}
        self._queries = _Recent(queries_kept)
        self.dimensions = self._own_dimensions()
        self.fingerprint = self._own_fingerprint()

    @property
    def inline(self) -> bool:
        """Whether the plugin says that it is so quick that memories can be embedded before `store` returns."""
        return bool(getattr(self._embedder, "inline", False))

    def embed(self, texts: Sequence[str], kind: str) -> Matrix:
        """float32[len(texts), dimensions], unit length. kind: "query" or "document".

        Raises:
            EmbedderError: the plugin failed or answered with something else; the message has no text of `texts`.
        """
        if kind not in KINDS:
            raise EmbedderError(f"a text is embedded as {' or '.join(KINDS)}, not as {kind!r}")
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        keys = [text_key(self.fingerprint, kind, text) for text in texts]
        missing = self._recall(keys, kind, vectors)
        if missing:
            fresh = self._compute([texts[place] for place in missing], kind)
            vectors[missing] = fresh
            self._remember([keys[place] for place in missing], kind, fresh)
        return vectors

    def windows(self, text: str) -> Sequence[str]:
        """The overlapping pieces of a document that fit the model; at least one. Raises EmbedderError."""
        pieces = self._call(lambda: list(self._embedder.windows(text)), [text])
        if not pieces or not all(isinstance(piece, str) for piece in pieces):
            raise EmbedderError(f"{self._plugin} cut a text into windows that are no texts")
        return pieces

    def available(self) -> bool:
        """Whether the plugin says that it can embed; an exception means no."""
        try:
            return bool(self._embedder.available())
        except Exception:  # noqa: BLE001 - a probe has no failure of its own
            return False

    def confidence(self, text: str) -> float:
        """0..1: how well the model sees this text. Raises EmbedderError for anything else than a number."""
        value = self._call(lambda: float(self._embedder.confidence(text)), [text])
        if not math.isfinite(value):
            raise EmbedderError(f"{self._plugin} has the confidence {value}", hint="it must lie in 0..1")
        return min(1.0, max(0.0, value))

    def close(self) -> None:
        """Close the cache; the plugin's embedder is closed by whoever built it."""
        if self._cache is not None:
            self._cache.close()

    # -- answers of earlier calls

    def _recall(self, keys: Sequence[bytes], kind: str, vectors: Matrix) -> list[int]:
        """Fill in what is known; the places that are not."""
        missing = []
        for place, key in enumerate(keys):
            known = self._queries.get(key) if kind == "query" else None
            if known is None:
                missing.append(place)
            else:
                vectors[place] = known
        if self._cache is None or not missing:
            return missing
        stored = self._cache.get([keys[place] for place in missing], self.dimensions)
        for place in missing:
            if keys[place] in stored:
                vectors[place] = stored[keys[place]]
        return [place for place in missing if keys[place] not in stored]

    def _remember(self, keys: Sequence[bytes], kind: str, vectors: Matrix) -> None:
        if kind == "query":
            for key, vector in zip(keys, vectors, strict=True):
                self._queries.put(key, vector)
        if self._cache is not None:
            self._cache.put(keys, vectors)

    # -- the plugin

    def _compute(self, texts: Sequence[str], kind: str) -> Matrix:
        limit = self._limits.get(kind)

        def work() -> Matrix:
            return self._embedder.embed(texts, kind)

        raw = self._call(work if limit is None else lambda: limit.call(work), texts)
        return unit_vectors(raw, len(texts), self.dimensions, self._plugin)

    def _call(self, work: Callable[[], T], texts: Sequence[str]) -> T:
        try:
            return work()
        except Exception as error:
            raise EmbedderError(f"{self._plugin} failed: {_told(error, texts)}") from error

    def _own_dimensions(self) -> int:
        dimensions = self._embedder.dimensions
        if not isinstance(dimensions, int) or dimensions < 1:
            raise EmbedderError(f"{self._plugin} has {dimensions!r} dimensions", hint="a positive integer is needed")
        return dimensions

    def _own_fingerprint(self) -> str:
        fingerprint = self._embedder.fingerprint
        if not isinstance(fingerprint, str) or not fingerprint.strip():
            raise EmbedderError(f"{self._plugin} has the fingerprint {fingerprint!r}", hint="name the embedding space")
        return fingerprint


def text_key(fingerprint: str, kind: str, text: str) -> bytes:
    """16 bytes that stand for a text under a model; the text cannot be had back from them."""
    head = f"{fingerprint}\0{kind}\0".encode()
    return hashlib.blake2b(head + text.encode(errors="surrogatepass"), digest_size=16).digest()


def unit_vectors(raw: object, count: int, dimensions: int, plugin: str) -> Matrix:
    """float32[count, dimensions] of exact unit length from what an embedder returned.

    Raises:
        EmbedderError: another shape, a number that is not finite, a zero vector, or a length that is no rounding.
    """
    try:
        vectors = np.array(raw, np.float32, order="C")
    except (TypeError, ValueError) as error:
        raise EmbedderError(f"{plugin} returned {type(raw).__name__} instead of an array of numbers") from error
    if vectors.shape != (count, dimensions):
        raise EmbedderError(f"{plugin} returned vectors of shape {vectors.shape} instead of {(count, dimensions)}")
    if not np.isfinite(vectors).all():
        place = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise EmbedderError(f"{plugin} returned a number that is not finite for text {place} of {count}")
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    if count and not lengths.all():
        place = int(np.flatnonzero(lengths == 0)[0])
        raise EmbedderError(f"{plugin} returned a zero vector for text {place} of {count}")
    off = np.abs(lengths - 1)
    if count and off.max() > TOLERANCE:
        place = int(off.argmax())
        raise EmbedderError(
            f"{plugin} returned a vector of length {lengths[place]:.4g} for text {place} of {count}",
            hint="an embedder returns unit vectors",
        )
    if count and off.max() > _EXACT:
        vectors /= lengths[:, None].astype(np.float32)
    return vectors


def _told(error: Exception, texts: Sequence[str]) -> str:
    """An exception's words, unless they quote a text; those of foreign exceptions often do."""
    name = type(error).__name__
    if not isinstance(error, ComisError | TimeoutError | ConnectionError):
        return name
    words = str(error)
    if any(_quotes(words, text) for text in texts):
        return name
    return words if isinstance(error, ComisError) else f"{name}: {words}"


def _quotes(words: str, text: str) -> bool:
    """Whether `words` hold the text, or so long a piece of it that it is no coincidence."""
    pieces = (text[start : start + _QUOTED] for start in range(max(1, len(text) - _QUOTED + 1)))
    return bool(text.strip()) and any(piece in words for piece in pieces)


class _Recent:
    """The last so many vectors by key, for any number of threads."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._vectors: OrderedDict[bytes, Matrix] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: bytes) -> Matrix | None:
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
            return vector

    def put(self, key: bytes, vector: Matrix) -> None:
        with self._lock:
            self._vectors[key] = vector.copy()
            self._vectors.move_to_end(key)
            while len(self._vectors) > self._kept:
                self._vectors.popitem(last=False)
