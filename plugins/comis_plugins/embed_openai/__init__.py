"""Plugin `embed_openai`: embeddings from any endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import EmbedderSpec, Section, on_demand


@hookimpl
def comis_embedders() -> Iterable[EmbedderSpec]:
    """The hosted embedder; last under `auto`, and only where an address is configured."""
    from comis_plugins.embed_openai.options import HostedOptions, claims

    yield EmbedderSpec(
        name="embed_openai",
        build=on_demand("comis_plugins.embed_openai.embedder:build"),
        sections=(Section("recall.hosted", HostedOptions, "engine"),),
        order=90,
        claims=claims,
        help="a hosted model behind an OpenAI-compatible endpoint, e.g. text-embedding-3-small or openai:NAME",
    )
