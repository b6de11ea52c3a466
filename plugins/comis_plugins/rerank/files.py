"""Where the cross-encoder's file is, and the three states: on, off, and on only if it is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from comis_core.errors import ComisError, PartInactive
from comis_core.gguf.files import locate, parse_reference
from comis_core.protocols import BuildContext

if TYPE_CHECKING:
    from comis_core.gguf.header import Header


def find_model(context: BuildContext, *, forced: bool) -> Header:
    """The header of the configured model's file.

    Args:
        context: names model and folder of models.
        forced: rerank even if the file must be downloaded first. The network is touched in this case alone.

    Raises:
        PartInactive: there is nothing to rerank with, and nobody insists.
        ComisError: somebody insists and it cannot be had, or the file is damaged.
    """
    model = context.setting("memory.recall.rerankerModel")
    models = Path(context.folder, Path(context.setting("memory.recall.rerankerModelsDir")).expanduser())
    path = locate(model, models=models, folder=Path(context.folder))
    if not path.is_file() and not forced:
        hint = f"comis models fetch {model}" if parse_reference(model) else ""
        raise PartInactive(f"off, since {path.name} is not in {models}", hint=hint, quiet=True)
    # What reads and runs a model is not imported while there is none.
    from comis_core.gguf.header import read_header
    from comis_core.gguf.native import INSTALL
    from comis_core.gguf.network import installed

    if not installed():
        words = f"the cross-encoder {path.name} needs llama-cpp-python"
        raise (ComisError if forced else PartInactive)(words, hint=INSTALL)
    if not path.is_file():
        _download(model, path)
    return read_header(path)


def _download(model: str, path: Path) -> None:
    from comis_core.gguf.download import fetch
    from comis_core.gguf.progress import progress_bar

    reference = parse_reference(model)
    if reference is None:
        raise ComisError(f"the cross-encoder is not there: {path}", hint="put it there, or name one by hf:")
    with progress_bar(path.name) as progress:
        fetch(reference.address, path, progress=progress)
