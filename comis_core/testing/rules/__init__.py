"""The rules of the conformance kit, by the type of spec that they are for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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
    ObserverSpec,
    OutcomeResolverSpec,
    Preset,
    RerankerSpec,
    ScorerSpec,
    Spec,
    ValidatorSpec,
)
from comis_core.testing.rules.background import JOB, OBSERVER, OUTCOME_RESOLVER
from comis_core.testing.rules.every import EVERY_SPEC, PRESET
from comis_core.testing.rules.indexes import INDEX
from comis_core.testing.rules.ranking import FINDING, FUSION
from comis_core.testing.rules.rule import Rule
from comis_core.testing.rules.scoring import ANALYZER, COLUMN, DIVERSIFIER, RERANKER, SCORER
from comis_core.testing.rules.writing import EMBEDDER, EXTRACTOR, VALIDATOR

RULES: Mapping[type[Spec], tuple[Rule, ...]] = MappingProxyType({
    LaneSpec: FINDING,
    ExpanderSpec: FINDING,
    FusionSpec: FUSION,
    ColumnSpec: COLUMN,
    ScorerSpec: SCORER,
    RerankerSpec: RERANKER,
    DiversifierSpec: DIVERSIFIER,
    AnalyzerSpec: ANALYZER,
    IndexSpec: INDEX,
    ExtractorSpec: EXTRACTOR,
    EmbedderSpec: EMBEDDER,
    OutcomeResolverSpec: OUTCOME_RESOLVER,
    ValidatorSpec: VALIDATOR,
    JobSpec: JOB,
    ObserverSpec: OBSERVER,
})
"""What each stage promises, besides what every spec does. A language model is only asked to satisfy its protocol."""


def rules_for(spec: Spec | Preset) -> tuple[Rule, ...]:
    """Every rule that a spec or preset has to keep."""
    if isinstance(spec, Preset):
        return PRESET
    return (*EVERY_SPEC, *(rule for kind, rules in RULES.items() if isinstance(spec, kind) for rule in rules))


__all__ = ["RULES", "Rule", "rules_for"]
