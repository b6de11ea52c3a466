"""Plugin `feedback`: memories that proved useful count a little more."""

from __future__ import annotations

from collections.abc import Iterable

from comis_core import hookimpl
from comis_core.specs import ColumnSpec, ObserverSpec, ScorerSpec, Section


@hookimpl
def comis_columns() -> Iterable[ColumnSpec]:
    """The column `usefulness`."""
    from comis_plugins.feedback.options import FeedbackOptions
    from comis_plugins.feedback.usefulness import MIGRATION, build_column

    yield ColumnSpec(
        name="usefulness",
        build=build_column,
        sections=(Section("rag.feedback", FeedbackOptions),),
        migrations=(MIGRATION,),
    )


@hookimpl
def comis_scorers() -> Iterable[ScorerSpec]:
    """The factor `usefulness`."""
    from comis_plugins.feedback.options import FeedbackOptions, FeedbackScoringOptions
    from comis_plugins.feedback.usefulness import build_scorer

    sections = (Section("rag.feedback", FeedbackOptions), Section("rag.scoring", FeedbackScoringOptions))
    yield ScorerSpec(name="usefulness", build=build_scorer, sections=sections, order=50, requires=("usefulness",))


@hookimpl
def comis_observers() -> Iterable[ObserverSpec]:
    """What counts uses when a turn ends."""
    from comis_plugins.feedback.observer import build_observer
    from comis_plugins.feedback.options import FeedbackOptions

    yield ObserverSpec(name="feedback", build=build_observer, sections=(Section("rag.feedback", FeedbackOptions),))
