"""Documented keys that belong to plugins: known and checked without them, and then listed as not active.

A plugin that brings a section or key declared here takes it over; nothing else has to change for it. So a documented
config loads whatever plugins there are: some come with a later version, and one may be broken or replaced.
"""

from __future__ import annotations

from typing import Literal

import attrs
from attrs.validators import ge, le

from comis_core.config.core import option
from comis_core.model.shown import Compared
from comis_core.specs import Section


def _cron(instance: object, attribute: attrs.Attribute[str], value: str) -> None:
    if value == attribute.default:
        return  # the parser takes longer to import than everything else here together
    from croniter import croniter

    if not croniter.is_valid(value):
        raise ValueError(f'must be a cron expression such as "0 3 * * *", not {value!r}')


def _below_threshold(instance: CompactionOptions, attribute: attrs.Attribute[int], value: int) -> None:
    if value > instance.threshold:
        raise ValueError(f"targetSize ({value}) must not be above threshold ({instance.threshold})")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class CompactionOptions(Compared):
    """`memory.compaction`."""

    enabled: bool = option(True, "Bring a scope that has grown too large back to its target size.")
    threshold: int = option(1000, "Memories in a scope from which it is compacted.", ge(1))
    target_size: int = option(500, "Memories that remain.", ge(0), _below_threshold)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RetentionOptions(Compared):
    """`memory.retention`."""

    max_age_days: int = option(0, "Age in days at which a memory is removed; 0 = never.", ge(0))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TextLaneOptions(Compared):
    """`rag.lanes.fts`."""

    weight: float = option(1.0, "Weight in the fusion.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class VectorLaneOptions(Compared):
    """`rag.lanes.vector`."""

    weight: float = option(1.5, "Weight in the fusion.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ScoringOptions(Compared):
    """`rag.scoring`: strengths of the factors, each a multiplier around 1."""

    recency_alpha: float = option(0.2, "Strength of record time.", ge(0), le(1))
    temporal_alpha: float = option(0.2, "Strength of event time.", ge(0), le(1))
    proof_alpha: float = option(0.1, "Strength of corroboration.", ge(0), le(1))
    trust_alpha: float = option(0.1, "Strength of trust (frozen: leave it as it is).", ge(0), le(1))
    usefulness_alpha: float = option(0.1, "Strength of usefulness.", ge(0), le(1))
    forget_alpha: float = option(0.1, "Strength of fading.", ge(0), le(1))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RerankOptions(Compared):
    """`rag.rerank`."""

    enabled: bool | None = option(None, "true may download the model; unset = on when it is present already.")
    max_candidates: int = option(40, "At most so many candidates are scored.", ge(1), le(1000))
    min_results: int = option(1, "Skipped below so many candidates.", ge(0))
    timeout_ms: int = option(800, "Milliseconds after which the fused order stands.", ge(1))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TemporalLaneOptions(Compared):
    """`rag.lanes.temporal`."""

    enabled: bool = option(True, "Memories near in event time to the best hits.")
    weight: float = option(1.0, "Weight in the fusion.")
    window_days: float = option(7.0, "Days around a hit's event time.", ge(0))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class CausalLaneOptions(Compared):
    """`rag.lanes.causal`."""

    enabled: bool = option(True, "Causes and effects of the best hits.")
    weight: float = option(1.0, "Weight in the fusion.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class GraphSpreadOptions(Compared):
    """`rag.lanes.graphSpread`."""

    enabled: bool = option(True, "Memories connected to the best hits by entities and triples.")
    weight: float = option(1.0, "Weight in the fusion.")
    max_depth: int = option(2, "Steps from the seeds.", ge(1), le(8))
    fan_out: int = option(8, "Edges followed from one node.", ge(1), le(1000))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class EntityLaneOptions(Compared):
    """`rag.entityLane`."""

    enabled: bool = option(True, "Memories that share an entity with the best hits.")
    seed_count: int = option(5, "Best hits that serve as seeds.", ge(1), le(1000))
    per_entity_cap: int = option(200, "At most so many neighbours by one entity.", ge(1))
    weight: float = option(1.0, "Weight in the fusion.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MmrOptions(Compared):
    """`rag.mmr`."""

    enabled: bool = option(True, "Prefer results that differ from those above them.")
    lambda_: float = option(0.7, "1 = relevance alone, 0 = difference alone.", ge(0), le(1))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class FeedbackOptions(Compared):
    """`rag.feedback`."""

    enabled: bool = option(True, "Learn from which recalled memories were used.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ForgetOptions(Compared):
    """`rag.forget`."""

    enabled: bool = option(True, "Let old, unused memories fade in the ranking.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class QueryUnderstandingOptions(Compared):
    """`rag.queryUnderstanding`."""

    intent_reweight: bool = option(True, "Weigh the lanes by what kind of question it is.")
    synonyms: bool = option(True, "Search synonyms too.")
    temporal_parse: bool = option(True, "Understand time expressions in the question.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LearningOutcomeOptions(Compared):
    """`learningOutcome`."""

    enabled: bool = option(True, "Record how turns and tasks went.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class JudgeOptions(Compared):
    """`learningOutcome.judge`."""

    enabled: bool = option(True, "Ask a language model about turns that nothing else decides.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class CorrectionOptions(Compared):
    """`learningOutcome.correction`."""

    enabled: bool = option(True, "Notice when the next message corrects the last answer.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class DialecticOptions(Compared):
    """`dialectic`."""

    enabled: bool = option(True, "Answer questions from memory with a language model.")
    max_output_tokens: int = option(1024, "Length of an answer in tokens.", ge(1))
    max_recall: int = option(10, "Memories an answer may rest on.", ge(1), le(1000))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MemoryReviewOptions(Compared):
    """`memoryReview`."""

    enabled: bool = option(True, "Extract memories from sessions with a language model.")
    schedule: str = option("0 2 * * *", "When, as a cron expression.", _cron)
    min_messages: int = option(5, "New messages from which a session is reviewed.", ge(1))
    max_sessions_per_run: int = option(50, "Sessions in one run.", ge(1))
    max_review_tokens: int = option(16384, "Tokens of one session that are read.", ge(1))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MemoryLifecycleOptions(Compared):
    """`memoryLifecycle`."""

    enabled: bool = option(True, "Evict memories by the rules of learning.forget; reversible.")
    schedule: str = option("0 9 * * *", "When, as a cron expression.", _cron)


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LearningOptions(Compared):
    """`learning`."""

    enabled: bool = option(True, "The whole learning layer.")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ReflectOptions(Compared):
    """`learning.reflect`."""

    schedule: str = option("0 */3 * * *", "When, as a cron expression.", _cron)
    min_confidence: float = option(0.6, "Outcomes below this confidence are left out.", ge(0), le(1))
    promote_at_proof_count: int = option(3, "Attributed successes that make a candidate active.", ge(1))
    max_docs_per_run: int = option(100, "Documents written in one run.", ge(1))
    max_procedure_docs_surfaced: int = option(10, "Procedures shown in one prompt.", ge(0))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class CorroborationOptions(Compared):
    """`learning.reflect.corroboration`."""

    mode: Literal["single_owner", "distinct_sessions"] = option(
        "single_owner", "What confirms a topic: repetition by one named owner, or distinct sessions and senders."
    )
    min_observations: int = option(2, "Repetitions that single_owner needs.", ge(1))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class LearningForgetOptions(Compared):
    """`learning.forget`."""

    max_dormant_days: int = option(365, "Days without use after which a memory is evicted.", ge(1))
    failure_eviction_floor: int = option(3, "Corroborated failures from which a memory is evicted.", ge(1))
    high_proof_floor: int = option(5, "Proof count from which failures no longer evict.", ge(1))


RESERVED_SECTIONS: tuple[Section, ...] = (
    Section("compaction", CompactionOptions, "engine"),
    Section("retention", RetentionOptions, "engine"),
    Section("rag.lanes.fts", TextLaneOptions),
    Section("rag.lanes.vector", VectorLaneOptions),
    Section("rag.scoring", ScoringOptions),
    Section("rag.rerank", RerankOptions),
    Section("rag.lanes.temporal", TemporalLaneOptions),
    Section("rag.lanes.causal", CausalLaneOptions),
    Section("rag.lanes.graphSpread", GraphSpreadOptions),
    Section("rag.entityLane", EntityLaneOptions),
    Section("rag.mmr", MmrOptions),
    Section("rag.feedback", FeedbackOptions),
    Section("rag.forget", ForgetOptions),
    Section("rag.queryUnderstanding", QueryUnderstandingOptions),
    Section("learningOutcome", LearningOutcomeOptions),
    Section("learningOutcome.judge", JudgeOptions),
    Section("learningOutcome.correction", CorrectionOptions),
    Section("dialectic", DialecticOptions),
    Section("memoryReview", MemoryReviewOptions),
    Section("memoryLifecycle", MemoryLifecycleOptions),
    Section("learning", LearningOptions),
    Section("learning.reflect", ReflectOptions),
    Section("learning.reflect.corroboration", CorroborationOptions),
    Section("learning.forget", LearningForgetOptions),
)
