"""Plugin `rerank`: a cross-encoder in a GGUF file reads question and candidate together."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import RerankerSpec, Section, on_demand
from comis_plugins.rerank.options import RerankOptions


@hookimpl
def comis_rerankers() -> Iterable[RerankerSpec]:
    """The reranker; without `enabled` it is on when its model's file is there."""
    yield RerankerSpec(
        name="rerank",
        build=on_demand("comis_plugins.rerank.reranker:build"),
        sections=(Section("rag.rerank", RerankOptions),),
        help="a cross-encoder in a GGUF file, run by llama.cpp, for the head of the fused candidates",
    )
