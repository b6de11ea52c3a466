"""Engines on files with made-up memories in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import comis_core
from comis_core.clock import ManualClock
from comis_core.specs import EmbedderSpec
from synthetic import NOW, Language, RandomEmbedder, batches, memories

if TYPE_CHECKING:
    from comis_core import Engine
    from comis_core.model import NewMemory

LANGUAGE = Language.of()
RANDOM_MODEL = {"memory": {"recall": {"embeddingModel": "bench-random"}}}
TWO_LANES: Mapping[str, Any] = {
    "rag": {"lanes": {"fts": {"enabled": False}, "lexical": {"enabled": True}, "vector": {"enabled": True}}}
}
"""The lanes by words and by meaning; whatever else there is keeps its preset."""


class BenchPlugin:
    """A plugin with the random embedder."""

    @comis_core.hookimpl
    def comis_embedders(self) -> list[EmbedderSpec]:
        """The one embedder."""
        return [EmbedderSpec(name="bench_random", build=lambda context, model: RandomEmbedder(), claims=_claimed)]


def _claimed(model: str) -> bool:
    return model == "bench-random"


@contextmanager
def opened(
    path: Path, *, preset: str = "tuned", overrides: Mapping[str, Any] | None = None, embedder: bool = True
) -> Iterator[Engine]:
    """An engine on a file with a clock that stands still; with the random embedder, or none at all."""
    engine = comis_core.open(
        path,
        config=RANDOM_MODEL if embedder else {},
        preset=preset,
        clock=ManualClock(NOW),
        overrides=overrides,
        plugins={"bench": BenchPlugin()},
        disable=() if embedder else ("embed_static", "embed_onnx"),
    )
    with engine:
        yield engine


def fill(engine: Engine, agent: str, rows: Sequence[NewMemory]) -> None:
    """Store rows for an agent and embed them."""
    handle = engine.agent(agent)
    for batch in batches(rows):
        handle.store_many(batch)
    engine.drain()


def rows_of(count: int, seed: int) -> Sequence[NewMemory]:
    """Made-up memories."""
    return memories(LANGUAGE, count, seed)
