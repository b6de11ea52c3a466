"""The contract: every hook a plugin may implement. Each returns an iterable of the named spec type.

A plugin is a module (or object) behind the entry-point group `comis.plugins` whose functions carry `@hookimpl`:

    from comis_core import hookimpl
    from comis_core.specs import LaneSpec, Section

    @hookimpl
    def comis_lanes():
        yield LaneSpec(name="mine", build=MyLane, sections=(Section("rag.lanes.mine", MyOptions),))

The core asks once, when an engine opens; no hook is called during a recall.
"""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from comis_core.specs import (
    AnalyzerSpec,
    ColumnSpec,
    DiversifierSpec,
    EmbedderSpec,
    ExpanderSpec,
    ExtractorSpec,
    FusionSpec,
    IndexSpec,
    JobSpec,
    LaneSpec,
    LanguageModelSpec,
    ObserverSpec,
    OutcomeResolverSpec,
    Preset,
    RerankerSpec,
    ScorerSpec,
    ValidatorSpec,
)

PROJECT = "comis"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def comis_lanes() -> Iterable[LaneSpec]:
    """Retrieval lanes: candidates from the query itself.

    Example: `yield LaneSpec(name="fts", build=FtsLane, sections=(Section("rag.lanes.fts", FtsOptions),))`
    """
    return ()


@hookspec
def comis_expanders() -> Iterable[ExpanderSpec]:
    """Expanders: candidates from the pool so far.

    Example: `yield ExpanderSpec(name="adjacent", build=AdjacentExpander, order=10)`
    """
    return ()


@hookspec
def comis_fusions() -> Iterable[FusionSpec]:
    """Fusions: rankings into one score.

    Example: `yield FusionSpec(name="rrf", build=lambda context: ReciprocalRankFusion(60), default=True)`
    """
    return ()


@hookspec
def comis_columns() -> Iterable[ColumnSpec]:
    """Named columns of the pool, e.g. a usefulness rate from the plugin's own table.

    Example: `yield ColumnSpec(name="usefulness", build=UsefulnessColumn)`
    """
    return ()


@hookspec
def comis_scorers() -> Iterable[ScorerSpec]:
    """Multiplicative factors.

    Example: `yield ScorerSpec(name="recency", build=Recency, sections=(Section("rag.scoring", RecencyOptions),))`
    """
    return ()


@hookspec
def comis_rerankers() -> Iterable[RerankerSpec]:
    """Rerankers of the head of the pool.

    Example: `yield RerankerSpec(name="rerank", build=CrossEncoder, sections=(Section("rag.rerank", RerankOptions),))`
    """
    return ()


@hookspec
def comis_diversifiers() -> Iterable[DiversifierSpec]:
    """Diversifiers.

    Example: `yield DiversifierSpec(name="mmr", build=Mmr, sections=(Section("rag.mmr", MmrOptions),))`
    """
    return ()


@hookspec
def comis_analyzers() -> Iterable[AnalyzerSpec]:
    """Query analyzers without a language model.

    Example: `yield AnalyzerSpec(name="query_understanding", build=QueryUnderstanding)`
    """
    return ()


@hookspec
def comis_indexes() -> Iterable[IndexSpec]:
    """Derived tables.

    Example: `yield IndexSpec(name="fts", build=FtsIndex, serves=("fts",), migrations=(Migration("0001", SQL),))`
    """
    return ()


@hookspec
def comis_extractors() -> Iterable[ExtractorSpec]:
    """Extractors of annotations at write time.

    Example: `yield ExtractorSpec(name="entities", build=EntityExtractor, serves=("entity",))`
    """
    return ()


@hookspec
def comis_embedders() -> Iterable[EmbedderSpec]:
    """Embedders.

    Example: `yield EmbedderSpec(name="static", build=static_embedder, order=20)`
    """
    return ()


@hookspec
def comis_language_models() -> Iterable[LanguageModelSpec]:
    """Language models for learning jobs; recall never calls one.

    Example: `yield LanguageModelSpec(name="openai", build=OpenAIChat)`
    """
    return ()


@hookspec
def comis_outcome_resolvers() -> Iterable[OutcomeResolverSpec]:
    """Resolvers of outcomes.

    Example: `yield OutcomeResolverSpec(name="tool", build=ToolOutcome, tier=0)`
    """
    return ()


@hookspec
def comis_validators() -> Iterable[ValidatorSpec]:
    """Validators of texts before they become memory.

    Example: `yield ValidatorSpec(name="secrets", build=SecretsValidator)`
    """
    return ()


@hookspec
def comis_jobs() -> Iterable[JobSpec]:
    """Background jobs.

    Example: `yield JobSpec(name="compaction", build=Compaction, schedule="0 4 * * *")`
    """
    return ()


@hookspec
def comis_observers() -> Iterable[ObserverSpec]:
    """Observers of turns, outcomes and events.

    Example: `yield ObserverSpec(name="feedback", build=FeedbackObserver)`
    """
    return ()


@hookspec
def comis_presets() -> Iterable[Preset]:
    """Presets: named overlays of config.

    Example: `yield Preset(name="tuned", agent={"rag": {"fusion": {"method": "score"}}})`
    """
    return ()
