from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from comis_core.config import (
    AgentOptions,
    Config,
    ConflictOptions,
    ElevatedReplyOptions,
    FusionOptions,
    LanguageModelOptions,
    MemoryOptions,
    PluginsOptions,
    RagOptions,
    RecallModelOptions,
    Schema,
    Setting,
    load,
)
from comis_core.errors import ConfigError
from comis_core.model import Trust
from comis_core.specs import Preset, Section

Load = Callable[..., Config]
Refuse = Callable[..., list[str]]

HOSTED = "text-embedding-3-small"


def test_an_empty_config_has_every_documented_default(schema: Schema) -> None:
    config = load({}, schema)
    assert config.core(MemoryOptions) == MemoryOptions(
        db_path="memory.db", wal_mode=True, language="english", synchronous="NORMAL", vector_budget_mb=256
    )
    assert config.core(RecallModelOptions) == RecallModelOptions(
        embedding_model=HOSTED,
        embedding_dimensions=1536,
        reranker_model="hf:gpustack/bge-reranker-v2-m3-GGUF:bge-reranker-v2-m3-Q8_0.gguf",
        reranker_models_dir="models",
        reranker_gpu="auto",
        reranker_threads=4,
    )
    assert config.core(RagOptions) == RagOptions(
        enabled=True,
        max_results=5,
        max_context_chars=4000,
        min_score=0.1,
        include_trust_levels=(Trust.SYSTEM, Trust.LEARNED),
    )
    assert config.core(LanguageModelOptions) == LanguageModelOptions()
    assert config.core(FusionOptions).method is None
    assert config.core(ConflictOptions).functional_predicates == ()
    assert config.core(ElevatedReplyOptions).default_trust_level is Trust.EXTERNAL
    assert config.core(AgentOptions) == AgentOptions()
    assert config.plugins == PluginsOptions()
    assert (config.agents, config.warnings, config.inactive) == ((), (), ())


@pytest.mark.parametrize(
    ("path", "default"),
    [
        ("memory.compaction.enabled", True),
        ("memory.compaction.threshold", 1000),
        ("memory.compaction.targetSize", 500),
        ("memory.retention.maxAgeDays", 0),
        ("rag.rerank.enabled", None),
        ("rag.rerank.maxCandidates", 40),
        ("rag.rerank.minResults", 1),
        ("rag.rerank.timeoutMs", 800),
        ("rag.scoring.recencyAlpha", 0.2),
        ("rag.scoring.temporalAlpha", 0.2),
        ("rag.scoring.proofAlpha", 0.1),
        ("rag.scoring.trustAlpha", 0.1),
        ("rag.scoring.usefulnessAlpha", 0.1),
        ("rag.scoring.forgetAlpha", 0.1),
        ("rag.lanes.fts.weight", 1.0),
        ("rag.lanes.vector.weight", 1.5),
        ("rag.lanes.temporal.enabled", True),
        ("rag.lanes.temporal.weight", 1.0),
        ("rag.lanes.temporal.windowDays", 7),
        ("rag.lanes.causal.enabled", True),
        ("rag.lanes.graphSpread.enabled", True),
        ("rag.lanes.graphSpread.maxDepth", 2),
        ("rag.lanes.graphSpread.fanOut", 8),
        ("rag.entityLane.enabled", True),
        ("rag.entityLane.seedCount", 5),
        ("rag.entityLane.perEntityCap", 200),
        ("rag.mmr.enabled", True),
        ("rag.mmr.lambda", 0.7),
        ("rag.feedback.enabled", True),
        ("rag.forget.enabled", True),
        ("rag.queryUnderstanding.intentReweight", True),
        ("rag.queryUnderstanding.synonyms", True),
        ("rag.queryUnderstanding.temporalParse", True),
        ("learningOutcome.enabled", True),
        ("learningOutcome.judge.enabled", True),
        ("learningOutcome.correction.enabled", True),
        ("dialectic.enabled", True),
        ("dialectic.maxOutputTokens", 1024),
        ("dialectic.maxRecall", 10),
        ("memoryReview.enabled", True),
        ("memoryReview.schedule", "0 2 * * *"),
        ("memoryReview.minMessages", 5),
        ("memoryReview.maxSessionsPerRun", 50),
        ("memoryReview.maxReviewTokens", 16384),
        ("memoryLifecycle.enabled", True),
        ("memoryLifecycle.schedule", "0 9 * * *"),
        ("learning.enabled", True),
        ("learning.reflect.schedule", "0 */3 * * *"),
        ("learning.reflect.minConfidence", 0.6),
        ("learning.reflect.promoteAtProofCount", 3),
        ("learning.reflect.maxDocsPerRun", 100),
        ("learning.reflect.maxProcedureDocsSurfaced", 10),
        ("learning.reflect.corroboration.mode", "single_owner"),
        ("learning.reflect.corroboration.minObservations", 2),
        ("learning.forget.maxDormantDays", 365),
        ("learning.forget.failureEvictionFloor", 3),
        ("learning.forget.highProofFloor", 5),
    ],
)
def test_every_documented_key_is_known_without_any_plugin(path: str, default: object) -> None:
    assert load({}, Schema()).setting(path) == default


def test_what_is_set_and_not_active_is_listed(load_text: Load, tmp_path: Path) -> None:
    text = "memory:\n  compaction: { threshold: 900 }\nagents:\n  a: { rag: { maxResults: 3, mmr: { lambda: 0.7 } } }\n"
    assert [str(key) for key in load_text(text).inactive] == [
        f"{tmp_path}/config.yaml:2:28: memory.compaction.threshold: not active in this version",
        f"{tmp_path}/config.yaml:4:45: agents.a.rag.mmr.lambda: not active in this version",
    ]


def test_what_a_preset_sets_is_not_listed_as_inactive(load_text: Load) -> None:
    presets = {"tuned": Preset(name="tuned", agent={"rag": {"mmr": {"enabled": False}}})}
    assert load_text("agents:\n  a: { preset: tuned }\n", presets).inactive == ()


def test_the_hosted_default_counts_as_explicit_only_where_it_is_written(schema: Schema) -> None:
    path = "memory.recall.embeddingModel"
    unwritten = load({}, schema)
    written = load({"memory": {"recall": {"embeddingModel": HOSTED}}}, schema)
    assert unwritten.setting(path) == written.setting(path) == HOSTED
    assert (unwritten.is_explicit(path), written.is_explicit(path)) == (False, True)


def test_what_a_preset_says_is_not_explicit(load_text: Load) -> None:
    presets = {"tuned": Preset(name="tuned", agent={"rag": {"maxResults": 8}}, engine={"language": "german"})}
    config = load_text("agents:\n  a: { preset: tuned, rag: { minScore: 0.1 } }\n", presets)
    assert not config.is_explicit("memory.language")
    assert not config.is_explicit("rag.maxResults", "a")
    assert config.is_explicit("rag.minScore", "a")
    assert not config.is_explicit("rag.minScore", "b")


def test_a_setting_is_found_by_each_way_to_write_its_path(load_text: Load) -> None:
    config = load_text("agents:\n  my.bot: { rag: { maxResults: 3 } }\nplugins: { strict: true }\n")
    assert config.setting("rag.maxResults") == 5
    assert config.setting("rag.maxResults", "my.bot") == 3
    assert config.setting("agents.my.bot.rag.maxResults") == 3
    assert config.setting("agents.somebody.rag.maxResults") == 5
    assert config.setting("plugins.strict") is True


@pytest.mark.parametrize("path", ["memory.recall.rerankerModle", "rag.maxResult", "agents.a.rag.maxResult", "banana"])
def test_a_setting_that_does_not_exist_is_an_error(schema: Schema, path: str) -> None:
    with pytest.raises(ConfigError, match="no config key"):
        load({}, schema).setting(path)


def test_options_of_a_section_outside_the_schema_are_an_error(schema: Schema) -> None:
    with pytest.raises(ConfigError, match="no part of the schema"):
        load({}, schema).options(Section("rag.lanes.mine", RagOptions))


def test_an_options_class_that_is_not_the_core_s_is_an_error(schema: Schema) -> None:
    with pytest.raises(ConfigError, match="Setting is no options class of the core"):
        load({}, schema).core(Setting)


def test_every_value_has_an_origin(load_text: Load, tmp_path: Path) -> None:
    presets = {"tuned": Preset(name="tuned", agent={"rag": {"maxResults": 8, "minScore": 0}})}
    config = load_text(
        "memory:\n  walMode: false\nagents:\n  a:\n    preset: tuned\n    rag: { minScore: 0.2 }\n", presets
    )
    effective = {setting.path: setting for setting in config.effective("a")}
    file = f"{tmp_path}/config.yaml"
    assert effective["memory.walMode"] == Setting("memory.walMode", False, f"{file}:2", True)
    assert effective["agents.a.rag.maxResults"] == Setting("agents.a.rag.maxResults", 8, "preset tuned", True)
    assert effective["agents.a.rag.minScore"] == Setting("agents.a.rag.minScore", 0.2, f"{file}:6", True)
    assert effective["agents.a.rag.enabled"] == Setting("agents.a.rag.enabled", True, "default", True)
    assert effective["agents.a.rag.mmr.lambda"] == Setting("agents.a.rag.mmr.lambda", 0.7, "default", False)
    assert effective["agents.a.rag.includeTrustLevels"].value == ["system", "learned"]
    assert effective["plugins.enable"].value == []
    assert config.origin("agents.a.rag.minScore") == f"{file}:6"


def test_the_default_preset_is_shown_as_the_preset_of_an_agent(load_text: Load) -> None:
    config = load_text("agents:\n  a: {}\n", {"tuned": Preset(name="tuned")}, default_preset="tuned")
    (shown,) = [setting for setting in config.effective("a") if setting.path == "agents.a.preset"]
    assert (shown.value, shown.origin) == ("tuned", "preset tuned")


def test_effective_values_load_to_the_same_config(load_text: Load, schema: Schema) -> None:
    config = load_text("agents:\n  default: { rag: { maxResults: 7, rerank: { enabled: false } } }\n")
    data: dict[str, object] = {}
    for setting in config.effective():
        *groups, key = setting.path.split(".")
        here = data
        for group in groups:
            here = here.setdefault(group, {})  # type: ignore[assignment] # plain nested data
        here[key] = setting.value
    again = load(data, schema)
    assert [(s.path, s.value) for s in again.effective()] == [(s.path, s.value) for s in config.effective()]


def test_the_database_lies_beside_its_config(load_text: Load, tmp_path: Path) -> None:
    assert load_text("memory: { dbPath: data/memory.db }").database_path() == tmp_path / "data" / "memory.db"


def test_an_absolute_database_path_stays(load_text: Load, tmp_path: Path) -> None:
    assert load_text(f"memory: {{ dbPath: {tmp_path}/elsewhere.db }}").database_path() == tmp_path / "elsewhere.db"


def test_the_database_of_a_mapping_lies_in_the_current_folder(
    schema: Schema, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load({}, schema).database_path() == tmp_path / "memory.db"


def test_the_database_without_any_config_lies_in_the_home(schema: Schema, tmp_path: Path) -> None:
    config = load(None, schema, environ={"HOME": str(tmp_path)})
    assert config.database_path() == tmp_path / ".comis" / "memory.db"


def test_a_home_sign_in_the_database_path_is_followed(
    schema: Schema, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load({"memory": {"dbPath": "~/memory.db"}}, schema).database_path() == tmp_path / "memory.db"


def test_two_configs_know_nothing_of_each_other(schema: Schema) -> None:
    one = load({"agents": {"default": {"elevatedReply": {"senderTrustMap": {"ana": "system"}}}}}, schema)
    two = load({}, schema)
    assert one.core(ElevatedReplyOptions).sender_trust_map == {"ana": Trust.SYSTEM}
    assert two.core(ElevatedReplyOptions).sender_trust_map == {}
