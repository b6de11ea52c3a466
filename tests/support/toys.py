"""A plugin with toy embedders whose documents can be held up, and that remember what they were asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import comis_core
from comis_core.errors import EmbedderError
from comis_core.specs import EmbedderSpec
from comis_core.testing import ToyEmbedder

if TYPE_CHECKING:
    from comis_core.protocols import Matrix

PATIENCE = 60.0
"""Seconds after which a test that waits for another thread has failed."""


class HeldToy(ToyEmbedder):
    """A toy embedder that embeds documents while `go` is set, none with the word `refused` in it."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self.go = threading.Event()
        self.go.set()
        self.held = threading.Event()
        self.refused = ""
        self.queries: list[str] = []
        self.documents: list[str] = []

    def embed(self, texts: Sequence[str], kind: str) -> Matrix:
        if kind == "document":
            if not self.go.is_set():
                self.held.set()
                if not self.go.wait(PATIENCE):
                    raise TimeoutError("held up for too long")
            if self.refused and any(self.refused in text for text in texts):
                raise EmbedderError("this text cannot be embedded")
        (self.queries if kind == "query" else self.documents).extend(texts)
        return super().embed(texts, kind)


class Toys:
    """The plugin. Its models are called toy-16, toy-256 and so on; one embedder each."""

    def __init__(self) -> None:
        self.made: dict[str, HeldToy] = {}

    def __getitem__(self, model: str) -> HeldToy:
        return self.made.setdefault(model, HeldToy(int(model.removeprefix("toy-"))))

    @comis_core.hookimpl
    def comis_embedders(self) -> list[EmbedderSpec]:
        return [EmbedderSpec(name="toys", build=self._build, claims=lambda model: model.startswith("toy-"))]

    def _build(self, context: Any, model: str | None) -> HeldToy:
        return self[model or "toy-16"]


def vectors_only(model: str, **agents: str) -> Mapping[str, Any]:
    """A config in which the vector lane alone answers. agents: name -> a model of its own."""
    rag = {
        "minScore": 0.0,
        "lanes": {"fts": {"enabled": False}, "vector": {"enabled": True, "fullStems": 0}},
    }
    own = {name: {"embedding": theirs, "rag": rag} for name, theirs in agents.items()}
    return {"memory": {"recall": {"embeddingModel": model}}, "agents": {"default": {"rag": rag}, **own}}


def in_threads(count: int, work: Callable[[int], None]) -> Callable[[], None]:
    """Start `work` in threads; what is returned waits for them and raises the first thing that any of them raised."""
    raised: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()

    def join() -> None:
        for thread in threads:
            thread.join(PATIENCE)
        if raised:
            raise raised[0]
        assert not any(thread.is_alive() for thread in threads)

    return join
