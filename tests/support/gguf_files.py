"""GGUF files that the tests make: any keys and tensors, or a whole BERT of 100 kB with random weights.

The format is simple enough to be written by hand, so no package is needed to make a file, and what reads it is checked
against something that does not share its code.
"""

from __future__ import annotations

import string
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = dict[str, NDArray[np.float32]]

MEAN, CLS, LAST, RANK = 1, 2, 3, 4
"""Pooling types by their number in the format."""
WORDS = (
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *string.ascii_lowercase, *string.digits, *".,!?",
    *(f"##{sign}" for sign in (*string.ascii_lowercase, *string.digits)),
    "the", "ana", "lives", "in", "lisbon", "where", "does", "live", "cat", "bakery",
)  # fmt: skip
PAD, UNK, BEGIN, END = 0, 1, 2, 3
WIDTH, LAYERS, HEADS, INNER, LONGEST = 32, 2, 2, 64, 128
ALIGNMENT = 32
CONTROL, NORMAL = 3, 1


def write_gguf(
    path: Path, keys: Mapping[str, Any], tensors: Mapping[str, NDArray[np.float32]] | None = None, *, version: int = 3
) -> Path:
    """A GGUF file; whole numbers become uint32, fractions float32, lists arrays of text or int32."""
    infos, data = [], b""
    for name, tensor in (tensors or {}).items():
        shape = struct.pack(f"<I{tensor.ndim}Q", tensor.ndim, *reversed(tensor.shape))
        infos.append(_text(name) + shape + struct.pack("<IQ", 0, len(data)))
        data += _padded(np.ascontiguousarray(tensor, "<f4").tobytes())
    head = b"GGUF" + struct.pack("<IQQ", version, len(infos), len(keys))
    head += b"".join(_text(key) + _value(value) for key, value in keys.items()) + b"".join(infos)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_padded(head) + data)
    return path


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % ALIGNMENT)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if value and isinstance(value[0], str):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(_text(item) for item in value)
    return struct.pack(f"<IIQ{len(value)}i", 9, 5, len(value), *value)


def bert_weights(seed: int = 0, *, words: tuple[str, ...] = WORDS) -> Weights:
    """Random weights of a BERT with a classifying head, by the format's names of tensors."""
    random = np.random.default_rng(seed)

    def matrix(*shape: int) -> NDArray[np.float32]:
        return (random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)

    def vector(size: int, around: float = 0.0) -> NDArray[np.float32]:
        return (around + 0.1 * random.standard_normal(size)).astype(np.float32)

    weights = {
        "token_embd.weight": matrix(len(words), WIDTH),
        "position_embd.weight": matrix(LONGEST, WIDTH),
        "token_types.weight": matrix(2, WIDTH),
        "token_embd_norm.weight": vector(WIDTH, 1.0),
        "token_embd_norm.bias": vector(WIDTH),
    }
    for layer in range(LAYERS):
        shapes = {
            "attn_q": (WIDTH, WIDTH), "attn_k": (WIDTH, WIDTH), "attn_v": (WIDTH, WIDTH),
            "attn_output": (WIDTH, WIDTH), "ffn_up": (INNER, WIDTH), "ffn_down": (WIDTH, INNER),
        }  # fmt: skip
        for name, shape in shapes.items():
            weights[f"blk.{layer}.{name}.weight"] = matrix(*shape)
            weights[f"blk.{layer}.{name}.bias"] = vector(shape[0])
        for name in ("attn_output_norm", "layer_output_norm"):
            weights[f"blk.{layer}.{name}.weight"] = vector(WIDTH, 1.0)
            weights[f"blk.{layer}.{name}.bias"] = vector(WIDTH)
    weights["cls.weight"] = matrix(WIDTH, WIDTH)
    weights["cls.bias"] = vector(WIDTH)
    weights["cls.output.weight"] = 4 * matrix(1, WIDTH)
    weights["cls.output.bias"] = vector(1)
    return weights


def bert_keys(pooling: int | None, *, words: tuple[str, ...] = WORDS) -> dict[str, Any]:
    """What the file of such a BERT says about itself."""
    shown = [word.removeprefix("##") if word.startswith("##") else f"\u2581{word}" for word in words]
    keys: dict[str, Any] = {
        "general.architecture": "bert",
        "general.name": "tiny",
        "general.file_type": 0,
        "bert.context_length": LONGEST,
        "bert.embedding_length": WIDTH,
        "bert.block_count": LAYERS,
        "bert.feed_forward_length": INNER,
        "bert.attention.head_count": HEADS,
        "bert.attention.layer_norm_epsilon": 1e-12,
        "bert.attention.causal": False,
        "tokenizer.ggml.token_type_count": 2,
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.pre": "default",
        "tokenizer.ggml.tokens": [*words[: END + 2], *shown[END + 2 :]],
        "tokenizer.ggml.token_type": [CONTROL if place < END + 2 else NORMAL for place in range(len(words))],
        "tokenizer.ggml.unknown_token_id": UNK,
        "tokenizer.ggml.seperator_token_id": END,
        "tokenizer.ggml.padding_token_id": PAD,
        "tokenizer.ggml.cls_token_id": BEGIN,
        "tokenizer.ggml.mask_token_id": END + 1,
        "tokenizer.ggml.bos_token_id": BEGIN,
        "tokenizer.ggml.eos_token_id": END,
    }
    return keys if pooling is None else keys | {"bert.pooling_type": pooling}


def tiny_bert(
    path: Path, pooling: int | None = MEAN, *, seed: int = 0, words: tuple[str, ...] = WORDS, head: bool | None = None
) -> Path:
    """Write a tiny BERT; head: whether it has a classifying head, by default only when it pools by RANK."""
    weights = bert_weights(seed, words=words)
    keep = pooling == RANK if head is None else head
    tensors = {name: weight for name, weight in weights.items() if keep or not name.startswith("cls.")}
    return write_gguf(path, bert_keys(pooling, words=words), tensors)


def tiny_tokens(text: str, *, words: tuple[str, ...] = WORDS) -> list[int]:
    """Greedy word pieces of a text in lower case whose words are parted by blanks, without markers."""
    found: list[int] = []
    for word in text.split():
        rest, pieces = word, list[int]()
        while rest:
            length = next((n for n in range(len(rest), 0, -1) if ("##" if pieces else "") + rest[:n] in words), 0)
            if not length:
                pieces = [UNK]
                break
            pieces.append(words.index(("##" if pieces else "") + rest[:length]))
            rest = rest[length:]
        found += pieces
    return found
