"""Engines on files with made-up memories in them, each made once a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
from naive import Naive
from synthetic import NOW, Language, RandomEmbedder, batches, memories

import comis_core
from comis_core.clock import ManualClock
from comis_core.specs import EmbedderSpec
from comis_core.store import codes

if TYPE_CHECKING:
    from comis_core import Engine
    from comis_core.model import NewMemory

MODELS = {"random": "bench-random", "static": "auto", "none": "none"}
"""What a bench calls an embedder -> what the configuration calls it."""
EXPANDERS = ("adjacent", "session", "speaker", "dateWindow", "turnKind", "temporal", "causal", "graphSpread")


def _lanes(**enabled: bool) -> dict[str, Any]:
    return {"lanes": {name: {"enabled": on} for name, on in enabled.items()}}


TWO_LANES: Mapping[str, Any] = {
    "rag": {
        **_lanes(fts=False, lexical=True, vector=True, **dict.fromkeys(EXPANDERS, False)),
        "entityLane": {"enabled": False},
        "mmr": {"enabled": False},
    }
}
"""By words and by meaning, and nothing that looks around the best."""
EVERYTHING: Mapping[str, Any] = {
    "rag": {
        **_lanes(fts=True, lexical=True, vector=True, **dict.fromkeys(EXPANDERS, True)),
        "entityLane": {"enabled": True},
        "mmr": {"enabled": False},
    }
}
"""Every lane and every expander."""
WITH_MMR: Mapping[str, Any] = {"rag": {**EVERYTHING["rag"], "mmr": {"enabled": True}}}
"""The same, and the diversifier."""
WORDS_ONLY: Mapping[str, Any] = {"rag": _lanes(fts=False, lexical=True, vector=False)}


PRECISIONS = ("float32", "int8")
"""How the vectors of a large scope can be compared; the second with the extra `fast`."""


def precisions(count: int) -> Sequence[str]:
    """Those in which so many vectors can be compared here."""
    return PRECISIONS if codes.worth(count, RandomEmbedder.dimensions) else PRECISIONS[:1]


@contextmanager
def compared(precision: str) -> Iterator[None]:
    """Slabs that are loaded within are of a precision."""
    large = codes.LARGE
    if precision == "float32":
        codes.LARGE = sys.maxsize
    try:
        yield
    finally:
        codes.LARGE = large


class BenchPlugin:
    """A plugin with the random embedder."""

    @comis_core.hookimpl
    def comis_embedders(self) -> list[EmbedderSpec]:
        """The one embedder."""
        return [EmbedderSpec(name="bench_random", build=lambda context, model: RandomEmbedder(), claims=_claimed)]


def _claimed(model: str) -> bool:
    return model == "bench-random"


@contextmanager
def opened(path: Path, *, overrides: Mapping[str, Any] | None = None, embedder: str = "random") -> Iterator[Engine]:
    """An engine on a file, preset `tuned`, with a clock that stands still.

    embedder: "random", "static" or "none".
    """
    without = () if embedder == "static" else ("embed_static", "embed_onnx")
    engine = comis_core.open(
        path,
        config={"memory": {"recall": {"embeddingModel": MODELS[embedder]}}},
        preset="tuned",
        clock=ManualClock(NOW),
        overrides=overrides,
        plugins={"bench": BenchPlugin()} if embedder == "random" else {},
        disable=without,
    )
    with engine:
        yield engine


def store(engine: Engine, agent: str, rows: Sequence[NewMemory]) -> None:
    """Store rows for an agent in batches, as a caller would."""
    handle = engine.agent(agent)
    for batch in batches(rows):
        handle.store_many(batch)


@attrs.define(eq=False)
class Worlds:
    """Files that several benchmarks share. scale: 1 for the sizes of the targets. others: strangers in the file."""

    folder: Path
    scale: float = 1.0
    others: int = 1_000_000
    language: Language = attrs.field(factory=Language.of)
    log: Callable[[str], None] = print
    _files: dict[str, Path] = attrs.field(factory=dict, init=False)

    def sized(self, count: int) -> int:
        """A number of memories at this scale, at least 200."""
        return max(200, round(count * self.scale))

    def rows(self, count: int, seed: int) -> Sequence[NewMemory]:
        """Made-up memories."""
        return memories(self.language, count, seed)

    def path(self, name: str) -> Path:
        """Where a new file of a name goes."""
        return self.folder / f"{name}.db"

    def scopes(self, name: str, sizes: Mapping[str, int], overrides: Mapping[str, Any]) -> Path:
        """A file with scopes of so many memories each, embedded by the random embedder."""
        if name not in self._files:
            self.log(f"making {sum(sizes.values()):,} memories in {len(sizes)} scopes")
            with opened(self.path(name), overrides=overrides) as engine:
                for seed, (agent, count) in enumerate(sizes.items()):
                    store(engine, agent, self.rows(count, seed))
                engine.drain()
            self._files[name] = self.path(name)
        return self._files[name]

    def naive(self, name: str, sizes: Mapping[str, int]) -> Naive:
        """The naive file with the same memories."""
        naive = Naive(self.path(f"{name}-naive"))
        for seed, (scope, count) in enumerate(sizes.items()):
            for batch in batches(self.rows(count, seed)):
                naive.add(scope, batch)
        return naive
