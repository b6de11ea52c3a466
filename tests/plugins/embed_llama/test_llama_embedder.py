"""The GGUF embedder: which file, and its vectors, windows and confidence on a tiny model."""

from __future__ import annotations

import importlib.util
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import bert
from support.gguf_files import (
    BEGIN,
    CLS,
    END,
    HEADS,
    LAST,
    LONGEST,
    MEAN,
    RANK,
    WIDTH,
    bert_keys,
    bert_weights,
    tiny_bert,
    tiny_tokens,
    write_gguf,
)

import comis_core
from comis_core.errors import ComisError, EmbedderError, PartInactive
from comis_core.testing import check_plugin
from comis_plugins.embed_llama import comis_embedders
from comis_plugins.embed_llama import embedder as module
from comis_plugins.embed_llama.embedder import LlamaEmbedder, build

needs_llama = pytest.mark.skipif(
    importlib.util.find_spec("llama_cpp") is None, reason="the extra [llama] is not installed"
)
REFERENCE = "hf:owner/tiny-GGUF:tiny.gguf"


def context(folder: Path, models: str = "models") -> Any:
    made: dict[object, object] = {}

    def resource(key: tuple[object, ...], factory: Callable[[], object]) -> object:
        if key not in made:
            made[key] = factory()
        return made[key]

    settings = {"memory.recall.rerankerModelsDir": models}
    return SimpleNamespace(folder=str(folder), resource=resource, setting=settings.__getitem__)


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra were installed: what is looked for on the disk does not depend on it."""
    monkeypatch.setattr(module, "installed", lambda: True)


def embedder_of(folder: Path, pooling: int = MEAN, **kind: Any) -> LlamaEmbedder:
    return build(context(folder), str(tiny_bert(folder / "tiny.gguf", pooling, **kind)))


def unit(text: str, pooling: str = "mean") -> NDArray[np.float64]:
    return bert.embedding(bert_weights(), [BEGIN, *tiny_tokens(text), END], HEADS, pooling)


# -- which file


@pytest.mark.parametrize(
    ("model", "claimed"),
    [
        ("models/minilm.gguf", True),
        (REFERENCE, True),
        ("/srv/models/minilm.gguf", True),
        ("onnx:models/minilm", False),
        ("text-embedding-3-small", False),
        ("static", False),
    ],
)
def test_configured_names_that_are_its_own(model: str, claimed: bool) -> None:
    (spec,) = comis_embedders()
    assert spec.claims(model) is claimed


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("place", ["models/tiny.gguf", "models/owner/tiny-GGUF/tiny.gguf"])
def test_auto_takes_an_embedding_model_in_the_folder_of_models(tmp_path: Path, place: str) -> None:
    tiny_bert(tmp_path / place)
    found = build(context(tmp_path))
    assert found.available()
    assert found.dimensions == WIDTH


@pytest.mark.usefixtures("there")
def test_auto_takes_the_first_by_path_and_passes_over_other_kinds_and_broken_files(tmp_path: Path) -> None:
    models = tmp_path / "models"
    write_gguf(models / "a-chat.gguf", {"general.architecture": "llama"})
    tiny_bert(models / "b-rank.gguf", RANK)
    (models / "c-broken.gguf").write_bytes(b"GGUF")
    first = tiny_bert(models / "d.gguf", seed=1)
    tiny_bert(models / "e.gguf", seed=2)
    assert build(context(tmp_path)).fingerprint == build(context(tmp_path), str(first)).fingerprint


def test_auto_without_a_model_is_inactive_and_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(PartInactive, match="models"):
        build(context(tmp_path))


@pytest.mark.usefixtures("there")
def test_the_folder_of_models_can_be_elsewhere(tmp_path: Path) -> None:
    tiny_bert(tmp_path / "shared" / "tiny.gguf")
    assert build(context(tmp_path, models=str(tmp_path / "shared"))).available()


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("place", ["models/tiny.gguf", "models/owner/tiny-GGUF/tiny.gguf"])
def test_a_reference_is_the_file_that_was_fetched_or_put_there(tmp_path: Path, place: str) -> None:
    tiny_bert(tmp_path / place)
    assert build(context(tmp_path), REFERENCE).available()


@pytest.mark.usefixtures("there")
def test_a_reference_that_was_not_fetched_says_how_and_touches_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket, "socket", refuse)
    with pytest.raises(EmbedderError, match=f"comis models fetch {REFERENCE}"):
        build(context(tmp_path), REFERENCE)


def test_a_path_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match=r"absent\.gguf"):
        build(context(tmp_path), "models/absent.gguf")


def test_missing_libraries_are_named_with_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_bert(tmp_path / "models" / "tiny.gguf")
    monkeypatch.setattr(module, "installed", lambda: False)
    with pytest.raises(PartInactive, match=r"comis-core\[llama\]"):
        build(context(tmp_path))
    with pytest.raises(EmbedderError, match=r"comis-core\[llama\]"):
        build(context(tmp_path), "models/tiny.gguf")


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize(("pooling", "words"), [(RANK, "a cross-encoder"), (0, "NONE"), (None, "nothing")])
def test_a_model_of_another_kind_is_refused(tmp_path: Path, pooling: int | None, words: str) -> None:
    tiny_bert(tmp_path / "tiny.gguf", pooling)
    with pytest.raises(EmbedderError, match=words):
        build(context(tmp_path), "tiny.gguf")


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.gguf").write_text("<html>", encoding="utf-8")
    with pytest.raises(ComisError, match="no GGUF file"):
        build(context(tmp_path), "page.gguf")


@pytest.mark.usefixtures("there")
def test_available_follows_the_file_and_loads_nothing(tmp_path: Path) -> None:
    path = tiny_bert(tmp_path / "tiny.gguf")
    path.write_bytes(path.read_bytes()[:-100])  # only loading would find this out
    embedder = build(context(tmp_path), "tiny.gguf")
    assert embedder.available()
    path.unlink()
    assert not embedder.available()


@pytest.mark.usefixtures("there")
def test_the_same_model_elsewhere_has_the_same_fingerprint(tmp_path: Path) -> None:
    first, second = embedder_of(tmp_path / "one"), embedder_of(tmp_path / "two")
    assert first.fingerprint == second.fingerprint


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize(("pooling", "seed"), [(MEAN, 1), (CLS, 0)])
def test_other_weights_or_another_pooling_are_another_fingerprint(tmp_path: Path, pooling: int, seed: int) -> None:
    changed = embedder_of(tmp_path / "two", pooling, seed=seed)
    assert embedder_of(tmp_path / "one").fingerprint != changed.fingerprint


# -- what the model says


@pytest.mark.llama
@needs_llama
@pytest.mark.parametrize(("pooling", "name"), [(MEAN, "mean"), (CLS, "cls"), (LAST, "last")])
def test_vectors_equal_a_forward_pass_in_numpy(tmp_path: Path, pooling: int, name: str) -> None:
    texts = ["Where does Ana live ?", "the cat", "bakery x1 in lisbon . the cat does live where ana lives !", ""]
    vectors = embedder_of(tmp_path, pooling).embed(texts, "document")
    assert vectors.dtype == np.float32
    for vector, text in zip(vectors, texts, strict=True):
        assert vector == pytest.approx(unit(text.casefold(), name), abs=1e-3)


@pytest.mark.llama
@needs_llama
def test_a_text_beyond_the_limit_is_cut_but_keeps_its_closing_marker(tmp_path: Path) -> None:
    vector = embedder_of(tmp_path).embed(["the cat lives in lisbon " * 100], "query")[0]
    kept = (["the", "cat", "lives", "in", "lisbon"] * 100)[: LONGEST - 2]
    assert vector == pytest.approx(unit(" ".join(kept)), abs=1e-3)


@pytest.mark.llama
@needs_llama
def test_a_batch_of_more_tokens_than_the_model_holds_is_the_texts_one_by_one(tmp_path: Path) -> None:
    embedder = embedder_of(tmp_path)
    texts = ["the cat lives in lisbon " * (place + 1) for place in range(20)]
    together = embedder.embed(texts, "document")
    alone = np.concatenate([embedder.embed([text], "document") for text in texts])
    assert np.array_equal(together, alone)


@pytest.mark.llama
@needs_llama
def test_windows_fit_the_model_and_share_a_fifth(tmp_path: Path) -> None:
    embedder = embedder_of(tmp_path)
    text = " ".join(np.random.default_rng(3).choice(["the", "cat", "lives", "ana"], 300))
    windows = embedder.windows(text)
    assert [len(window.split()) for window in windows] == [126, 126, 98]
    assert windows[0].split()[-25:] == windows[1].split()[:25]


@pytest.mark.llama
@needs_llama
@pytest.mark.parametrize(
    ("text", "expected"), [("the cat lives", 1.0), ("the zebra", 0.0), ("北京", 0.0), ("...", 0.0), ("", 0.0)]
)
def test_confidence_is_low_where_the_vocabulary_is_blind(tmp_path: Path, text: str, expected: float) -> None:
    assert embedder_of(tmp_path).confidence(text) == pytest.approx(expected)


@pytest.mark.llama
@needs_llama
def test_a_damaged_file_is_named_when_the_first_text_comes(tmp_path: Path) -> None:
    weights = {name: weight for name, weight in bert_weights().items() if not name.startswith("blk.1.")}
    write_gguf(tmp_path / "tiny.gguf", bert_keys(MEAN), weights)
    embedder = build(context(tmp_path), "tiny.gguf")
    with pytest.raises(ComisError, match=r"cannot load .*tiny\.gguf"):
        embedder.embed(["cat"], "query")


@pytest.mark.llama
@needs_llama
def test_agents_with_one_file_share_one_model(tmp_path: Path) -> None:
    made = []
    world = context(tmp_path)
    resource = world.resource
    world.resource = lambda key, factory: made.append(key) or resource(key, factory)
    path = tiny_bert(tmp_path / "tiny.gguf")
    first, second = build(world, str(path)), build(world, "tiny.gguf")
    assert np.array_equal(first.embed(["cat"], "query"), second.embed(["cat"], "query"))
    assert len(set(made)) == 1


@pytest.mark.llama
@needs_llama
@pytest.mark.parametrize("pooling", [MEAN, CLS])
def test_it_keeps_every_promise_of_an_embedder(tmp_path: Path, pooling: int) -> None:
    path = tiny_bert(tmp_path / "tiny.gguf", pooling)
    config = {"memory": {"recall": {"embeddingModel": str(path)}}}
    assert check_plugin("embed_llama", tmp_path / "benches", config) == {}


@pytest.mark.llama
@needs_llama
def test_an_engine_that_is_told_nothing_takes_the_model_in_its_folder(tmp_path: Path) -> None:
    tiny_bert(tmp_path / "models" / "tiny.gguf")
    config = {"memory": {"recall": {"embeddingModel": "auto", "rerankerModelsDir": str(tmp_path / "models")}}}
    with comis_core.open(tmp_path / "memory.db", config=config, disable=["embed_onnx"]) as engine:
        agent = engine.agent("helper")
        agent.store("the cat lives in lisbon")
        engine.drain()
        found = agent.search("where does the cat live")
        (space,) = engine.embedding_spaces()
    assert space.fingerprint.startswith("gguf-")
    assert not any(note.startswith("no embedder") for note in found.notes)
    assert any("vector" in item.why for item in found)
