"""Plugin `embed_static`: averages of word-piece vectors from the `wordllama` wheel; no network, no compiler."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import EmbedderSpec, on_demand


def claims(model: str) -> bool:
    """Whether a configured model name is this embedder's."""
    return model.strip().casefold() in {"static", "wordllama", "wordllama-256"}


@hookimpl
def comis_embedders() -> Iterable[EmbedderSpec]:
    """The static embedder; under `auto` it comes after local models and before hosted ones."""
    yield EmbedderSpec(
        name="embed_static",
        build=on_demand("comis_plugins.embed_static.embedder:build"),
        order=20,
        claims=claims,
        help="256-d averages of word-piece vectors (WordLlama), offline, some 8,000 short texts a second",
    )
