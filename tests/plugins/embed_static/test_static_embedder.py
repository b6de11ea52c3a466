"""The static embedder: what it averages, how it cuts long texts, and how much it says it sees."""

from __future__ import annotations

import importlib.util
import json
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.toys import PATIENCE, in_threads

from comis_core.errors import EmbedderError, PartInactive
from comis_plugins.embed_static import claims, comis_embedders
from comis_plugins.embed_static import embedder as module
from comis_plugins.embed_static.embedder import OVERLAP, WINDOW, StaticEmbedder, build
from comis_plugins.embed_static.files import ModelFiles, locate
from comis_plugins.embed_static.model import FEW, Weights, load

LIBRARIES = all(importlib.util.find_spec(name) for name in ("tokenizers", "safetensors"))
needs_libraries = pytest.mark.skipif(not LIBRARIES, reason="the extra [static] is not installed")
needs_model = pytest.mark.skipif(locate() is None, reason="the extra [static] is not installed")
XQUAD = Path(__file__).parents[4] / "shared" / "data" / "xquad"
needs_xquad = pytest.mark.skipif(not XQUAD.is_dir(), reason="the evaluation data is not beside the repository")

WORDS = ["<unk>", "▁a", "▁b", "▁c", "▁", "a", "b", "c", *(f"<0x{byte:02X}>" for byte in range(256))]


@pytest.fixture
def tiny(tmp_path: Path) -> ModelFiles:
    """A model of eight pieces and 256 bytes, with random rows."""
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models, normalizers

    vocabulary = {piece: place for place, piece in enumerate(WORDS)}
    merges = [("▁", "a"), ("▁", "b"), ("▁", "c")]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.enable_padding()
    tokenizer.enable_truncation(4)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    rows = np.random.default_rng(7).normal(size=(len(WORDS), 256)).astype(np.float16)
    save_file({"embedding.weight": rows}, tmp_path / "weights.safetensors")
    return ModelFiles(weights=tmp_path / "weights.safetensors", tokenizer=tmp_path / "tokenizer.json", digest="abc")


@pytest.fixture
def embedder(tiny: ModelFiles) -> StaticEmbedder:
    model = load(tiny)
    return StaticEmbedder(tiny, lambda: model)


def context() -> Any:
    made: dict[object, object] = {}

    def resource(key: tuple[object, ...], factory: Callable[[], object]) -> object:
        if key not in made:
            made[key] = factory()
        return made[key]

    return SimpleNamespace(resource=resource, made=made)


@needs_libraries
def test_a_vector_is_the_unit_mean_of_the_rows_of_its_pieces(embedder: StaticEmbedder, tiny: ModelFiles) -> None:
    from safetensors.numpy import load_file

    rows = load_file(tiny.weights)["embedding.weight"].astype(np.float32)
    mean = (2 * rows[WORDS.index("▁a")] + rows[WORDS.index("▁c")]) / 3
    assert embedder.embed(["a c a"], "document")[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)


@needs_libraries
def test_a_question_and_many_texts_are_read_from_the_same_rows(tiny: ModelFiles) -> None:
    few, many = load(tiny), load(tiny)
    texts = ["a c a", "b", "c b"] * 200
    assert np.array_equal(many.average(texts)[:3], few.average(texts[:3]))
    assert np.array_equal(many.average(texts[:3]), few.average(texts[:3]))


@needs_libraries
def test_the_file_is_let_go_of_once_all_rows_are_read(tiny: ModelFiles) -> None:
    from safetensors import safe_open

    kept = Watched(safe_open(str(tiny.weights), framework="np").get_slice("embedding.weight"))
    weights, gone = Weights.of(kept), weakref.ref(kept)
    del kept
    assert weights.rows(np.array([3])).shape == (1, 256)
    assert gone() is not None
    assert weights.rows(np.arange(FEW)).shape == (FEW, 256)
    assert gone() is None


@needs_libraries
def test_forty_threads_at_once_read_the_right_rows_and_all_of_them_once(tiny: ModelFiles) -> None:
    from safetensors import safe_open
    from safetensors.numpy import load_file

    wanted = load_file(tiny.weights)["embedding.weight"]
    tensor = Watched(safe_open(str(tiny.weights), framework="np").get_slice("embedding.weight"))
    weights, begin = Weights.of(tensor), threading.Barrier(40)

    def read(number: int) -> None:
        begin.wait(PATIENCE)
        for start in range(20):
            ids = np.arange(start, start + number % 7 + 1)
            assert np.array_equal(weights.rows(ids), wanted[ids])

    in_threads(40, read)()
    assert tensor.wholes == 1


class Watched:
    """A sliced tensor that counts how often it is read whole."""

    def __init__(self, tensor: Any) -> None:
        self.tensor, self.wholes = tensor, 0

    def get_shape(self) -> Any:
        return self.tensor.get_shape()

    def __getitem__(self, rows: slice) -> Any:
        self.wholes += rows == slice(None)
        return self.tensor[rows]


@needs_libraries
def test_vectors_are_float32_of_unit_length_whatever_the_text(embedder: StaticEmbedder) -> None:
    texts = ["a", "", " ", "\n", "北京", "😀", "</s>", "<unk>", "a b c " * 700]
    vectors = embedder.embed(texts, "query")
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(texts), 256)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)


@needs_libraries
def test_no_texts_give_no_vectors(embedder: StaticEmbedder) -> None:
    assert embedder.embed([], "document").shape == (0, 256)


@needs_libraries
def test_a_text_has_the_same_vector_alone_and_in_a_batch(embedder: StaticEmbedder) -> None:
    texts = [f"{'a ' * (n % 7)}b c" for n in range(600)]
    batch = embedder.embed(texts, "document")
    assert all(np.array_equal(batch[n], embedder.embed([texts[n]], "document")[0]) for n in (0, 3, 255, 256, 599))


@needs_libraries
def test_padding_and_truncation_of_the_tokenizer_file_are_switched_off(embedder: StaticEmbedder) -> None:
    assert not np.allclose(*embedder.embed(["a a a a b c", "a a a a"], "document"))


@needs_libraries
def test_a_marker_of_the_model_is_text_like_any_other_when_a_memory_contains_it(embedder: StaticEmbedder) -> None:
    assert not np.allclose(*embedder.embed(["<unk>", ""], "document"))


@needs_libraries
def test_a_short_text_is_one_window(embedder: StaticEmbedder) -> None:
    assert embedder.windows("a b c") == ["a b c"]


@needs_libraries
def test_a_text_of_exactly_one_window_is_not_cut(embedder: StaticEmbedder) -> None:
    text = " ".join("abc"[n % 3] for n in range(WINDOW))
    assert embedder.windows(text) == [text]


@needs_libraries
def test_windows_overlap_and_lose_nothing(embedder: StaticEmbedder) -> None:
    text = " ".join(np.random.default_rng(3).choice(list("abc"), 3 * WINDOW + 17))
    windows = embedder.windows(text)
    joined, place = windows[0], 0
    for window in windows[1:]:
        place = text.index(window, place + 1)
        assert place < len(joined)
        joined += window[len(joined) - place :]
    assert joined == text
    assert len(windows) == 4
    assert OVERLAP < WINDOW


@needs_libraries
def test_windows_of_a_script_in_bytes_are_whole_characters(embedder: StaticEmbedder) -> None:
    text = "京" * 400
    assert set("".join(embedder.windows(text))) == {"京"}


@needs_libraries
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b c", 0.4),  # one piece a word
        ("ab bc", 0.0),  # two pieces a word
        ("ab b c a", 0.4),  # 5/4
        ("ab b c", 0.4 * (2 - 4 / 3) / 0.75),
        ("ab bc ca b", 0.4 * (2 - 7 / 4) / 0.75),
        ("京", 0.0),
        ("a 京", 0.0),
        ("", 0.0),
        ("?!", 0.0),
    ],
)
def test_confidence_follows_the_pieces_a_word(embedder: StaticEmbedder, text: str, expected: float) -> None:
    assert embedder.confidence(text) == pytest.approx(expected)


@needs_libraries
def test_a_file_that_is_no_model_is_reported_with_its_folder(tiny: ModelFiles) -> None:
    tiny.weights.write_bytes(b"nonsense")
    with pytest.raises(EmbedderError, match="cannot be read"):
        load(tiny)


def test_without_its_files_the_embedder_is_inactive_and_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "locate", lambda: None)
    with pytest.raises(PartInactive, match=r"comis-core\[static\]"):
        build(context())


@needs_libraries
def test_the_fingerprint_names_model_dimensions_and_weights(embedder: StaticEmbedder) -> None:
    assert embedder.fingerprint == "wordllama-l2_supercat-256-mean-w256+64-abc"
    assert embedder.dimensions == 256


@pytest.mark.parametrize(
    ("model", "claimed"),
    [("static", True), ("WordLlama", True), ("wordllama-256", True), ("text-embedding-3-small", False), ("", False)],
)
def test_configured_names_that_are_its_own(model: str, claimed: bool) -> None:
    (spec,) = comis_embedders()
    assert claims(model) is claimed
    assert spec.claims(model) is claimed


@needs_model
def test_nothing_is_loaded_before_the_first_text() -> None:
    world = context()
    embedder = build(world, "static")
    assert embedder.available()
    assert not world.made
    embedder.embed(["hello"], "query")
    assert len(world.made) == 1


@needs_model
def test_agents_share_one_model() -> None:
    world = context()
    first, second = build(world), build(world)
    assert np.array_equal(first.embed(["hello"], "query"), second.embed(["hello"], "query"))
    assert len(world.made) == 1


@needs_model
def test_related_words_are_closer_than_unrelated_ones() -> None:
    embedder = build(context())
    dog, puppy, tax = embedder.embed(["my dog", "a puppy", "income tax law"], "document")
    assert dog @ puppy > dog @ tax + 0.2


@needs_model
@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("Where did Caroline go on her birthday?", 0.35, 0.4),
        ("om_x1 gen-itgc", 0.0, 0.4),
        ("黑豹队的防守丢了多少分？", 0.0, 0.0),
        ("كم عدد النقاط التي تنازل عنها دفاع بانثرز؟", 0.0, 0.0),
        ("पैंथर्स रक्षा ने कितने अंक गंवाए?", 0.0, 0.0),
        ("今日は成語しりとり", 0.0, 0.0),
        ("오늘 어디에 갔습니까", 0.0, 0.0),
    ],
)
def test_confidence_is_full_in_english_and_nothing_in_scripts_the_model_does_not_see(
    text: str, least: float, most: float
) -> None:
    assert least <= build(context()).confidence(text) <= most


@needs_model
@needs_xquad
@pytest.mark.parametrize(
    ("language", "least", "most"), [("en", 0.36, 0.4), ("ru", 0, 0.03), ("ar", 0, 0), ("hi", 0, 0), ("zh", 0, 0)]
)
def test_mean_confidence_in_questions_by_language(language: str, least: float, most: float) -> None:
    embedder = build(context())
    lines = (XQUAD / language / "queries.jsonl").read_text(encoding="utf-8").splitlines()[:200]
    assert least <= np.mean([embedder.confidence(json.loads(line)["text"]) for line in lines]) <= most
