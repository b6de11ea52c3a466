"""Plugin `entities`: names of people, places and things in memories and questions, found without a language model."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import AnalyzerSpec, ExtractorSpec


@hookimpl
def comis_extractors() -> Iterable[ExtractorSpec]:
    """The extractor, which works while some agent's pipeline has a lane that reads entities."""
    from comis_plugins.entities.extractor import build

    yield ExtractorSpec(
        name="entities",
        build=build,
        serves=("entity", "graph_spread"),
        help="names by capitals, quotation marks, signs and addresses; known names wherever they stand",
    )


@hookimpl
def comis_analyzers() -> Iterable[AnalyzerSpec]:
    """The analyzer that finds known names in a question."""
    from comis_plugins.entities.analyzer import build

    yield AnalyzerSpec(name="entities", build=build, order=20, help="known entities that a question names")
