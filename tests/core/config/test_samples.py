"""The documented configurations, and some of our own that say the same: they load as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from comis_core.config import RagOptions, Schema, json_schema, load

DOCUMENTED = Path(__file__).parents[4] / "shared" / "spec" / "samples"

WHOLE = """
memory:
  enabled: true
  dbPath: store/agents.db
  walMode: true
  recall:
    embeddingModel: text-embedding-3-small
    embeddingDimensions: 1536
    rerankerModel: "hf:somebody/some-reranker-GGUF:some-reranker.gguf"
    rerankerModelsDir: local-models
    rerankerGpu: vulkan
    rerankerThreads: 2
  compaction: { enabled: false, threshold: 2000, targetSize: 1500 }
  retention: { maxAgeDays: 365 }
agents:
  support-desk:
    rag:
      enabled: true
      maxResults: 7
      maxContextChars: 6000
      minScore: 0.05
      includeTrustLevels: [system, learned]
      rerank: { enabled: false, maxCandidates: 30, minResults: 2, timeoutMs: 500 }
      scoring:
        recencyAlpha: 0.3
        temporalAlpha: 0
        proofAlpha: 0.2
        trustAlpha: 0.1
        usefulnessAlpha: 0.05
        forgetAlpha: 0
      lanes:
        fts: { weight: 1 }
        vector: { weight: 2 }
        temporal: { enabled: false, weight: 0.5, windowDays: 3 }
        causal: { enabled: false, weight: 0.5 }
        graphSpread: { enabled: false, weight: 0.5, maxDepth: 1, fanOut: 4 }
      entityLane: { enabled: false, seedCount: 3, perEntityCap: 50, weight: 0.5 }
      mmr: { enabled: false, lambda: 0.5 }
      feedback: { enabled: false }
      forget: { enabled: false }
      queryUnderstanding: { intentReweight: false, synonyms: false, temporalParse: false }
    learningOutcome:
      enabled: false
      judge: { enabled: false }
      correction: { enabled: false }
    dialectic: { enabled: false, maxOutputTokens: 500, maxRecall: 5 }
    memoryReview:
      enabled: false
      schedule: "30 1 * * *"
      minMessages: 10
      maxSessionsPerRun: 5
      maxReviewTokens: 4000
    memoryLifecycle: { enabled: false, schedule: "15 4 * * *" }
    learning:
      enabled: false
      reflect:
        schedule: "0 5 * * 0"
        minConfidence: 0.8
        promoteAtProofCount: 4
        maxDocsPerRun: 10
        maxProcedureDocsSurfaced: 3
        corroboration: { mode: distinct_sessions, minObservations: 3 }
      forget: { maxDormantDays: 90, failureEvictionFloor: 2, highProofFloor: 8 }
"""

OLD_PLACES = """
agents:
  default: { rag: { rerank: { enabled: true, timeoutMs: 400 } } }
memory:
  rerankerModel: local.gguf
  rerankerThreads: 2
  rerankerGpu: false
"""


def samples() -> list[Any]:
    files = sorted(DOCUMENTED.glob("*.yaml"))
    found = [pytest.param(file, id=file.stem) for file in files]
    why = f"the documented samples are not at {DOCUMENTED.name}"
    return found or [pytest.param(None, marks=pytest.mark.skip(reason=why), id="documented")]


@pytest.mark.parametrize("sample", samples())
def test_a_documented_sample_loads_as_it_is(sample: Path, schema: Schema) -> None:
    config = load(sample, schema)
    assert all(
        config.is_explicit(setting.path) for setting in config.effective(config.agents[0]) if ":" in setting.origin
    )
    assert all(":" in warning.place.origin and "has moved to" in warning.message for warning in config.warnings)


@pytest.mark.parametrize("sample", samples())
def test_a_documented_sample_loads_without_any_plugin(sample: Path) -> None:
    assert len(load(sample, Schema()).agents) == 1


@pytest.mark.parametrize("sample", samples())
def test_a_documented_sample_passes_the_json_schema(sample: Path, schema: Schema) -> None:
    data = yaml.safe_load(sample.read_text(encoding="utf-8"))
    assert list(jsonschema.Draft202012Validator(json_schema(schema)).iter_errors(data)) == []


def leaves(data: Any, path: str = "") -> list[tuple[str, Any]]:
    if not isinstance(data, dict):
        return [(path, data)]
    return [leaf for key, value in data.items() for leaf in leaves(value, f"{path}.{key}" if path else key)]


def test_a_config_with_every_documented_key_loads_and_says_what_it_says(tmp_path: Path, schema: Schema) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(WHOLE)
    config = load(file, schema)
    written = leaves(yaml.safe_load(WHOLE))
    held = {setting.path: setting.value for setting in config.effective("support-desk")}
    assert {path: held[path] for path, _ in written} == dict(written)
    assert (config.agents, config.warnings) == (("support-desk",), ())


def test_every_key_that_no_plugin_obeys_is_listed(schema: Schema) -> None:
    config = load(yaml.safe_load(WHOLE), schema)
    listed = {key.path.removeprefix("agents.support-desk.").split(".")[0] for key in config.inactive}
    assert listed == {
        "memory",
        "rag",
        "learningOutcome",
        "dialectic",
        "memoryReview",
        "memoryLifecycle",
        "learning",
    }
    assert not any("fts" in key.path or "recencyAlpha" in key.path for key in config.inactive)


def test_keys_in_their_old_places_load(schema: Schema) -> None:
    config = load(yaml.safe_load(OLD_PLACES), schema)
    assert config.setting("memory.recall.rerankerModel") == "local.gguf"
    assert config.setting("memory.recall.rerankerGpu") is False
    assert len(config.warnings) == 3


@pytest.mark.parametrize("text", [WHOLE, OLD_PLACES])
def test_our_own_samples_pass_the_json_schema(text: str, schema: Schema) -> None:
    validator = jsonschema.Draft202012Validator(json_schema(schema))
    assert list(validator.iter_errors(yaml.safe_load(text))) == []


def test_a_bare_config_is_all_defaults(tmp_path: Path, schema: Schema) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("memory:\nagents:\n  helper:\n")
    config = load(file, schema)
    assert config.core(RagOptions, "helper") == RagOptions()
    assert config.agents == ("helper",)
