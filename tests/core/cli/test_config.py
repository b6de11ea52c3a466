"""init, config, plugins, eval, vacuum: what must run whatever the config says."""

from __future__ import annotations

import json
from pathlib import Path


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


def test_eval_without_cases_says_what_a_case_is(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "empty").mkdir()
    result = comis("eval", "empty")
    assert result.code == 1
    assert "memories.jsonl" in result.err


def test_vacuum_reports_both_sizes(on) -> None:  # type: ignore[no-untyped-def]
    on("store", "x")
    assert {"bytes_before", "bytes_after"} <= set(on("vacuum", "--json").json)
