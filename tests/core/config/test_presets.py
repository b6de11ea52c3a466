from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comis_core.config import Config, RagOptions, Schema, load, read, structure
from comis_core.errors import ConfigError
from comis_core.model import Trust
from comis_core.specs import PluginInfo, Preset

Load = Callable[..., Config]
Refuse = Callable[..., list[str]]

PRESETS = PluginInfo(name="presets", distribution="comis-core", version="0.1.0")


def preset(name: str = "tuned", **values: Any) -> dict[str, Preset]:
    return {name: Preset(name=name, plugin=PRESETS, **values)}


RAG = {"rag": {"maxResults": 8, "minScore": 0, "lanes": {"fts": {"weight": 2}}}}


def test_a_preset_lies_below_the_keys_of_the_file(load_text: Load) -> None:
    config = load_text("agents:\n  a: { preset: tuned, rag: { minScore: 0.3 } }\n", preset(agent=RAG))
    rag = config.core(RagOptions, "a")
    assert (rag.max_results, rag.min_score, rag.max_context_chars) == (8, 0.3, 4000)
    assert config.setting("agents.a.rag.lanes.fts.weight") == 2.0


def test_a_preset_counts_for_the_agents_that_name_it(load_text: Load) -> None:
    config = load_text("agents:\n  a: { preset: tuned }\n  b: {}\n", preset(agent=RAG))
    assert (config.core(RagOptions, "a").max_results, config.core(RagOptions, "b").max_results) == (8, 5)
    assert (config.preset("a"), config.preset("b")) == ("tuned", None)


def test_the_default_preset_counts_for_agents_that_name_none(load_text: Load) -> None:
    config = load_text("agents:\n  a: { preset: comis }\n  b: {}\n", preset(agent=RAG), default_preset="tuned")
    assert [config.core(RagOptions, name).max_results for name in ("a", "b", "somebody")] == [5, 8, 8]
    assert [config.preset(name) for name in ("a", "b", "somebody")] == ["comis", "tuned", "tuned"]


def test_an_agent_that_is_not_named_follows_the_agent_called_default(load_text: Load) -> None:
    config = load_text("agents:\n  default: { rag: { maxResults: 3 } }\n  b: {}\n", preset(agent=RAG))
    assert [config.core(RagOptions, name).max_results for name in (None, "default", "somebody", "b")] == [3, 3, 3, 5]


def test_the_bare_preset_changes_nothing(schema: Schema) -> None:
    bare = load({"agents": {"a": {"preset": "comis"}}}, schema)
    assert bare.core(RagOptions, "a") == RagOptions()


def test_lists_and_tables_of_the_file_replace_those_of_a_preset(load_text: Load) -> None:
    values = {
        "rag": {"includeTrustLevels": ["system"]},
        "elevatedReply": {"senderTrustMap": {"ana": "system", "ben": "system"}},
    }
    text = "agents:\n  a:\n    preset: tuned\n    elevatedReply: { senderTrustMap: { ana: learned } }\n"
    config = load_text(text, preset(agent=values))
    assert config.setting("agents.a.elevatedReply.senderTrustMap") == {"ana": Trust.LEARNED}
    assert config.setting("agents.a.rag.includeTrustLevels") == (Trust.SYSTEM,)


def test_an_explicit_nothing_undoes_a_preset(load_text: Load) -> None:
    text = "agents:\n  a:\n    preset: tuned\n    rag: { rerank: { enabled: null } }\n"
    config = load_text(text, preset(agent={"rag": {"rerank": {"enabled": True}}}))
    assert config.setting("agents.a.rag.rerank.enabled") is None


def test_the_engine_part_of_a_preset_counts_once_it_is_in_use(load_text: Load) -> None:
    presets = preset(engine={"language": "german", "recall": {"embeddingModel": "auto"}})
    assert load_text("agents:\n  a: {}\n", presets).setting("memory.language") == "english"
    used = load_text("memory: { recall: { embeddingModel: x } }\nagents:\n  a: { preset: tuned }\n", presets)
    assert (used.setting("memory.language"), used.setting("memory.recall.embeddingModel")) == ("german", "x")


TWO = {**preset("one", engine={"language": "german"}), **preset("two", engine={"language": "french"})}
BOTH = "agents:\n  a: { preset: one }\n  b: { preset: two }\n"


def test_two_presets_cannot_want_different_things_of_one_engine(refuse_text: Refuse) -> None:
    assert refuse_text(BOTH, TWO) == [
        "memory.language: the presets one (german) and two (french) disagree; write the key in the config"
    ]


def test_a_key_in_the_file_settles_what_presets_disagree_on(load_text: Load) -> None:
    assert load_text("memory: { language: finnish }\n" + BOTH, TWO).setting("memory.language") == "finnish"


def test_an_unknown_preset_is_refused_with_what_was_meant(refuse_text: Refuse) -> None:
    (problem,) = refuse_text("agents:\n  a: { preset: tunde }\n", preset())
    assert problem.startswith("config.yaml:2:16: agents.a.preset: no preset 'tunde'; did you mean tuned?")
    assert "(there are: comis, tuned; " in problem


def test_an_unknown_default_preset_is_refused(schema: Schema) -> None:
    with pytest.raises(ConfigError, match="no preset 'tuend'; did you mean tuned"):
        load({}, schema, preset(), default_preset="tuend")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"agent": {"rag": {"maxResult": 8}}}, "rag.maxResult: unknown key; did you mean maxResults?"),
        ({"agent": {"rag": {"maxResults": "8"}}}, "rag.maxResults: must be a whole number"),
        ({"agent": {"rag": {"minScore": 7}}}, "rag.minScore: 'minScore' must be <= 1"),
        ({"agent": {"preset": "comis"}}, "preset: a preset cannot name a preset"),
        ({"agent": {"rag": {"maxResults": object()}}}, "rag.maxResults: a object is no plain data"),
        ({"agent": [1]}, "must be a group of keys, not a list"),
        ({"engine": {"langauge": "german"}}, "memory.langauge: unknown key; did you mean language?"),
    ],
)
def test_a_faulty_preset_is_refused_once_with_its_name_and_plugin(
    refuse_text: Refuse, values: dict[str, Any], words: str
) -> None:
    (problem,) = refuse_text("agents:\n  a: { preset: tuned }\n  b: { preset: tuned }\n", preset(**values))
    assert problem.startswith("preset 'tuned' of plugin 'presets' (comis-core 0.1.0): ")
    assert words in problem


def test_a_faulty_preset_that_nobody_uses_harms_nobody(load_text: Load) -> None:
    assert load_text("agents:\n  a: {}\n", preset(agent={"banana": 1})).agents == ("a",)


def test_a_preset_cannot_enable_a_plugin(refuse_text: Refuse) -> None:
    (problem,) = refuse_text("agents:\n  a: { preset: tuned }\n", preset(agent={"plugins": {"enable": ["mine"]}}))
    assert "plugins: unknown key" in problem


def test_a_preset_for_a_plugin_that_is_not_enabled_says_so(refuse_text: Refuse, schema: Schema) -> None:
    closed = Schema(schema.sections, known_disabled={"rag.lanes.mine": "mine"})
    presets = preset(agent={"rag": {"lanes": {"mine": {"weight": 1}}}})
    (problem,) = refuse_text("agents:\n  a: { preset: tuned }\n", presets, schema=closed)
    assert "plugin 'presets'" in problem
    assert "belongs to the plugin 'mine', which is installed but not enabled" in problem


def test_the_unknown_keys_of_a_preset_are_warned_of_once(load_text: Load, schema: Schema) -> None:
    broken = Schema(schema.sections, unavailable=["mine"])
    presets = preset(agent={"rag": {"lanes": {"mine": {"weight": 1}}}})
    text = "agents:\n  a: { preset: tuned }\n  b: { preset: tuned }\n"
    (warning,) = load_text(text, presets, schema=broken).warnings
    assert str(warning).startswith("preset 'tuned' of plugin 'presets' (comis-core 0.1.0): rag.lanes.mine: ")


def test_a_value_of_the_file_that_contradicts_a_preset_is_refused(refuse_text: Refuse) -> None:
    text = "memory: { compaction: { threshold: 20 } }\nagents:\n  a: { preset: tuned }\n"
    (problem,) = refuse_text(text, preset(engine={"compaction": {"threshold": 100, "targetSize": 50}}))
    assert "targetSize (50) must not be above threshold (20)" in problem


def structured(data: dict[str, Any], schema: Schema, overrides: dict[str, Any]) -> Config:
    return structure(read(data), schema, preset(agent=RAG), "tuned", overrides=overrides)


def test_overrides_win_over_file_and_preset_for_every_agent(schema: Schema) -> None:
    data = {"agents": {"a": {"rag": {"maxResults": 3}}, "b": {}}}
    config = structured(data, schema, {"rag": {"maxResults": 100}})
    assert [config.core(RagOptions, name).max_results for name in ("a", "b", "somebody")] == [100, 100, 100]
    assert config.setting("agents.a.rag.lanes.fts.weight") == 2.0
    assert config.origin("rag.maxResults", "a") == "<overrides>"


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"rag": {"maxResults": "100"}}, 'rag.maxResults: must be a whole number, not the text "100"; write 100'),
        ({"rag": {"maxResult": 1}}, "rag.maxResult: unknown key; did you mean maxResults?"),
        ({"preset": "comis"}, "preset: cannot be overridden; choose the preset itself"),
    ],
)
def test_a_faulty_override_is_refused_once(schema: Schema, overrides: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        structured({"agents": {"a": {}, "b": {}}}, schema, overrides)
    (problem,) = caught.value.problems
    assert problem.startswith(f"<overrides>: {words}")
