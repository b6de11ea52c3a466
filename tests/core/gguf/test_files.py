"""From names to files: references, where their files lie, and what tells one file from another."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from comis_core.errors import ComisError
from comis_core.gguf.files import SAMPLE, SAMPLES, Reference, digest, is_gguf, locate, model_files, parse_reference

MODEL = "hf:gpustack/bge-reranker-v2-m3-GGUF:bge-reranker-v2-m3-Q8_0.gguf"


@pytest.mark.parametrize(
    ("model", "mine"),
    [
        ("models/minilm.gguf", True),
        ("/srv/MiniLM.GGUF", True),
        (" minilm.gguf ", True),
        (MODEL, True),
        ("hf:owner/model", False),
        ("https://example.org/model.gguf", False),
        ("text-embedding-3-small", False),
        ("onnx:models/minilm", False),
        ("model.gguf.part", False),
        ("", False),
    ],
)
def test_a_gguf_file_is_known_by_its_name(model: str, mine: bool) -> None:
    assert is_gguf(model) is mine


def test_a_reference_names_owner_repository_and_file() -> None:
    reference = parse_reference(f" {MODEL} ")
    assert reference == Reference("gpustack", "bge-reranker-v2-m3-GGUF", "bge-reranker-v2-m3-Q8_0.gguf")
    assert str(reference) == MODEL


def test_a_file_in_a_folder_of_its_repository_can_be_named() -> None:
    reference = parse_reference("hf:owner/model:Q8 0/model.gguf")
    assert reference is not None
    assert reference.address.endswith("/owner/model/resolve/main/Q8%200/model.gguf")


@pytest.mark.parametrize("path", ["models/minilm.gguf", "/srv/minilm.gguf", "~/minilm.gguf", "C:\\minilm.gguf"])
def test_a_path_is_no_reference(path: str) -> None:
    assert parse_reference(path) is None


@pytest.mark.parametrize(
    "model",
    [
        "hf:model.gguf",
        "hf:owner/model",
        "hf:owner/model:readme.md",
        "hf:owner/model:../../x.gguf",
        "hf:../model:x.gguf",
        "hf:owner/model:/etc/x.gguf",
        "hf:owner/a/b:x.gguf",
        "hf:owner/:x.gguf",
        "hf:owner/model:a\\..\\x.gguf",
        "hf:owner/model:x:y.gguf",
    ],
)
def test_a_malformed_reference_is_refused_with_the_right_form(model: str) -> None:
    with pytest.raises(ComisError, match=r"hf:owner/repository:file\.gguf"):
        parse_reference(model)


def test_the_address_is_https_unless_a_mirror_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    reference = Reference("owner", "model", "x.gguf")
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    assert reference.address.startswith("https://")
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example/")
    assert reference.address == "https://mirror.example/owner/model/resolve/main/x.gguf"


def test_a_relative_path_starts_at_the_folder(tmp_path: Path) -> None:
    assert locate("a/x.gguf", models=tmp_path / "models", folder=tmp_path) == tmp_path / "a" / "x.gguf"
    assert locate("/srv/x.gguf", models=tmp_path / "models", folder=tmp_path) == Path("/srv/x.gguf")
    assert locate("~/x.gguf", models=tmp_path, folder=tmp_path) == Path.home() / "x.gguf"


def test_a_reference_is_looked_for_below_its_repository_and_then_directly(tmp_path: Path) -> None:
    fetched, beside = tmp_path / "owner" / "model" / "x.gguf", tmp_path / "x.gguf"
    model = "hf:owner/model:x.gguf"
    assert locate(model, models=tmp_path, folder=tmp_path) == fetched
    beside.touch()
    assert locate(model, models=tmp_path, folder=tmp_path) == beside
    fetched.parent.mkdir(parents=True)
    fetched.touch()
    assert locate(model, models=tmp_path, folder=tmp_path) == fetched


def test_looking_for_a_file_touches_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert not locate(MODEL, models=tmp_path, folder=tmp_path).exists()


def test_models_are_listed_those_of_the_folder_first(tmp_path: Path) -> None:
    for name in ("z.gguf", "b/c/a.gguf", "a.GGUF", "half.gguf.part", "notes.txt", "b/too/deep/down.gguf"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert [str(path.relative_to(tmp_path)) for path in model_files(tmp_path)] == ["a.GGUF", "z.gguf", "b/c/a.gguf"]
    assert list(model_files(tmp_path / "absent")) == []


def test_the_same_content_elsewhere_has_the_same_digest(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"GGUF one")
    (tmp_path / "b").write_bytes(b"GGUF one")
    assert digest(tmp_path / "a", "mean") == digest(tmp_path / "b", "mean")


@pytest.mark.parametrize(("content", "setting"), [(b"GGUF two", "mean"), (b"GGUF one ", "mean"), (b"GGUF one", "cls")])
def test_other_content_or_settings_have_another_digest(tmp_path: Path, content: bytes, setting: str) -> None:
    (tmp_path / "a").write_bytes(b"GGUF one")
    (tmp_path / "b").write_bytes(content)
    assert digest(tmp_path / "a", "mean") != digest(tmp_path / "b", setting)


def test_weights_that_differ_in_every_sample_differ_in_the_digest_of_a_large_file(tmp_path: Path) -> None:
    length = 2 * SAMPLE * SAMPLES
    for name, byte in (("a", b"\1"), ("b", b"\2")):
        (tmp_path / name).write_bytes(byte * length)
    assert digest(tmp_path / "a") != digest(tmp_path / "b")
