"""Rerankers share a loaded model as long as they want it run in the same way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from comis_plugins.rerank import reranker as module
from comis_plugins.rerank.options import RerankOptions


def key(monkeypatch: pytest.MonkeyPatch, **settings: Any) -> tuple[object, ...]:
    """Under which key a reranker with these settings asks for its model."""
    asked: list[tuple[object, ...]] = []

    def resource(key: tuple[object, ...], load: Callable[[], object]) -> object:
        asked.append(key)
        return SimpleNamespace(encoder=None, pace=None)

    known = {"memory.recall.rerankerGpu": "auto", "memory.recall.rerankerThreads": 4}
    known |= {f"memory.recall.reranker{name}": value for name, value in settings.items()}
    monkeypatch.setattr(module, "find_model", lambda context, forced: SimpleNamespace(path=Path("rank.gguf")))
    context: Any = SimpleNamespace(setting=known.__getitem__, resource=resource)
    module.build(context, RerankOptions())
    return asked[0]


def test_equal_settings_share(monkeypatch: pytest.MonkeyPatch) -> None:
    assert key(monkeypatch) == key(monkeypatch)


@pytest.mark.parametrize("other", [{"Threads": 2}, {"Gpu": False}, {"Gpu": "cuda"}])
def test_other_settings_do_not(monkeypatch: pytest.MonkeyPatch, other: dict[str, Any]) -> None:
    assert key(monkeypatch) != key(monkeypatch, **other)
