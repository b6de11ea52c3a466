"""Which models that a configuration names cannot be used on this machine. No store is opened and no network touched."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import attrs

from comis_core.clock import SystemClock
from comis_core.config import Config, MemoryOptions, RecallModelOptions
from comis_core.engine.context import Context
from comis_core.engine.diagnosis import Problem
from comis_core.engine.resources import Resources
from comis_core.errors import ComisError
from comis_core.gguf.files import locate, parse_reference
from comis_core.host import Registry, build_embedder, configured_model
from comis_core.host.embedder import AUTO
from comis_core.store.sequence import TurnSequence
from comis_core.store.vectors import VectorStore
from comis_core.text import Analyser

AREA = "models"
RERANKER = "memory.recall.rerankerModel"


def model_problems(registry: Registry, settings: Config) -> list[Problem]:
    """One problem a model that is named and cannot be used; embedders are built as a recall would build them.

    A hosted embedder is not asked anything. A cross-encoder that could be downloaded is a minor problem.
    """
    log = logging.getLogger("comis_core")
    with closing(Resources(log)) as resources:
        context = bare_context(settings, resources, log)
        found = [*_embedders(attrs.evolve(registry, strict=False), settings, context), *_reranker(settings)]
    return list(dict.fromkeys(found))


def automatic_embedder(registry: Registry, settings: Config, agent: str) -> str | None:
    """What "auto" does for an agent that names no model: "chooses NAME" or "finds none"; None when one is named."""
    if configured_model(settings, agent) != (AUTO, "default"):
        return None
    log = logging.getLogger("comis_core")
    with closing(Resources(log)) as resources:
        context = bare_context(settings, resources, log)
        with closing(build_embedder(attrs.evolve(registry, strict=False), settings, agent, context)) as choice:
            return f"chooses {choice.embedder.name}" if choice.embedder else "finds none"


def bare_context(settings: Config, resources: Resources, log: logging.Logger) -> Context:
    """What parts are built with where there is no engine: settings and an analyser, and a memory without anything."""
    text = Analyser(settings.core(MemoryOptions).language)
    return Context(
        clock=SystemClock(),
        log=log,
        text=text,
        vectors=VectorStore(0),
        sequence=TurnSequence(text.stem_count),
        folder=str(settings.folder),
        judge=lambda words, purpose: [],
        shared=resources.get,
        settings=settings.setting,
        known_scopes=list,
    )


def _embedders(registry: Registry, settings: Config, context: Context) -> Iterator[Problem]:
    """Agents that name one model by one key have one problem with it; under `auto` an absent one is none."""
    asked: set[tuple[str, str]] = set()
    for agent in (*settings.agents, "default"):
        model, origin = configured_model(settings, agent)
        if (model, origin) in asked:
            continue
        asked.add((model, origin))
        try:
            choice = build_embedder(registry, settings, agent, context)
        except ComisError as error:
            yield Problem(area=AREA, what=error.message, remedy=error.hint)
            continue
        choice.close()
        for failure in choice.degraded:
            yield Problem(area=AREA, what=f"{origin}: {failure}")


def _reranker(settings: Config) -> Iterator[Problem]:
    """The cross-encoder, if the user has named one: what is built here would be downloaded, so only names are read."""
    if not settings.is_explicit(RERANKER):
        return
    options = settings.core(RecallModelOptions)
    origin = f"{settings.origin(RERANKER)}: {RERANKER}"
    models = settings.folder / Path(options.reranker_models_dir).expanduser()
    try:
        path = locate(options.reranker_model, models=models, folder=settings.folder)
        fetchable = parse_reference(options.reranker_model) is not None
    except ComisError as error:
        yield Problem(area=AREA, what=f"{origin}: {error.message}", remedy=error.hint)
        return
    if not path.is_file():
        fetch = f"`comis models fetch {options.reranker_model.strip()}` downloads it"
        remedy = fetch if fetchable else "relative paths start at the config's folder"
        yield Problem(area=AREA, what=f"{origin}: there is no file {path}", remedy=remedy, minor=fetchable)
