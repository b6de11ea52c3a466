"""From a configured model name to the folder of an export. Looks at names on the disk only, never inside files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from comis_core.errors import PartInactive
from comis_core.protocols import BuildContext

if TYPE_CHECKING:
    from comis_plugins.embed_onnx.embedder import OnnxEmbedder

PREFIX = "onnx:"
PATHS = ("/", "~", "./", "../", ".\\", "..\\")
MODELS = "models"
"""Folder beside the config in which `auto` looks for exports."""


def claims(model: str) -> bool:
    """Whether a configured model name is this embedder's: `onnx:FOLDER`, or a name that can only be a folder's path.

    "models/minilm" without prefix could as well be a hosted model's name, so it is not taken.
    """
    name = model.strip()
    if name.startswith(PREFIX):
        return True
    return (name.startswith(PATHS) or Path(name).is_absolute()) and not name.casefold().endswith(".gguf")


def resolve(model: str, folder: str) -> Path:
    """The export's folder: `model` without prefix; relative names start at the config's folder."""
    return Path(folder, Path(model.strip().removeprefix(PREFIX)).expanduser())


def model_file(folder: Path) -> Path | None:
    """The ONNX file of an export: `model.onnx`, `onnx/model.onnx`, else the first other `model*.onnx` by name."""
    for candidate in (folder / "model.onnx", folder / "onnx" / "model.onnx"):
        if candidate.is_file():
            return candidate
    others = [*sorted(folder.glob("model*.onnx")), *sorted(folder.glob("onnx/model*.onnx"))]
    return others[0] if others else None


def is_export(folder: Path) -> bool:
    """Whether the folder has what an export cannot do without: a model and a tokenizer."""
    return (folder / "tokenizer.json").is_file() and model_file(folder) is not None


def present(folder: str) -> Path | None:
    """The first export by name in `models/` beside the config; what `auto` takes."""
    return next((place for place in sorted(Path(folder, MODELS).glob("*")) if is_export(place)), None)


def nothing_in(folder: str) -> PartInactive:
    """The reason why there is no embedder under `auto`."""
    return PartInactive(f"no ONNX export lies in {Path(folder, MODELS)}", hint="name one: onnx:FOLDER")


def build(context: BuildContext, model: str | None = None) -> OnnxEmbedder:
    """The embedder of an agent, imported once there is an export. Raises as `embedder.build` does."""
    if model is None and present(context.folder) is None:
        raise nothing_in(context.folder)
    from comis_plugins.embed_onnx import embedder

    return embedder.build(context, model)
