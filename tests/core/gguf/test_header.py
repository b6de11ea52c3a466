"""What a GGUF file says about itself, and what is no such file."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.gguf_files import CLS, LAST, MEAN, RANK, WORDS, bert_keys, bert_weights, tiny_bert, write_gguf

from comis_core.errors import ComisError
from comis_core.gguf.header import Pooling, read_header


def test_an_embedding_model_says_what_it_is(tmp_path: Path) -> None:
    header = read_header(tiny_bert(tmp_path / "tiny.gguf"))
    assert (header.architecture, header.pooling, header.dimensions) == ("bert", Pooling.MEAN, 32)
    assert (header.context_length, header.vocabulary, header.outputs) == (128, len(WORDS), 1)
    assert header.values["general.name"] == "tiny"
    assert header.values["bert.attention.causal"] is False
    assert {"token_embd.weight", "blk.1.ffn_down.bias"} <= header.tensors
    assert not {"cls.weight", "cls.output.weight"} & header.tensors


@pytest.mark.parametrize(
    ("stated", "pooling"),
    [(MEAN, Pooling.MEAN), (CLS, Pooling.CLS), (LAST, Pooling.LAST), (RANK, Pooling.RANK), (0, Pooling.NONE)],
)
def test_the_pooling_is_the_formats_number(tmp_path: Path, stated: int, pooling: Pooling) -> None:
    assert read_header(tiny_bert(tmp_path / "tiny.gguf", stated)).pooling is pooling


@pytest.mark.parametrize("keys", [{}, {"llama.pooling_type": 77}, {"bert.pooling_type": MEAN}])
def test_a_pooling_that_is_not_stated_or_not_known_is_none(tmp_path: Path, keys: dict[str, Any]) -> None:
    header = read_header(write_gguf(tmp_path / "chat.gguf", {"general.architecture": "llama", **keys}))
    assert header.pooling is None
    assert (header.dimensions, header.context_length) == (0, 512)


def test_a_model_of_several_scores_names_their_number(tmp_path: Path) -> None:
    keys = bert_keys(RANK) | {"bert.classifier.output_labels": ["yes", "no"]}
    assert read_header(write_gguf(tmp_path / "two.gguf", keys)).outputs == 2


def test_an_output_of_another_length_counts(tmp_path: Path) -> None:
    keys = bert_keys(MEAN) | {"bert.embedding_length_out": 7}
    assert read_header(write_gguf(tmp_path / "out.gguf", keys)).dimensions == 7


@pytest.mark.parametrize("content", [b"", b"GGU", b"PK\3\4 a zip", b"<html>"])
def test_another_kind_of_file_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.gguf").write_bytes(content)
    with pytest.raises(ComisError, match=r"model\.gguf is no GGUF file"):
        read_header(tmp_path / "model.gguf")


@pytest.mark.parametrize("version", [1, 4, 0x03000000])
def test_an_unknown_version_is_refused(tmp_path: Path, version: int) -> None:
    with pytest.raises(ComisError, match=f"version {version}"):
        read_header(write_gguf(tmp_path / "model.gguf", {"general.architecture": "bert"}, version=version))


def test_version_2_reads_like_3(tmp_path: Path) -> None:
    assert read_header(write_gguf(tmp_path / "model.gguf", bert_keys(MEAN), version=2)).dimensions == 32


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ComisError, match=r"absent\.gguf cannot be read"):
        read_header(tmp_path / "absent.gguf")


def test_a_value_of_an_unknown_type_is_refused(tmp_path: Path) -> None:
    key = struct.pack("<Q", 3) + b"odd"
    (tmp_path / "model.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + key + struct.pack("<II", 99, 0))
    with pytest.raises(ComisError, match="unknown type 99"):
        read_header(tmp_path / "model.gguf")


@pytest.mark.parametrize("share", [0.001, 0.01, 0.03, 0.3, 0.9])
def test_a_file_that_was_cut_off_is_refused(tmp_path: Path, share: float) -> None:
    path = tiny_bert(tmp_path / "model.gguf")
    content = path.read_bytes()
    path.write_bytes(content[: max(5, int(share * len(content)))])
    with pytest.raises(ComisError, match="fetch or convert it again"):
        read_header(path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 4000), value=st.integers(0, 255))
def test_a_damaged_header_never_raises_anything_else(tmp_path: Path, place: int, value: int) -> None:
    path = tmp_path / "model.gguf"
    keys = {name: held for name, held in bert_keys(MEAN).items() if not isinstance(held, list)}
    content = bytearray(write_gguf(path, keys, bert_weights()).read_bytes())
    content[place] = value
    path.write_bytes(content)
    try:
        header = read_header(path)
    except ComisError:
        return
    assert header.path == path
