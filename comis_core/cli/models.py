"""Commands on local models: the one place besides `rag.rerank.enabled: true` from which a model is downloaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from comis_core.cli.options import Target, as_json, print_json, target
from comis_core.errors import ComisError

if TYPE_CHECKING:
    from comis_core.gguf.header import Header


@click.group()
def models() -> None:
    """Download local models."""


@models.command()
@click.argument("model")
@click.option("--sha256", default="", help="What the file's SHA-256 must be; else what the server states is checked.")
@target
@as_json
def fetch(target: Target, as_json: bool, model: str, sha256: str) -> None:
    """Download MODEL, written hf:owner/repository:file.gguf, into the folder of models.

    A download that broke off goes on where it stopped. A file that is there already is left alone.
    """
    from comis_core.gguf.download import fetch as download
    from comis_core.gguf.files import SHAPE, locate, parse_reference
    from comis_core.gguf.header import read_header
    from comis_core.gguf.progress import progress_bar

    reference = parse_reference(model)
    if reference is None:
        raise ComisError(f"{model!r} is no reference to a model that can be downloaded", hint=f"write {SHAPE}")
    folder = _folder(target)
    place = locate(model, models=folder, folder=folder)
    there = place.is_file()
    if not there:
        with progress_bar(place.name) as progress:
            download(reference.address, place, sha256=sha256, progress=progress)
    kind, use = _advice(read_header(place), reference=str(reference))
    if as_json:
        print_json({"path": str(place), "bytes": place.stat().st_size, "fetched": not there, "kind": kind})
        return
    click.echo(f"{place} ({place.stat().st_size:,} bytes, {kind}){' was there already' if there else ''}")
    if use:
        click.echo(f"  {use}")


def _folder(target: Target) -> Path:
    """`memory.recall.rerankerModelsDir`, which starts where an engine with this config and database has it start."""
    from comis_core.config import RecallModelOptions
    from comis_core.engine.opening import load_settings

    settings = load_settings(target.source, preset=target.preset, tolerant=True).settings
    return settings.folder / Path(settings.core(RecallModelOptions).reranker_models_dir).expanduser()


def _advice(header: Header, *, reference: str) -> tuple[str, str]:
    """What kind of model it is, and which key makes use of it."""
    from comis_core.gguf.header import EMBEDDING_POOLINGS, Pooling

    if header.pooling is Pooling.RANK:
        return "cross-encoder", f"memory.recall.rerankerModel: {reference}"
    if header.pooling in EMBEDDING_POOLINGS:
        return f"embedding model, {header.dimensions} dimensions", f"memory.recall.embeddingModel: {reference}"
    return "neither an embedding model nor a cross-encoder", ""
