"""`comis models fetch`: where the file goes, what is said about it, and clear errors."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.gguf_files import MEAN, RANK, tiny_bert, write_gguf
from support.http_files import FileServer, file_server

REFERENCE = "hf:owner/tiny-GGUF:tiny.gguf"
PATH = "/owner/tiny-GGUF/resolve/main/tiny.gguf"
PLACE = Path("models", "owner", "tiny-GGUF", "tiny.gguf")

Comis = Callable[..., Any]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    with file_server() as served:
        monkeypatch.setenv("HF_ENDPOINT", served.address)
        yield served


@pytest.mark.parametrize(
    ("pooling", "kind", "key"),
    [
        (MEAN, "embedding model, 32 dimensions", f"memory.recall.embeddingModel: {REFERENCE}"),
        (RANK, "cross-encoder", f"memory.recall.rerankerModel: {REFERENCE}"),
    ],
)
def test_a_model_is_fetched_into_the_folder_of_models_and_its_use_is_told(
    comis: Comis, hub: FileServer, tmp_path: Path, pooling: int, kind: str, key: str
) -> None:
    content = tiny_bert(tmp_path / "source.gguf", pooling).read_bytes()
    hub.hub(PATH, content)
    done = comis("models", "fetch", REFERENCE, "--db", tmp_path / "memory.db")
    assert done.code == 0
    assert (tmp_path / PLACE).read_bytes() == content
    assert f"{len(content):,} bytes, {kind}" in done.out
    assert key in done.out
    assert "tiny.gguf" in done.err


def test_a_second_time_nothing_is_fetched(comis: Comis, hub: FileServer, tmp_path: Path) -> None:
    hub.hub(PATH, tiny_bert(tmp_path / "source.gguf").read_bytes())
    first = comis("models", "fetch", REFERENCE, "--db", "memory.db", "--json").json
    asked = len(hub.requests)
    second = comis("models", "fetch", REFERENCE, "--db", "memory.db", "--json").json
    assert (first["fetched"], second["fetched"]) == (True, False)
    assert first["path"] == second["path"]
    assert len(hub.requests) == asked


def test_the_folder_of_models_is_the_configs(comis: Comis, hub: FileServer, tmp_path: Path) -> None:
    hub.hub(PATH, tiny_bert(tmp_path / "source.gguf").read_bytes())
    (tmp_path / "there").mkdir()
    config = tmp_path / "there" / "config.yaml"
    config.write_text("memory:\n  recall:\n    rerankerModelsDir: weights\n", encoding="utf-8")
    assert comis("models", "fetch", REFERENCE, "--config", config).code == 0
    assert (tmp_path / "there" / "weights" / "owner" / "tiny-GGUF" / "tiny.gguf").is_file()


def test_a_model_that_serves_nothing_here_is_called_so(comis: Comis, hub: FileServer, tmp_path: Path) -> None:
    hub.hub(PATH, write_gguf(tmp_path / "chat.gguf", {"general.architecture": "llama"}).read_bytes())
    assert "neither an embedding model nor a cross-encoder" in comis("models", "fetch", REFERENCE, "--db", "x.db").out


def test_a_digest_that_does_not_match_leaves_no_file(comis: Comis, hub: FileServer, tmp_path: Path) -> None:
    hub.hub(PATH, tiny_bert(tmp_path / "source.gguf").read_bytes())
    done = comis("models", "fetch", REFERENCE, "--db", "memory.db", "--sha256", "0" * 64)
    assert done.code == 1
    assert "SHA-256" in done.err
    assert not (tmp_path / PLACE).exists()


def test_without_a_line_the_error_says_what_to_do(
    comis: Comis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{taken.getsockname()[1]}")
        done = comis("models", "fetch", REFERENCE, "--db", "memory.db")
    assert done.code == 1
    assert "cannot be reached" in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / PLACE).exists()


def test_a_mirror_without_encryption_is_refused(comis: Comis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://mirror.example")
    done = comis("models", "fetch", REFERENCE, "--db", "memory.db")
    assert done.code == 1
    assert "https only" in done.err


@pytest.mark.parametrize("model", ["models/tiny.gguf", "hf:tiny.gguf", "hf:owner/tiny:../tiny.gguf", "minilm"])
def test_what_is_no_reference_is_told_the_right_form(comis: Comis, model: str) -> None:
    done = comis("models", "fetch", model, "--db", "memory.db")
    assert done.code == 1
    assert "hf:owner/repository:file.gguf" in done.err
