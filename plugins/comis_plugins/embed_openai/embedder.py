"""The embedder: batches, windows, unit vectors."""

from __future__ import annotations

import importlib.util
import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import attrs

from comis_core.errors import EmbedderError, PartInactive
from comis_core.protocols import BuildContext
from comis_plugins.embed_openai.client import Client
from comis_plugins.embed_openai.options import PREFIX, HostedOptions

if TYPE_CHECKING:
    from comis_core.protocols import Matrix

HOME = "https://api.openai.com/v1/"
DEFAULT_MODEL = "text-embedding-3-small"
WINDOW = 4000
"""Characters of a window at most."""
OVERLAP = 400
BYTES = 8000
"""Bytes of a text at most, in UTF-8. A byte-level tokenizer makes no more tokens than bytes, so that the usual limit of
8,191 tokens holds in every script; characters say little, since one may take up to four tokens."""
QUESTION_SECONDS = 4.0
"""What tries and pauses for a question may take together: a recall gives the embedder up after five, or after
`rag.deadlineMs` if that is less."""
INSTALL = "pip install 'comis-core[openai]'"


def build(context: BuildContext, model: str | None, options: HostedOptions) -> HostedEmbedder:
    """The embedder of an agent; one connection an endpoint, shared within the engine. Nothing is sent yet.

    Raises PartInactive under `auto` unless an address and a key are there, EmbedderError when a named model cannot be
    used.
    """
    address = context.setting("memory.recall.embeddingBaseUrl")
    key = os.environ.get(options.api_key_env, "")
    if model is None and not (address and key and installed()):
        raise PartInactive("no hosted model is configured", hint="set memory.recall.embeddingModel")
    if not installed():
        raise EmbedderError(f"the embedding model {model} needs httpx", hint=INSTALL)
    if not key:
        raise EmbedderError(
            f"the embedding model {model} needs a key", hint=f"set the environment variable {options.api_key_env}"
        )
    base_url = checked_address(address or HOME)
    client = context.resource(
        ("embed_openai", base_url, key, options),
        lambda: Client(base_url, key, options.timeout_seconds, options.retries),
    )
    return HostedEmbedder(
        client=client,
        model=(model or DEFAULT_MODEL).removeprefix(PREFIX),
        dimensions=context.setting("memory.recall.embeddingDimensions"),
        options=options,
    )


def installed() -> bool:
    """Whether the extra's library is there; nothing is imported."""
    return importlib.util.find_spec("httpx") is not None


def checked_address(address: str) -> str:
    """The address with a slash at its end. Raises EmbedderError for one that would send the key in the clear."""
    parts = urlsplit(address)
    local = parts.hostname in {"localhost", "127.0.0.1", "::1"}
    if not parts.hostname or not (parts.scheme == "https" or (parts.scheme == "http" and local)):
        raise EmbedderError(
            f"memory.recall.embeddingBaseUrl is {address!r}",
            hint="write https://HOST/PATH; http is for this machine only",
        )
    return address.rstrip("/") + "/"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class HostedEmbedder:
    """A hosted model. `dimensions` is what its vectors must have."""

    client: Client
    model: str
    dimensions: int
    options: HostedOptions

    @property
    def fingerprint(self) -> str:
        """Names the endpoint's host, the model and its dimensions."""
        host = urlsplit(self.client.base_url).netloc
        return f"openai:{host}:{self.model}:{self.dimensions}"

    def embed(self, texts: Sequence[str], kind: str) -> Matrix:
        """float32[len(texts), d], unit length.

        Raises:
            EmbedderError: the endpoint failed, or its vectors have another length than embeddingDimensions.
        """
        import numpy as np

        rows: list[Sequence[float]] = []
        for start in range(0, len(texts), self.options.batch_size):
            body = self._body(texts[start : start + self.options.batch_size])
            rows += self.client.embed(body, seconds=QUESTION_SECONDS if kind == "query" else math.inf)
        lengths = {len(row) for row in rows}
        if lengths - {self.dimensions}:
            raise EmbedderError(
                f"the model {self.model} gives vectors of {', '.join(map(str, sorted(lengths)))} numbers",
                hint="write that number as memory.recall.embeddingDimensions",
            )
        matrix = np.array(rows, np.float32).reshape(len(texts), self.dimensions)
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        matrix /= np.where(norms > 0, norms, 1)
        return matrix

    def windows(self, text: str) -> Sequence[str]:
        """Pieces of 4,000 characters and 8,000 bytes at most that share 400 characters; [text] when it is short."""
        windows: list[str] = []
        start = 0
        while True:
            windows.append(_beginning(text[start : start + WINDOW], BYTES))
            end = start + len(windows[-1])
            if end >= len(text):
                return windows
            start = end - OVERLAP

    def available(self) -> bool:
        """Whether it is configured; the endpoint is not asked."""
        return installed()

    def confidence(self, text: str) -> float:
        """1: nothing is known of how a hosted model sees a text."""
        return 1.0

    def _body(self, texts: Sequence[str]) -> dict[str, object]:
        # The endpoints refuse an empty text; a space has a vector.
        body: dict[str, object] = {"model": self.model, "input": [_fitting(text) or " " for text in texts]}
        return body | ({"dimensions": self.dimensions} if self.options.send_dimensions else {})


def _fitting(text: str) -> str:
    """The text, or its two ends when it is too long: what is asked stands before or behind a long passage."""
    if len(_utf8(text)) <= BYTES:
        return text
    half = (BYTES - 1) // 2
    end = len(_utf8(text)[-half:].decode(errors="ignore"))
    return f"{_beginning(text, half)}\n{text[-end:]}"


def _beginning(text: str, most: int) -> str:
    """As many of its first characters as have no more bytes than that."""
    return text[: len(_utf8(text)[:most].decode(errors="ignore"))]


def _utf8(text: str) -> bytes:
    return text.encode(errors="replace")  # a lone surrogate is one character either way
