"""What an export's small files say: pooling, longest input, prompts, dimensions; and what names its vectors."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from comis_core.errors import EmbedderError
from comis_plugins.embed_onnx.locate import model_file

J = TypeVar("J", dict[str, Any], list[Any])
POOLINGS = ("mean", "cls")
MODULES = ("Transformer", "Pooling", "Normalize")
DOCUMENT_PROMPTS = ("document", "passage", "corpus")
SAMPLES, SAMPLE = 64, 65_536
"""A model file is known by its length and 64 evenly spaced blocks of 64 KiB: weights that differ, differ everywhere."""
OFFSET_POSITIONS = {"roberta", "xlm-roberta", "camembert", "mpnet"}
"""Architectures whose position table has two rows that no token uses."""


@attrs.frozen(kw_only=True)
class Export:
    """A sentence-transformers export. prompts: text put before a query or a document, by kind."""

    model: Path
    tokenizer: Path
    pooling: str
    max_length: int
    """Longest input in tokens, markers included."""
    prompts: Mapping[str, str]
    dimensions: int | None
    """None when the files do not say; the model's output does then."""
    fingerprint: str


def read_export(folder: Path) -> Export:
    """Read the settings of the export in `folder`. Raises EmbedderError when it is none or needs what is not known."""
    model, tokenizer = model_file(folder), folder / "tokenizer.json"
    if model is None or not tokenizer.is_file():
        missing = "model.onnx" if model is None else "tokenizer.json"
        raise EmbedderError(
            f"{folder} is no ONNX export: it has no {missing}",
            hint="a sentence-transformers export has model.onnx or onnx/model*.onnx, and tokenizer.json",
        )
    _refuse_unknown_modules(folder)
    config, pooling = _read(folder / "config.json"), _read(folder / "1_Pooling" / "config.json")
    prompts = _prompts(_read(folder / "config_sentence_transformers.json"))
    settings = (_pooling(folder, pooling), _max_length(folder, config), tuple(sorted(prompts.items())))
    dimensions = pooling.get("word_embedding_dimension") or config.get("hidden_size")
    return Export(
        model=model,
        tokenizer=tokenizer,
        pooling=settings[0],
        max_length=settings[1],
        prompts=prompts,
        dimensions=int(dimensions) if dimensions else None,
        fingerprint=f"onnx-{_digest(model, tokenizer, repr(settings))}",
    )


def _parse(path: Path, kind: type[J]) -> J:
    """A JSON object or list; empty when the file is absent. Raises EmbedderError when it holds anything else."""
    if not path.is_file():
        return kind()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise EmbedderError(f"{path} is no JSON: {error}", hint="export the model again") from error
    if not isinstance(content, kind):
        raise EmbedderError(f"{path} holds a {type(content).__name__} instead of a {kind.__name__}")
    return content


def _read(path: Path) -> dict[str, Any]:
    return _parse(path, dict)


def _refuse_unknown_modules(folder: Path) -> None:
    """Every module after the transformer changes the vector; one that is skipped would give wrong ones silently."""
    kinds = [str(module.get("type", "")).rsplit(".", 1)[-1] for module in _parse(folder / "modules.json", list)]
    unknown = [kind for kind in kinds if kind not in MODULES]
    if unknown:
        raise EmbedderError(
            f"the export in {folder} has the module {unknown[0]}, which is not known here",
            hint=f"use a model that is made of {', '.join(MODULES)}",
        )


def _pooling(folder: Path, config: Mapping[str, Any]) -> str:
    """mean or cls; mean when the export does not say."""
    modes = [key for key, value in config.items() if key.startswith("pooling_mode_") and value is True]
    known = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
    if not modes:
        return "mean"
    if len(modes) > 1 or modes[0] not in known:
        raise EmbedderError(
            f"the export in {folder} pools by {', '.join(modes)}", hint=f"known poolings: {', '.join(POOLINGS)}"
        )
    return known[modes[0]]


def _max_length(folder: Path, config: Mapping[str, Any]) -> int:
    """The longest input: what the export was made for, else what the position table holds, else 512."""
    stated = _read(folder / "sentence_bert_config.json").get("max_seq_length")
    positions = config.get("max_position_embeddings")
    if positions and config.get("model_type") in OFFSET_POSITIONS:
        positions -= 2
    return int(stated or positions or 512)


def _prompts(config: Mapping[str, Any]) -> dict[str, str]:
    """Texts that the model wants before a query and before a document."""
    given = config.get("prompts") or {}
    document = next((given[name] for name in DOCUMENT_PROMPTS if given.get(name)), "")
    prompts = {"query": given.get("query") or "", "document": document}
    return {kind: text for kind, text in prompts.items() if text}


def _digest(model: Path, tokenizer: Path, settings: str) -> str:
    """16 hex digits over all that shapes a vector; large exports keep their weights in files beside the model."""
    digest = hashlib.blake2b(settings.encode(), digest_size=8)
    digest.update(tokenizer.read_bytes())
    for part in sorted(model.parent.glob(f"{model.stem}.onnx*")):
        digest.update(_samples(part))
    return digest.hexdigest()


def _samples(path: Path) -> bytes:
    """Length and evenly spaced blocks of a file; all of it when it is small."""
    size = path.stat().st_size
    step = max(SAMPLE, size // SAMPLES)
    with path.open("rb") as file:
        blocks = [str(size).encode()]
        for start in range(0, size, step):
            file.seek(start)
            blocks.append(file.read(SAMPLE))
    return b"".join(blocks)
