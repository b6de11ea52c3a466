"""Plugin `embed_llama`: any embedding model in a GGUF file, run by llama.cpp."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.gguf.files import is_gguf
from comis_core.specs import EmbedderSpec, on_demand


@hookimpl
def comis_embedders() -> Iterable[EmbedderSpec]:
    """The GGUF embedder; under `auto` it comes after an ONNX export and before the static model."""
    yield EmbedderSpec(
        name="embed_llama",
        build=on_demand("comis_plugins.embed_llama.locate:build"),
        order=15,
        claims=is_gguf,
        help="an embedding model in a GGUF file: a path, or hf:owner/repository:file.gguf once it was fetched",
    )
