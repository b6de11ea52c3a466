"""Whether there is a file to run at all, before anything is imported that reads or runs one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from comis_core.errors import PartInactive
from comis_core.gguf.files import model_files
from comis_core.protocols import BuildContext

if TYPE_CHECKING:
    from comis_plugins.embed_llama.embedder import LlamaEmbedder


def models_folder(context: BuildContext) -> Path:
    """The folder of models, which rerankers share."""
    return Path(context.folder, Path(context.setting("memory.recall.rerankerModelsDir")).expanduser())


def nothing_in(models: Path) -> PartInactive:
    """The reason why there is no embedder under `auto`."""
    return PartInactive(f"no embedding model in GGUF lies in {models}", hint="comis models fetch, or name one")


def build(context: BuildContext, model: str | None = None) -> LlamaEmbedder:
    """The embedder of an agent. Raises as `embedder.build` does."""
    models = models_folder(context)
    if model is None and not any(True for _ in model_files(models)):
        raise nothing_in(models)
    from comis_plugins.embed_llama import embedder

    return embedder.build(context, model)
