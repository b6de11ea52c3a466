"""Writes a tiny sentence-transformers ONNX export: a table of random rows looked up by token id.

An ONNX file is a protocol buffer; the few messages that one lookup needs are written by hand, so that the tests need no
package beside the one that runs the model.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORDS = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "on", "mat", "un", "##seen", "##s", "a", "b", "c", ".",
]  # fmt: skip
DIMENSIONS = 6
FLOAT, INT64 = 1, 7


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _value(name: str, kind: int, shape: tuple[int | str, ...]) -> bytes:
    dims = b"".join(_field(1, _field(1 if isinstance(size, int) else 2, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, dims)))


def _tensor(name: str, values: NDArray[np.float32]) -> bytes:
    dims = b"".join(_field(1, size) for size in values.shape)
    return dims + _field(2, FLOAT) + _field(8, name) + _field(9, values.tobytes())


def _node(kind: str, inputs: list[str], output: str, attributes: bytes = b"") -> bytes:
    return b"".join(_field(1, name) for name in inputs) + _field(2, output) + _field(4, kind) + attributes


def model_bytes(table: NDArray[np.float32], *, inputs: tuple[str, ...], pooled: bool) -> bytes:
    """A model that gives the row of each token, or (pooled) their plain mean as `sentence_embedding`."""
    nodes = [_node("Gather", ["table", "input_ids"], "last_hidden_state")]
    outputs = [_value("last_hidden_state", FLOAT, ("batch", "tokens", table.shape[1]))]
    if pooled:
        axes = _field(5, _field(1, "axes") + _field(8, 1) + _field(20, 7))
        keep = _field(5, _field(1, "keepdims") + _field(3, 0) + _field(20, 2))
        nodes.append(_node("ReduceMean", ["last_hidden_state"], "sentence_embedding", axes + keep))
        outputs.append(_value("sentence_embedding", FLOAT, ("batch", table.shape[1])))
    graph = b"".join(_field(1, node) for node in nodes) + _field(2, "tiny") + _field(5, _tensor("table", table))
    graph += b"".join(_field(11, _value(name, INT64, ("batch", "tokens"))) for name in inputs)
    graph += b"".join(_field(12, output) for output in outputs)
    return _field(1, 8) + _field(8, _field(1, "") + _field(2, 13)) + _field(7, graph)


def rows(seed: int = 11) -> NDArray[np.float32]:
    """float32[words, 6]: the model's table."""
    return np.random.default_rng(seed).normal(size=(len(WORDS), DIMENSIONS)).astype(np.float32)


def write_tokenizer(path: Path, words: list[str] = WORDS) -> None:
    """A word-piece tokenizer that, like many exports, comes with padding and truncation switched on."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {word: place for place, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", words.index("[CLS]")), ("[SEP]", words.index("[SEP]"))]
    )
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    tokenizer.enable_padding(length=5)
    tokenizer.enable_truncation(5)
    tokenizer.save(str(path))


def write_export(
    folder: Path,
    *,
    model: str = "model.onnx",
    seed: int = 11,
    inputs: tuple[str, ...] = ("input_ids", "attention_mask", "token_type_ids"),
    pooled: bool = False,
    files: dict[str, Any] | None = None,
) -> Path:
    """An export in `folder`; `files` are further JSON files by name."""
    (folder / model).parent.mkdir(parents=True, exist_ok=True)
    (folder / model).write_bytes(model_bytes(rows(seed), inputs=inputs, pooled=pooled))
    write_tokenizer(folder / "tokenizer.json")
    for name, content in (files or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder
