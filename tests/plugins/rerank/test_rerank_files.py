"""The three states of `enabled`, and when the network is touched: only when somebody insists and nothing is there."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.gguf_files import MEAN, RANK, bert_keys, bert_weights, tiny_bert, write_gguf
from support.http_files import FileServer, file_server

from comis_core.errors import ComisError, PartInactive
from comis_core.gguf import network
from comis_plugins.rerank.encoder import CrossEncoder, sigmoid
from comis_plugins.rerank.files import find_model

MODEL = "hf:owner/tiny-GGUF:rank.gguf"


def context(folder: Path, model: str = MODEL) -> Any:
    settings = {"memory.recall.rerankerModel": model, "memory.recall.rerankerModelsDir": "models"}
    return SimpleNamespace(folder=str(folder), setting=settings.__getitem__)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "installed", lambda: True)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    with file_server() as served:
        monkeypatch.setenv("HF_ENDPOINT", served.address)
        yield served


@pytest.mark.usefixtures("offline", "installed")
@pytest.mark.parametrize(("model", "hint"), [(MODEL, f"comis models fetch {MODEL}"), ("models/rank.gguf", "")])
def test_unset_without_the_file_it_is_inactive_and_the_network_is_left_alone(
    tmp_path: Path, model: str, hint: str
) -> None:
    with pytest.raises(PartInactive, match=r"rank\.gguf is not in .*models") as caught:
        find_model(context(tmp_path, model), forced=False)
    assert caught.value.hint == hint


@pytest.mark.usefixtures("offline", "installed")
@pytest.mark.parametrize("place", ["models/rank.gguf", "models/owner/tiny-GGUF/rank.gguf"])
@pytest.mark.parametrize("forced", [True, False])
def test_with_the_file_there_it_is_on_and_the_network_is_left_alone(tmp_path: Path, place: str, forced: bool) -> None:
    path = tiny_bert(tmp_path / place, RANK)
    assert find_model(context(tmp_path), forced=forced).path == path


@pytest.mark.usefixtures("installed")
def test_forced_without_the_file_it_is_fetched_once(
    tmp_path: Path, hub: FileServer, capsys: pytest.CaptureFixture[str]
) -> None:
    content = tiny_bert(tmp_path / "source.gguf", RANK).read_bytes()
    hub.hub("/owner/tiny-GGUF/resolve/main/rank.gguf", content)
    path = tmp_path / "models" / "owner" / "tiny-GGUF" / "rank.gguf"
    assert find_model(context(tmp_path), forced=True).path == path
    assert path.read_bytes() == content
    out, err = capsys.readouterr()
    assert out == ""
    assert "rank.gguf" in err
    asked = len(hub.requests)
    find_model(context(tmp_path), forced=True)
    assert len(hub.requests) == asked


@pytest.mark.usefixtures("installed")
def test_forced_without_the_file_and_without_a_line_it_fails_and_leaves_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(ComisError, match="cannot be reached"):
            find_model(context(tmp_path), forced=True)
    assert not list(tmp_path.rglob("*.gguf"))


@pytest.mark.usefixtures("installed")
def test_a_path_that_leads_nowhere_cannot_be_fetched(tmp_path: Path) -> None:
    with pytest.raises(ComisError, match=r"the cross-encoder is not there: .*rank\.gguf"):
        find_model(context(tmp_path, "models/rank.gguf"), forced=True)


@pytest.mark.usefixtures("offline")
def test_nothing_is_fetched_that_could_not_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "installed", lambda: False)
    with pytest.raises(ComisError, match=r"comis-core\[llama\]") as caught:
        find_model(context(tmp_path), forced=True)
    assert not isinstance(caught.value, PartInactive)


def test_a_file_that_nothing_can_run_is_a_note_unless_somebody_insists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "installed", lambda: False)
    tiny_bert(tmp_path / "models" / "rank.gguf", RANK)
    with pytest.raises(PartInactive, match=r"comis-core\[llama\]"):
        find_model(context(tmp_path), forced=False)


@pytest.mark.usefixtures("installed")
def test_a_damaged_file_is_an_error_even_when_nobody_insists(tmp_path: Path) -> None:
    path = tiny_bert(tmp_path / "models" / "rank.gguf", RANK)
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(ComisError) as caught:
        find_model(context(tmp_path), forced=False)
    assert not isinstance(caught.value, PartInactive)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("pooling", "head"), [(MEAN, False), (MEAN, True), (RANK, False), (None, False)])
def test_what_would_end_the_process_is_refused_before_it_is_loaded(
    tmp_path: Path, pooling: int | None, head: bool
) -> None:
    tiny_bert(tmp_path / "models" / "rank.gguf", pooling, head=head)
    header = find_model(context(tmp_path), forced=False)
    with pytest.raises(ComisError, match="is no cross-encoder"):
        CrossEncoder(header, threads=1, gpu=None)


@pytest.mark.usefixtures("installed")
def test_a_model_with_several_scores_is_refused(tmp_path: Path) -> None:
    keys = bert_keys(RANK) | {"bert.classifier.output_labels": ["no", "yes"]}
    write_gguf(tmp_path / "models" / "rank.gguf", keys, bert_weights())
    with pytest.raises(ComisError, match="2 scores a pair"):
        CrossEncoder(find_model(context(tmp_path), forced=False), threads=1, gpu=None)


@pytest.mark.parametrize(("value", "expected"), [(0.0, 0.5), (1000.0, 1.0), (-1000.0, 0.0), (2.0, 0.8807970779778823)])
def test_a_score_is_the_logistic_function_of_the_models(value: float, expected: float) -> None:
    assert sigmoid(value) == pytest.approx(expected)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_score_that_is_no_number_is_an_error(value: float) -> None:
    with pytest.raises(ComisError, match="not finite"):
        sigmoid(value)
