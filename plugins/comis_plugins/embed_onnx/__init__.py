"""Plugin `embed_onnx`: any sentence-transformers ONNX export in a local folder, run by onnxruntime."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import EmbedderSpec, on_demand


@hookimpl
def comis_embedders() -> Iterable[EmbedderSpec]:
    """The ONNX embedder; a local model comes first under `auto`."""
    from comis_plugins.embed_onnx.locate import claims

    yield EmbedderSpec(
        name="embed_onnx",
        build=on_demand("comis_plugins.embed_onnx.locate:build"),
        order=10,
        claims=claims,
        help="a sentence-transformers ONNX export in a local folder; nothing is ever downloaded",
    )
