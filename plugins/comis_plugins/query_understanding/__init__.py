"""Plugin `query_understanding`: who, when and what kind of question, found out without a language model."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import AnalyzerSpec, Section


@hookimpl
def comis_analyzers() -> Iterable[AnalyzerSpec]:
    """The analyzer."""
    from comis_plugins.query_understanding.analyzer import build
    from comis_plugins.query_understanding.options import QueryUnderstandingOptions

    yield AnalyzerSpec(
        name="query_understanding",
        build=build,
        sections=(Section("rag.queryUnderstanding", QueryUnderstandingOptions),),
        order=10,
        help="participants, time expressions, intent and synonyms of a question",
    )
