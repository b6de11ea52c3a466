"""init, config, plugins, eval, vacuum: what must run whatever the config says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def test_init_writes_a_config_that_checks_clean(comis) -> None:  # type: ignore[no-untyped-def]
    assert comis("init").code == 0
    assert comis("config", "check", "--config", "config.yaml").code == 0


def test_init_does_not_replace_a_file_unasked(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "config.yaml").write_text("memory: {}\n", encoding="utf-8")
    assert comis("init").code == 1
    assert (tmp_path / "config.yaml").read_text(encoding="utf-8") == "memory: {}\n"
    assert comis("init", "--force").code == 0


def test_check_names_every_problem_with_its_place(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "bad.yaml").write_text(
        "memory:\n  dbpath: x.db\nagents:\n  default:\n    rag:\n      maxResult: 3\n", encoding="utf-8"
    )
    result = comis("config", "check", "--config", "bad.yaml")
    assert result.code == 2
    for words in ("bad.yaml:2", "dbPath", "bad.yaml:6", "maxResults"):
        assert words in result.err


def test_check_lists_what_is_not_active(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "c.yaml").write_text("agents:\n  default:\n    learning:\n      enabled: false\n", encoding="utf-8")
    assert "learning.enabled" in comis("config", "check", "--config", "c.yaml").out


def test_show_gives_every_value_its_origin(comis) -> None:  # type: ignore[no-untyped-def]
    rows = comis("config", "show", "--effective", "--json", "--config", "words.yaml").json
    origin = {row["path"]: row["origin"] for row in rows}
    assert origin["memory.recall.embeddingModel"].endswith("words.yaml:3")
    assert origin["memory.walMode"] == "default"


def test_the_schema_is_a_json_schema(comis) -> None:  # type: ignore[no-untyped-def]
    assert comis("config", "schema").json["additionalProperties"] is False


def test_plugins_are_listed_whatever_the_config_says(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "bad.yaml").write_text("memory: [\n", encoding="utf-8")
    result = comis("plugins", "list", "--config", "bad.yaml", "--json")
    assert result.code == 0
    assert {"fts", "rrf"} <= {row["name"] for row in result.json}


def test_an_unknown_plugin_is_answered_with_a_suggestion(comis) -> None:  # type: ignore[no-untyped-def]
    result = comis("plugins", "show", "recncy")
    assert result.code == 1
    assert "recency" in result.err


def test_the_order_of_the_pipeline_is_shown(comis) -> None:  # type: ignore[no-untyped-def]
    rows = comis("plugins", "order", "--config", "words.yaml", "--json").json
    scorers = [row["name"] for row in rows if row["stage"] == "score"]
    assert [name for name in scorers if name in {"recency", "event_time", "proof", "trust"}] == [
        "recency",
        "event_time",
        "proof",
        "trust",
    ]


def test_eval_prints_a_table_and_writes_the_rankings(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / "sets" / "tiny" / "case"
    folder.mkdir(parents=True)
    rows = [{"id": "m1", "content": "Ana moved to Lisbon."}, {"id": "m2", "content": "Bob keeps bees."}]
    (folder / "memories.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "queries.jsonl").write_text(
        json.dumps({"id": "q", "text": "Who keeps bees?", "relevant": ["m2"], "category": "who"}), encoding="utf-8"
    )
    result = comis("eval", "sets", "--config", "words.yaml", "--run-out", "run.jsonl")
    assert result.code == 0
    assert "tiny" in result.out
    (line,) = Path("run.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {"set": "tiny", "case": "case", "id": "q", "ranked": ["m2"]}


def test_eval_refuses_a_headline_that_no_question_has(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "set" / "case").mkdir(parents=True)
    (tmp_path / "set" / "case" / "memories.jsonl").write_text('{"id": "m", "content": "x"}', encoding="utf-8")
    (tmp_path / "set" / "case" / "queries.jsonl").write_text(
        '{"id": "q", "text": "x", "relevant": ["m"], "category": "who"}', encoding="utf-8"
    )
    result = comis("eval", "set", "--config", "words.yaml", "--headline", "who,whom")
    assert result.code == 2
    assert "no question has the category 'whom'; there are: who" in result.err
    assert comis("eval", "set", "--config", "words.yaml", "--headline", "who").code == 0


def test_eval_without_cases_says_what_a_case_is(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "empty").mkdir()
    result = comis("eval", "empty")
    assert result.code == 1
    assert "memories.jsonl" in result.err


def test_vacuum_reports_both_sizes(on) -> None:  # type: ignore[no-untyped-def]
    on("store", "x")
    assert {"bytes_before", "bytes_after"} <= set(on("vacuum", "--json").json)


def write(file: Path, memory: str = "", agent: str = "") -> Path:
    file.write_text(
        f"memory:\n  recall:\n    embeddingModel: none\n{memory}agents:\n  default:\n    preset: comis\n{agent}",
        encoding="utf-8",
    )
    return file


def test_check_says_which_file_it_read_and_who_named_it(comis, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    named = write(tmp_path / "named.yaml")
    assert f"{named}: no problems" in comis("config", "check", "--config", "named.yaml").out
    assert comis("config", "check", "--config", "named.yaml", "--json").json["file"] == str(named)
    monkeypatch.setenv("COMIS_CONFIG", "named.yaml")
    assert f"{named} (from $COMIS_CONFIG): no problems" in comis("config", "check").out
    monkeypatch.delenv("COMIS_CONFIG")
    (tmp_path / ".comis").mkdir()
    usual = write(tmp_path / ".comis" / "config.yaml")
    assert f"{usual} (from the default place): no problems" in comis("config", "check").out


def test_a_config_here_that_nobody_named_is_not_read_and_that_is_said(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert "config.yaml in this folder" not in comis("config", "check").out
    write(tmp_path / "config.yaml")
    result = comis("config", "check")
    assert result.code == 0
    assert "the defaults hold" in result.out
    assert "config.yaml in this folder was not read" in result.out
    assert comis("config", "check", "--json").json["file"] is None


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("onnx:no/such/folder", "is no ONNX export"),
        ("models/nothing.gguf", "nothing.gguf"),
        ("hf:owner/repository:model.gguf", "comis models fetch"),
        ("openai:some-model", "OPENAI_API_KEY"),
        ("nobody-knows-it", "no embedder knows the model 'nobody-knows-it'"),
    ],
)
def test_an_embedding_model_that_is_not_there_is_a_problem(  # type: ignore[no-untyped-def]
    comis, tmp_path, monkeypatch, model: str, words: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write(tmp_path / "c.yaml", agent=f"    embedding: {model}\n")
    result = comis("config", "check", "--config", "c.yaml")
    assert result.code == 2
    assert "c.yaml:7: agents.default.embedding" in result.err
    assert words in result.err
    (problem,) = comis("config", "check", "--config", "c.yaml", "--json").json["problems"]
    assert words in problem
    assert words in comis("doctor", "--config", "c.yaml").out


@pytest.mark.parametrize("model", ["none", "auto"])
def test_no_embedding_model_is_no_problem(comis, tmp_path, model: str) -> None:  # type: ignore[no-untyped-def]
    write(tmp_path / "c.yaml", agent=f"    embedding: {model}\n")
    assert comis("config", "check", "--config", "c.yaml").code == 0


def test_a_model_of_one_agent_among_others_is_looked_for(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    write(tmp_path / "c.yaml", agent="  second:\n    embedding: onnx:gone\n")
    result = comis("config", "check", "--config", "c.yaml")
    assert (result.code, "agents.second.embedding" in result.err) == (2, True)


def test_a_cross_encoder_that_is_not_there_is_a_problem(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    write(tmp_path / "c.yaml", memory="    rerankerModel: models/judge.gguf\n")
    result = comis("config", "check", "--config", "c.yaml")
    assert result.code == 2
    assert f"there is no file {tmp_path / 'models' / 'judge.gguf'}" in result.err


def test_a_cross_encoder_that_could_be_fetched_is_worth_a_look(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    write(tmp_path / "c.yaml", memory="    rerankerModel: hf:owner/repository:judge.gguf\n")
    result = comis("config", "check", "--config", "c.yaml")
    assert result.code == 0
    assert "comis models fetch hf:owner/repository:judge.gguf" in result.out
    (warning,) = comis("config", "check", "--config", "c.yaml", "--json").json["warnings"]
    assert "judge.gguf" in warning


def test_an_unknown_language_is_a_problem_at_its_place(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "c.yaml").write_text("memory: {language: klingon}\n", encoding="utf-8")
    for command in (("config", "check"), ("store", "x")):
        result = comis(*command, "--config", "c.yaml")
        assert result.code == 2
        assert "c.yaml:1:20: memory.language: no stemmer for the language 'klingon'" in result.err
        assert "english" in result.err


@pytest.mark.parametrize(
    ("memory", "agent", "words"),
    [
        ("", "plugins: {enable: [zzz]}\n", "c.yaml:7:20: plugins.enable: 'zzz' is not installed"),
        ("", "plugins: {disable: [rrf, score]}\n", "no plugin offers a fusion"),
        (
            "",
            "    rag: {fusion: {method: rrf}}\nplugins: {disable: [rrf]}\n",
            "c.yaml:7: rag.fusion.method: the plugin of the fusion 'rrf' is disabled (known: score)",
        ),
        ("", "plugins: {disable: [rrf]}\n", "c.yaml:7: plugins.disable: no fusion is the default: score of "),
        (
            "",
            "    rag: {fusion: {method: nope}}\n",
            "c.yaml:7:28: agents.default.rag.fusion.method: no plugin offers a fusion 'nope'",
        ),
        (
            "",
            "  other:\n    rag: {lanes: {fts: {standsInFor: fts}}}\n",
            "c.yaml:8: rag.lanes.fts.standsInFor: the lane 'fts' cannot stand in for itself",
        ),
    ],
)
def test_check_refuses_what_recalls_refuse(comis, tmp_path, memory: str, agent: str, words: str) -> None:  # type: ignore[no-untyped-def]
    write(tmp_path / "c.yaml", memory=memory, agent=agent)
    result = comis("config", "check", "--config", "c.yaml")
    assert (result.code, words in result.err) == (2, True), result.err
    assert words in comis("doctor", "--config", "c.yaml").out
    comis("store", "x", "--config", "c.yaml", "--agent", "other")
    refused = comis("recall", "x", "--config", "c.yaml", "--agent", "other")
    assert refused.code
    assert "memory file" not in refused.err


def test_a_lane_that_stands_in_for_none_is_worth_a_look(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    write(tmp_path / "c.yaml", agent="    rag: {lanes: {fts: {standsInFor: lexica}}}\n")
    result = comis("config", "check", "--config", "c.yaml")
    assert result.code == 0
    assert "c.yaml:7: rag.lanes.fts.standsInFor: the lane 'fts' stands in for 'lexica'" in result.out
    assert "did you mean 'lexical'?" in result.out
    assert "no problems, 1 warning" in result.out


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (
            "queryUnderstanding: {intentWeights: {temporal: {lexicla: 2}}}",
            "rag.queryUnderstanding.intentWeights.temporal.lexicla: no plugin offers a lane or expander 'lexicla'; "
            "did you mean lexical?",
        ),
        ("lanes: {adjacent: {words: ftss}}", "rag.lanes.adjacent.words: no plugin offers a lane 'ftss'; did you mean"),
        ("lanes: {adjacent: {vectors: session}}", "rag.lanes.adjacent.vectors: no plugin offers a lane 'session'"),
    ],
)
def test_a_part_that_no_plugin_offers_is_refused_with_its_line(comis, tmp_path, keys: str, words: str) -> None:  # type: ignore[no-untyped-def]
    write(tmp_path / "c.yaml", agent=f"    rag: {{{keys}}}\n")
    for command in (("config", "check"), ("recall", "x")):
        result = comis(*command, "--config", "c.yaml")
        assert (result.code, "c.yaml:7:" in result.err, words in result.err) == (2, True, True), result.err


def test_a_named_part_that_is_switched_off_is_worth_a_look(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    write(tmp_path / "c.yaml", agent="    rag: {queryUnderstanding: {intentWeights: {temporal: {lexical: 2}}}}\n")
    result = comis("config", "check", "--config", "c.yaml")
    assert result.code == 0
    assert "intentWeights.temporal.lexical: the lane or expander 'lexical' is named here, and " in result.out
    assert "rag.lanes.lexical.enabled is false: the name counts for nothing" in result.out


def test_a_named_part_whose_plugin_is_disabled_is_worth_a_look(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    keys = "    rag: {lanes: {adjacent: {enabled: true, words: fts}}}\nplugins: {disable: [fts]}\n"
    write(tmp_path / "c.yaml", agent=keys)
    result = comis("config", "check", "--config", "c.yaml")
    assert result.code == 0
    assert "rag.lanes.adjacent.words: the lane 'fts' is named here, and its plugin is disabled" in result.out


def test_names_of_keys_that_are_off_themselves_are_no_matter(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    write(tmp_path / "c.yaml", agent="    rag: {lanes: {adjacent: {enabled: false, words: lexical}}}\n")
    assert "is named here" not in comis("config", "check", "--config", "c.yaml").out


def test_what_the_preset_names_of_disabled_plugins_is_no_matter(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "c.yaml").write_text("plugins: {disable: [causal, temporal]}\n", encoding="utf-8")
    result = comis("config", "check", "--config", "c.yaml", "--preset", "tuned")
    assert (result.code, "is named here" in result.out) == (0, False)


@pytest.mark.parametrize(
    "lanes", ["fts: {enabled: false}, vector: {enabled: false}", "fts: {weight: 0}, vector: {weight: 0}"]
)
def test_lanes_that_can_find_nothing_are_worth_a_look(comis, tmp_path, lanes: str) -> None:  # type: ignore[no-untyped-def]
    write(tmp_path / "c.yaml", agent=f"    rag: {{lanes: {{{lanes}}}}}\n")
    assert (
        "agent 'default': no lane is enabled with a weight above 0"
        in comis("config", "check", "--config", "c.yaml").out
    )


def test_check_says_of_a_plugin_that_cannot_be_imported_that_it_is_a_problem(  # type: ignore[no-untyped-def]
    comis, tmp_path, monkeypatch
) -> None:
    info = tmp_path / "site" / "broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[comis.plugins]\nbroken = nothing_of_this_name\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    write(tmp_path / "c.yaml", agent="plugins: {enable: [broken]}\n")
    result = comis("config", "check", "--config", "c.yaml")
    assert result.code == 2
    assert "nothing_of_this_name" in result.err


def test_the_order_is_that_of_the_config_whoever_names_it(comis, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    text = "memory:\n  recall:\n    embeddingModel: none\nagents:\n  default:\n    preset: tuned\n"
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    named = comis("plugins", "order", "--config", "c.yaml", "--json").json
    assert "lexical" in {row["name"] for row in named}
    assert comis("plugins", "order", "--json").json != named
    monkeypatch.setenv("COMIS_CONFIG", "c.yaml")
    assert comis("plugins", "order", "--json").json == named
    monkeypatch.delenv("COMIS_CONFIG")
    (tmp_path / ".comis").mkdir()
    (tmp_path / ".comis" / "config.yaml").write_text(text, encoding="utf-8")
    assert comis("plugins", "order", "--json").json == named


def test_with_a_database_and_no_config_no_command_looks_for_one(comis, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    text = "plugins: {disable: [mmr]}\nagents:\n  default:\n    preset: tuned\n"
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("COMIS_CONFIG", "c.yaml")
    assert {row["name"] for row in comis("plugins", "order", "--db", "x.db", "--json").json} >= {"fts", "mmr"}
    states = {row["name"]: row["state"] for row in comis("plugins", "list", "--db", "x.db", "--json").json}
    assert states["mmr"] == "active"
    rows = comis("config", "show", "--effective", "--db", "x.db", "--json").json
    assert {row["path"]: row["value"] for row in rows}["agents.default.preset"] is None
    assert "no config is read" in comis("config", "check", "--db", "x.db").out


def test_an_agent_that_does_not_have_the_preset_of_default_is_worth_a_look(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    text = "agents:\n  default: {preset: tuned}\n  helper: {rag: {maxResults: 2}}\n  third: {preset: comis}\n"
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    words = "c.yaml:3:3: agents.helper: names no preset and runs comis"
    (warning,) = comis("config", "check", "--config", "c.yaml", "--json").json["warnings"]
    assert warning.startswith(words)
    assert words in comis("config", "show", "--config", "c.yaml").err


def test_no_word_of_presets_where_all_agents_have_the_same(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    text = "agents:\n  default: {preset: tuned}\n  helper: {rag: {maxResults: 2}}\n"
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    assert comis("config", "check", "--config", "c.yaml", "--preset", "tuned", "--json").json["warnings"] == []


def test_show_does_not_pass_the_hosted_models_name_off_as_what_embeds(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "c.yaml").write_text("memory: {}\n", encoding="utf-8")
    result = comis("config", "show", "--effective", "--config", "c.yaml")
    assert "embeddingModel: text-embedding-3-small  # default  (the hosted model's name only" in result.out
    rows = {row["path"]: row for row in comis("config", "show", "--effective", "--config", "c.yaml", "--json").json}
    assert "nobody has named a model, and auto " in rows["memory.recall.embeddingModel"]["note"]
    rows = {row["path"]: row for row in comis("config", "show", "--effective", "--config", "words.yaml", "--json").json}
    assert rows["memory.recall.embeddingModel"]["note"] == ""


@pytest.mark.parametrize(
    ("speaker", "lanes", "words"),
    [
        ("true", "weight: 0", "only what expanders bring can be found (speaker)"),
        ("false", "weight: 0", "nothing can be found"),
        ("true", "enabled: false", "nothing can be found"),
    ],
)
def test_check_says_what_is_found_without_a_lane_that_counts(comis, tmp_path, speaker, lanes, words) -> None:  # type: ignore[no-untyped-def]
    off = ", ".join(f"{name}: {{{lanes}}}" for name in ("fts", "lexical", "vector"))
    quiet = ", ".join(f"{name}: {{enabled: false}}" for name in ("temporal", "causal", "graphSpread"))
    rag = f"    rag: {{entityLane: {{enabled: false}}, lanes: {{{off}, {quiet}, speaker: {{enabled: {speaker}}}}}}}\n"
    write(tmp_path / "c.yaml", agent=rag)
    result = comis("config", "check", "--config", "c.yaml")
    assert f"no lane is enabled with a weight above 0, so {words}" in result.out + result.err
