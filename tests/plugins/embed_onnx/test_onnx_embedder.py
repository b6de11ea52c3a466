"""The ONNX embedder on a tiny export: vectors, pooling, windows, prompts, where it is looked for, what is refused."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from comis_core.errors import EmbedderError, PartInactive
from comis_core.text.sight import HAN_PROBE
from comis_plugins.embed_onnx import comis_embedders
from comis_plugins.embed_onnx import embedder as module
from comis_plugins.embed_onnx.embedder import OnnxEmbedder, build
from comis_plugins.embed_onnx.locate import claims

pytestmark = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("onnxruntime", "tokenizers")),
    reason="the extra [onnx] is not installed",
)

# The test packages have no __init__, so the neighbour is loaded from its file.
_SPEC = importlib.util.spec_from_file_location("tiny_export", Path(__file__).with_name("tiny_export.py"))
assert _SPEC is not None
assert _SPEC.loader is not None
tiny = importlib.util.module_from_spec(_SPEC)
sys.modules["tiny_export"] = tiny
_SPEC.loader.exec_module(tiny)

ROWS: NDArray[np.float32] = tiny.rows()
MEAN = {"1_Pooling/config.json": {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}}
CLS = {"1_Pooling/config.json": {"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True}}


def context(folder: Path) -> Any:
    made: dict[object, object] = {}

    def resource(key: tuple[object, ...], factory: Callable[[], object]) -> object:
        if key not in made:
            made[key] = factory()
        return made[key]

    return SimpleNamespace(folder=str(folder), resource=resource, made=made)


def embedder_of(folder: Path, **kind: Any) -> OnnxEmbedder:
    return build(context(folder), f"onnx:{tiny.write_export(folder / 'export', **kind)}")


def unit(*words: str) -> NDArray[np.float32]:
    mean = ROWS[[tiny.WORDS.index(word) for word in words]].mean(axis=0)
    result: NDArray[np.float32] = mean / np.linalg.norm(mean)
    return result


def test_mean_pooling_takes_the_markers_along_and_leaves_padding_out(tmp_path: Path) -> None:
    vectors = embedder_of(tmp_path, files=MEAN).embed(["The cat", "the cat sat on the mat."], "document")
    assert vectors.dtype == np.float32
    assert vectors[0] == pytest.approx(unit("[CLS]", "the", "cat", "[SEP]"), abs=1e-6)
    assert vectors[1] == pytest.approx(unit("[CLS]", "the", "cat", "sat", "on", "the", "mat", ".", "[SEP]"), abs=1e-6)


def test_cls_pooling_takes_the_first_token(tmp_path: Path) -> None:
    assert embedder_of(tmp_path, files=CLS).embed(["the cat"], "document")[0] == pytest.approx(unit("[CLS]"), abs=1e-6)


def test_an_export_that_does_not_say_is_pooled_by_the_mean(tmp_path: Path) -> None:
    assert embedder_of(tmp_path).embed(["cat"], "query")[0] == pytest.approx(unit("[CLS]", "cat", "[SEP]"), abs=1e-6)


def test_an_output_that_is_pooled_already_is_taken_as_it_is(tmp_path: Path) -> None:
    embedder = embedder_of(tmp_path, pooled=True, files=CLS)
    assert embedder.embed(["cat"], "query")[0] == pytest.approx(unit("[CLS]", "cat", "[SEP]"), abs=1e-6)


@pytest.mark.parametrize("inputs", [("input_ids",), ("input_ids", "attention_mask")])
def test_a_model_gets_only_the_inputs_that_it_declares(tmp_path: Path, inputs: tuple[str, ...]) -> None:
    vector = embedder_of(tmp_path, inputs=inputs).embed(["cat"], "query")[0]
    assert vector == pytest.approx(unit("[CLS]", "cat", "[SEP]"), abs=1e-6)


def test_a_batch_keeps_the_order_of_its_texts(tmp_path: Path) -> None:
    embedder = embedder_of(tmp_path)
    texts = [" ".join(["a", "b", "c"][: n % 3 + 1] * (n % 5 + 1)) for n in range(40)]
    batch = embedder.embed(texts, "document")
    for place, text in enumerate(texts):
        assert batch[place] == pytest.approx(embedder.embed([text], "document")[0], abs=1e-6)


def test_no_texts_give_no_vectors(tmp_path: Path) -> None:
    assert embedder_of(tmp_path).embed([], "document").shape == (0, tiny.DIMENSIONS)


@pytest.mark.parametrize("text", ["", " ", "[SEP]", "😀", "北京", "x" * 5000])
def test_any_text_gets_a_unit_vector(tmp_path: Path, text: str) -> None:
    assert np.linalg.norm(embedder_of(tmp_path).embed([text], "query")) == pytest.approx(1.0)


def test_a_marker_inside_a_text_does_not_end_it(tmp_path: Path) -> None:
    vectors = embedder_of(tmp_path).embed(["[SEP]", ""], "document")
    assert not np.allclose(vectors[0], vectors[1])


def test_a_text_beyond_the_limit_is_cut_but_keeps_its_closing_marker(tmp_path: Path) -> None:
    embedder = embedder_of(tmp_path, files={"sentence_bert_config.json": {"max_seq_length": 4}})
    assert embedder.embed(["a b c . . ."], "query")[0] == pytest.approx(unit("[CLS]", "a", "b", "[SEP]"), abs=1e-6)


def test_windows_fit_the_model_overlap_and_lose_nothing(tmp_path: Path) -> None:
    embedder = embedder_of(tmp_path, files={"sentence_bert_config.json": {"max_seq_length": 12}})
    text = " ".join(np.random.default_rng(3).choice(["a", "b", "c", "cat", "mat"], 47))
    windows = embedder.windows(text)
    assert [len(window.split()) for window in windows] == [10, 10, 10, 10, 10, 7]
    words = windows[0].split()
    for window in windows[1:]:
        assert words[-2:] == window.split()[:2]
        words += window.split()[2:]
    assert words == text.split()


@pytest.mark.parametrize("words", [1, 9, 10])
def test_a_text_that_fits_is_one_window(tmp_path: Path, words: int) -> None:
    embedder = embedder_of(tmp_path, files={"sentence_bert_config.json": {"max_seq_length": 12}})
    text = "  ".join(["unseens"] * (words // 3)) or "cat"
    assert embedder.windows(text) == [text]


def test_prompts_go_before_queries_and_documents_and_take_room_in_the_window(tmp_path: Path) -> None:
    prompts = {"prompts": {"query": "on ", "passage": "the mat "}}
    files = {"config_sentence_transformers.json": prompts, "sentence_bert_config.json": {"max_seq_length": 10}}
    embedder = embedder_of(tmp_path, files=files)
    assert embedder.embed(["cat"], "query")[0] == pytest.approx(unit("[CLS]", "on", "cat", "[SEP]"), abs=1e-6)
    document = embedder.embed(["cat"], "document")[0]
    assert document == pytest.approx(unit("[CLS]", "the", "mat", "cat", "[SEP]"), abs=1e-6)
    assert len(embedder.windows("a b c a b c")) == 1
    assert len(embedder.windows("a b c a b c a")) == 2


@pytest.mark.parametrize(
    ("config", "length"),
    [({}, 512), ({"max_position_embeddings": 64}, 64), ({"max_position_embeddings": 66, "model_type": "roberta"}, 64)],
)
def test_the_longest_input_comes_from_the_position_table_when_it_is_not_stated(
    tmp_path: Path, config: dict[str, Any], length: int
) -> None:
    embedder = embedder_of(tmp_path, files={"config.json": config})
    assert len(embedder.windows("a " * (length - 2))) == 1
    assert len(embedder.windows("a " * (length - 1))) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the cat sat", 1.0),
        ("unseens mat", 0.0),  # four pieces for two words
        ("unseen the cat sat", 1.0),  # 5/4
        ("unseen mat", (2 - 1.5) / 0.75),
        ("the zebra", 0.0),  # one known, one unknown: 5/2
        ("北京", 0.0),
        ("...", 0.0),
        ("", 0.0),
    ],
)
def test_confidence_falls_with_pieces_and_unknown_pieces_a_word(tmp_path: Path, text: str, expected: float) -> None:
    assert embedder_of(tmp_path).confidence(text) == pytest.approx(expected)


def test_a_vocabulary_made_for_han_counts_every_character_as_a_word(tmp_path: Path) -> None:
    folder = tiny.write_export(tmp_path / "han")
    characters = sorted({*HAN_PROBE, *"北京"})
    tiny.write_tokenizer(folder / "tokenizer.json", [*tiny.WORDS, *characters])
    embedder = build(context(tmp_path), f"onnx:{folder}")
    assert embedder.confidence("北京在中国") == 1.0
    assert embedder.confidence("🍜龘鱻") == 0.0


def test_a_multilingual_vocabulary_is_judged_by_its_unknown_pieces_alone(tmp_path: Path) -> None:
    folder = tiny.write_export(tmp_path / "multilingual")
    tiny.write_tokenizer(folder / "tokenizer.json", [*tiny.WORDS, *(f"filler{n}" for n in range(100_000))])
    embedder = build(context(tmp_path), f"onnx:{folder}")
    assert embedder.confidence("unseens unseens") == 1.0
    assert embedder.confidence("the cat sat on the mat a b c zebra") == pytest.approx(1 - 4 / 10)


def test_the_same_export_elsewhere_has_the_same_fingerprint(tmp_path: Path) -> None:
    first, second = embedder_of(tmp_path / "one", files=MEAN), embedder_of(tmp_path / "two", files=MEAN)
    assert first.fingerprint == second.fingerprint
    assert first.dimensions == tiny.DIMENSIONS


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 12},
        {"files": CLS},
        {"files": {**MEAN, "sentence_bert_config.json": {"max_seq_length": 99}}},
        {"files": {**MEAN, "config_sentence_transformers.json": {"prompts": {"query": "on "}}}},
    ],
)
def test_whatever_changes_the_vectors_changes_the_fingerprint(tmp_path: Path, change: dict[str, Any]) -> None:
    before = embedder_of(tmp_path / "before", files=MEAN)
    after = embedder_of(tmp_path / "after", **{"files": MEAN, **change})
    assert before.fingerprint != after.fingerprint


def test_weights_kept_beside_a_large_model_are_part_of_the_fingerprint(tmp_path: Path) -> None:
    before, after = tiny.write_export(tmp_path / "before"), tiny.write_export(tmp_path / "after")
    (before / "model.onnx_data").write_bytes(b"\0" * 100)
    (after / "model.onnx_data").write_bytes(b"\1" * 100)
    fingerprints = {build(context(tmp_path), f"onnx:{folder}").fingerprint for folder in (before, after)}
    assert len(fingerprints) == 2


def test_agents_with_one_export_share_one_network(tmp_path: Path) -> None:
    folder, world = tiny.write_export(tmp_path / "export"), context(tmp_path)
    assert build(world, f"onnx:{folder}") is build(world, str(folder))


@pytest.mark.parametrize("name", ["onnx:models/tiny", "./models/tiny", "onnx:./models/tiny"])
def test_relative_names_start_at_the_folder_of_the_database(tmp_path: Path, name: str) -> None:
    tiny.write_export(tmp_path / "models" / "tiny")
    assert build(context(tmp_path), name).available()


@pytest.mark.parametrize("model", ["model.onnx", "onnx/model.onnx", "onnx/model_int8.onnx", "model_quantized.onnx"])
def test_the_model_file_is_found_where_exports_put_it(tmp_path: Path, model: str) -> None:
    assert embedder_of(tmp_path, model=model).embed(["cat"], "query").shape == (1, tiny.DIMENSIONS)


def test_auto_takes_the_first_export_in_models_beside_the_database(tmp_path: Path) -> None:
    (tmp_path / "models" / "another thing").mkdir(parents=True)
    tiny.write_export(tmp_path / "models" / "b", seed=1)
    first = tiny.write_export(tmp_path / "models" / "a", seed=2)
    assert build(context(tmp_path)).fingerprint == build(context(tmp_path), f"onnx:{first}").fingerprint


def test_auto_without_an_export_is_inactive_and_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(PartInactive, match="models"):
        build(context(tmp_path))


def test_missing_libraries_are_named_with_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny.write_export(tmp_path / "models" / "tiny")
    monkeypatch.setattr(module, "installed", lambda: False)
    with pytest.raises(PartInactive, match=r"comis-core\[onnx\]"):
        build(context(tmp_path))
    with pytest.raises(EmbedderError, match=r"comis-core\[onnx\]"):
        build(context(tmp_path), "onnx:models/tiny")


def test_available_follows_the_files(tmp_path: Path) -> None:
    embedder = embedder_of(tmp_path)
    assert embedder.available()
    (tmp_path / "export" / "model.onnx").unlink()
    assert not embedder.available()


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_folder_that_is_no_export_is_refused_with_what_it_lacks(tmp_path: Path, missing: str) -> None:
    folder = tiny.write_export(tmp_path / "export")
    (folder / missing).unlink()
    with pytest.raises(EmbedderError, match=f"has no {missing}"):
        build(context(tmp_path), f"onnx:{folder}")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"modules.json": [{"type": "sentence_transformers.models.Dense"}]}, "module Dense"),
        ({"1_Pooling/config.json": {"pooling_mode_max_tokens": True}}, "pooling_mode_max_tokens"),
        (
            {"1_Pooling/config.json": {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}},
            "pooling_mode_mean_tokens, pooling_mode_cls_token",
        ),
    ],
)
def test_what_would_give_wrong_vectors_is_refused(tmp_path: Path, files: dict[str, Any], words: str) -> None:
    with pytest.raises(EmbedderError, match=words):
        embedder_of(tmp_path, files=files)


@pytest.mark.parametrize("content", ["{", '"text"'])
@pytest.mark.parametrize("name", ["config.json", "modules.json", "1_Pooling/config.json"])
def test_a_settings_file_that_is_not_what_it_should_be_is_named(tmp_path: Path, name: str, content: str) -> None:
    folder = tiny.write_export(tmp_path / "export", files={name: []})
    (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(EmbedderError, match=name):
        build(context(tmp_path), f"onnx:{folder}")


def test_a_broken_model_file_is_named_when_the_first_text_comes(tmp_path: Path) -> None:
    folder = tiny.write_export(tmp_path / "export", files={"config.json": {"hidden_size": 6}})
    (folder / "model.onnx").write_bytes(b"nonsense")
    embedder = build(context(tmp_path), f"onnx:{folder}")
    with pytest.raises(EmbedderError, match=r"model\.onnx cannot be loaded"):
        embedder.embed(["cat"], "query")


def test_a_model_with_an_input_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="wants the input pixel_values"):
        embedder_of(tmp_path, inputs=("input_ids", "pixel_values"))


def test_a_token_outside_the_models_table_is_an_embedder_error(tmp_path: Path) -> None:
    folder = tiny.write_export(tmp_path / "export")
    tiny.write_tokenizer(folder / "tokenizer.json", [*tiny.WORDS, "zebra"])
    with pytest.raises(EmbedderError, match="failed"):
        build(context(tmp_path), f"onnx:{folder}").embed(["zebra"], "query")


@pytest.mark.parametrize(
    ("model", "claimed"),
    [
        ("onnx:anything", True),
        ("./minilm", True),
        ("~/models/minilm", True),
        ("/srv/models/minilm", True),
        ("/srv/models/minilm.gguf", False),
        ("BAAI/bge-m3", False),
        ("text-embedding-3-small", False),
        ("hf:owner/model-GGUF:model.gguf", False),
        ("static", False),
    ],
)
def test_configured_names_that_are_its_own(model: str, claimed: bool) -> None:
    (spec,) = comis_embedders()
    assert claims(model) is claimed
    assert spec.claims(model) is claimed
