"""What a config must not say, and the words it is refused with."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from comis_core.config import Config, Schema, load
from comis_core.errors import ConfigError

Load = Callable[..., Config]
Refuse = Callable[..., list[str]]


def at(path: str, value: str) -> str:
    """YAML text with one value at a dotted path."""
    parts = path.split(".")
    lines = ["  " * depth + f"{part}:" for depth, part in enumerate(parts)]
    return "\n".join(lines) + f" {value}\n"


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("memory.enabled", '"true"', 'must be true or false, not the text "true"; write it without quotes'),
        ("memory.enabled", "1", "must be true or false, not 1 (a number)"),
        ("memory.dbPath", "5", "must be text, not 5 (a number); write it in quotes"),
        ("memory.dbPath", "2024-01-01", "must be text, not 2024-01-01 (a date in YAML); write it in quotes"),
        ("memory.dbPath", "[a]", "must be text, not a list"),
        ("memory.dbPath", "{a: b}", "must be text, not a group of keys"),
        ("memory.dbPath", "", "must be text, not nothing"),
        ("memory.dbPath", '""', "must name a file, not ''"),
        ("memory.dbPath", '":memory:"', "must name a file, not ':memory:'"),
        ("memory.language", "no", "must be text, not no (a truth value); write it in quotes"),
        ("memory.language", "010", "must be text, not 010 (an octal number in YAML); write it in quotes"),
        ("memory.synchronous", "Full", 'must be one of NORMAL, FULL, not the text "Full"; did you mean FULL?'),
        ("memory.vectorBudgetMb", "-1", "'vectorBudgetMb' must be >= 0: -1"),
        ("memory.recall.rerankerThreads", "4.0", "must be a whole number, not 4.0 (a number); write 4"),
        ("memory.recall.rerankerThreads", "4.5", "must be a whole number, not 4.5 (a number)"),
        ("memory.recall.rerankerThreads", '"4"', 'must be a whole number, not the text "4"; write 4'),
        ("memory.recall.rerankerThreads", "true", "must be a whole number, not true (a truth value)"),
        ("memory.recall.rerankerThreads", "1e3", 'must be a whole number, not the text "1e3"; write 1000'),
        ("memory.recall.rerankerThreads", "010", "write it as a plain decimal number"),
        ("memory.recall.rerankerThreads", "0x10", "a hexadecimal or binary number in YAML"),
        ("memory.recall.rerankerThreads", "1_0", "a number with separators in YAML"),
        ("memory.recall.rerankerThreads", "1:30", "a number to base 60 in YAML"),
        ("memory.recall.rerankerThreads", "0", "'rerankerThreads' must be >= 1: 0"),
        ("memory.recall.rerankerGpu", "gpu", "must be one of auto, metal, cuda, vulkan, false"),
        ("memory.recall.rerankerGpu", '"false"', "write it without quotes"),
        ("memory.recall.rerankerGpu", "true", "must be one of auto, metal, cuda, vulkan, false, not true"),
        ("memory.recall.embeddingModel", "off", "must be text, not off (a truth value); write it in quotes"),
        ("memory.languageModel.apiKeyEnv", "12", "must be text, not 12 (a number); write it in quotes"),
        ("memory.compaction.threshold", "ten", 'must be a whole number, not the text "ten"'),
        ("memory.retention.maxAgeDays", "-3", "'maxAgeDays' must be >= 0: -3"),
        ("agents.a.preset", "[comis]", "must be text or nothing, not a list"),
        ("agents.a.senders.assistants", "Alfred", 'must be a list, not the text "Alfred"; write [Alfred]'),
        ("agents.a.senders.assistants", "[Alfred, 7]", "must be text, not 7 (a number); write it in quotes"),
        ("agents.a.senders.assistants", '[Alfred, " "]', "must hold names, and one of them is empty; leave it out"),
        ("agents.a.senders.people", '[""]', "must hold names, and one of them is empty; leave it out"),
        ("agents.a.embedding", "7", "must be text, not 7 (a number)"),
        ("agents.a.rag.maxResults", "0", "'maxResults' must be >= 1: 0"),
        ("agents.a.rag.maxContextChars", "-1", "'maxContextChars' must be >= 0: -1"),
        ("agents.a.rag.minScore", "1.5", "'minScore' must be <= 1: 1.5"),
        ("agents.a.rag.minScore", "0,1", 'must be a number, not the text "0,1"'),
        ("agents.a.rag.minScore", ".nan", "must be a number, not .nan (no finite number in YAML)"),
        ("agents.a.rag.minScore", "-.inf", "no finite number in YAML"),
        ("agents.a.rag.minScore", '"0.1"', 'must be a number, not the text "0.1"; write 0.1'),
        ("agents.a.rag.includeTrustLevels", "system", 'must be a list, not the text "system"; write [system]'),
        ("agents.a.rag.includeTrustLevels", "[]", "Length of 'includeTrustLevels' must be >= 1: 0"),
        ("agents.a.rag.includeTrustLevels", "{system: true}", "must be a list, not a group of keys"),
        ("agents.a.rag.conflict.functionalPredicates", "[lives in, 3]", "must be text, not 3 (a number)"),
        ("agents.a.rag.lanes.fts.weight", "heavy", 'must be a number, not the text "heavy"'),
        ("agents.a.rag.scoring.recencyAlpha", "1.2", "'recencyAlpha' must be <= 1: 1.2"),
        ("agents.a.rag.scoring.trustAlpha", "-0.1", "'trustAlpha' must be >= 0: -0.1"),
        ("agents.a.rag.scoring.usefulnessAlpha", "2", "'usefulnessAlpha' must be <= 1: 2"),
        ("agents.a.rag.rerank.enabled", "maybe", 'must be true or false, not the text "maybe"'),
        ("agents.a.rag.mmr.lambda", "1.1", "'lambda' must be <= 1: 1.1"),
        ("agents.a.elevatedReply.defaultTrustLevel", "trusted", "must be one of external, learned, system"),
        ("agents.a.elevatedReply.senderTrustMap", "[ana]", "must be a group of keys, not a list"),
        ("agents.a.memoryReview.schedule", "daily at two", "must be a cron expression such as"),
        ("agents.a.learning.reflect.minConfidence", "60", "'minConfidence' must be <= 1: 60"),
        ("agents.a.learning.reflect.corroboration.mode", "single-owner", "did you mean single_owner?"),
        ("plugins.enable", "mine", 'must be a list, not the text "mine"; write [mine]'),
        ("plugins.strict", "0", "must be true or false, not 0 (a number)"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place_and_what_to_write(
    refuse_text: Refuse, path: str, value: str, words: str
) -> None:
    (problem,) = refuse_text(at(path, value))
    line = path.count(".") + 1
    assert problem.startswith(f"config.yaml:{line}:")
    assert f": {path}" in problem
    assert words in problem


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("memroy", "memory"),
        ("agent", "agents"),
        ("plugin", "plugins"),
        ("memory.db_path", "dbPath"),
        ("memory.walmode", "walMode"),
        ("memory.recal.embeddingModel", "recall"),
        ("memory.recall.embedingModel", "embeddingModel"),
        ("memory.languageModel.apiKeyEnvironment", "apiKeyEnv"),
        ("memory.compaction.treshold", "threshold"),
        ("agents.a.reg", "rag"),
        ("agents.a.elevatedReplies", "elevatedReply"),
        ("agents.a.rag.maxResult", "maxResults"),
        ("agents.a.rag.fusion.methods", "method"),
        ("agents.a.rag.lane.fts.weight", "lanes"),
        ("agents.a.rag.lanes.ftss.weight", "fts"),
        ("agents.a.rag.lanes.fts.wieght", "weight"),
        ("agents.a.rag.scoring.recencyalpha", "recencyAlpha"),
        ("agents.a.rag.lanes.temporal.windowDay", "windowDays"),
        ("agents.a.learning.reflect.corroboration.modus", "mode"),
        ("agents.a.learningOutcome.judge.enable", "enabled"),
        ("plugins.enabled_", "enable"),
    ],
)
def test_a_mistyped_key_is_refused_at_every_level_with_what_was_meant(
    refuse_text: Refuse, path: str, meant: str
) -> None:
    (problem,) = refuse_text(at(path, "1"))
    assert f"unknown key; did you mean {meant}? (allowed here: " in problem
    assert meant in problem.split("allowed here: ")[1]


def test_a_key_that_nobody_meant_is_refused_with_the_allowed_ones(refuse_text: Refuse) -> None:
    (problem,) = refuse_text("agents:\n  a:\n    rag:\n      fusion: { banana: 1 }\n")
    assert problem == "config.yaml:4:17: agents.a.rag.fusion.banana: unknown key (allowed here: method)"


def test_a_key_at_the_top_that_belongs_below_says_where(refuse_text: Refuse) -> None:
    (problem,) = refuse_text("memory:\ndbPath: memory.db\n")
    assert (
        problem == "config.yaml:2:1: dbPath: stands at the top of the file but is a key of memory; "
        "check the indentation"
    )


def test_a_key_in_the_wrong_group_says_where_it_lives(refuse_text: Refuse) -> None:
    (problem,) = refuse_text("agents:\n  a:\n    maxResults: 5\n")
    assert "agents.a.maxResults: is no key here but one of agents.<name>.rag; check the indentation" in problem


def test_a_missing_agent_name_is_seen_by_where_its_keys_live(refuse_text: Refuse) -> None:
    (problem,) = refuse_text("agents:\n  rag:\n    maxResults: 5\n")
    assert "agents.rag.maxResults: is no key here but one of agents.<name>.rag" in problem


@pytest.mark.parametrize("path", ["memory", "agents", "plugins", "memory.recall", "agents.a", "agents.a.rag.lanes.fts"])
@pytest.mark.parametrize("value", ["5", "[x]", "yes"])
def test_a_value_where_a_group_belongs_is_refused(refuse_text: Refuse, path: str, value: str) -> None:
    (problem,) = refuse_text(at(path, value))
    assert f": {path}: must be a group of keys, not " in problem


@pytest.mark.parametrize("path", ["memory", "agents", "plugins", "memory.recall", "agents.a", "agents.a.rag.lanes.fts"])
def test_a_group_whose_lines_are_all_commented_out_is_empty(load_text: Load, path: str) -> None:
    config = load_text(at(path, "# nothing"))
    assert config.setting("memory.dbPath") == "memory.db"


def test_an_agent_without_a_name_is_refused(refuse_text: Refuse) -> None:
    assert refuse_text("agents:\n  '': {}\n") == ['config.yaml:2:3: agents."": an agent needs a name']


def test_a_name_that_would_be_misread_is_quoted_in_messages(refuse_text: Refuse) -> None:
    (problem,) = refuse_text("agents:\n  my.bot: { rag: { enabled: 5 } }\n")
    assert 'agents."my.bot".rag.enabled' in problem


def test_every_problem_is_reported_at_once_in_the_order_of_the_file(refuse_text: Refuse) -> None:
    problems = refuse_text(
        "memory:\n"
        "  enabeld: true\n"
        "  recall: { rerankerThreads: four }\n"
        "agents:\n"
        "  one: { rag: { minScore: 2, maxResults: 0 } }\n"
        "  two: { rag: { includeTrustLevels: [sytem, learned, 3] } }\n"
        "extra: 1\n"
        "plugins: { strict: 1 }\n"
    )
    assert [problem.split(": ")[1] for problem in problems] == [
        "memory.enabeld",
        "memory.recall.rerankerThreads",
        "agents.one.rag.minScore",
        "agents.one.rag.maxResults",
        "agents.two.rag.includeTrustLevels[0]",
        "agents.two.rag.includeTrustLevels[2]",
        "extra",
        "plugins.strict",
    ]


def test_the_error_counts_its_problems_and_names_the_file(load_text: Load, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_text("a: 1\nb: 2\n")
    assert str(caught.value).startswith(f"2 problems in the configuration ({tmp_path}/config.yaml):\n")


def test_values_that_contradict_each_other_are_refused_at_the_one_that_says_so(refuse_text: Refuse) -> None:
    (problem,) = refuse_text("memory:\n  compaction:\n    threshold: 100\n    targetSize: 500\n")
    assert problem.endswith("4:17: memory.compaction.targetSize: targetSize (500) must not be above threshold (100)")


def test_a_sender_that_is_an_assistant_and_a_person_is_refused(refuse_text: Refuse) -> None:
    (problem,) = refuse_text("agents:\n  a:\n    senders:\n      assistants: [Alfred]\n      people: [Ana, ALFRED ]\n")
    assert problem == (
        "config.yaml:5:15: agents.a.senders.people: 'ALFRED' stands under assistants too; "
        "a sender is an assistant or a person, so leave one out"
    )


def test_values_that_contradict_a_default_are_refused_with_their_group(refuse_text: Refuse) -> None:
    (problem,) = refuse_text("memory:\n  compaction:\n    threshold: 100\n")
    assert problem == "config.yaml:3:16: memory.compaction: targetSize (500) must not be above threshold (100)"


def test_a_value_that_cannot_be_read_contradicts_nothing(refuse_text: Refuse) -> None:
    problems = refuse_text("memory:\n  compaction: { threshold: few, targetSize: 800, enabled: 1 }\n")
    assert [problem.split(": ")[1] for problem in problems] == [
        "memory.compaction.threshold",
        "memory.compaction.enabled",
    ]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, "0.1", True, None, [0.1]])
def test_a_mapping_from_python_is_checked_as_strictly(schema: Schema, value: Any) -> None:
    with pytest.raises(ConfigError, match=r"<python>: agents\.a\.rag\.minScore: must be a number"):
        load({"agents": {"a": {"rag": {"minScore": value}}}}, schema)


@pytest.mark.parametrize("value", [2**63, 10**400])
def test_a_whole_number_that_fits_nowhere_is_refused(schema: Schema, value: int) -> None:
    with pytest.raises(ConfigError, match=r"memory\.recall\.embeddingDimensions: must be a whole number"):
        load({"memory": {"recall": {"embeddingDimensions": value}}}, schema)


def test_text_from_python_is_text_whatever_yaml_would_make_of_it(schema: Schema) -> None:
    config = load({"memory": {"language": "no", "dbPath": "010"}}, schema)
    assert (config.setting("memory.language"), config.setting("memory.dbPath")) == ("no", "010")


def test_a_whole_number_may_stand_for_a_fraction(load_text: Load) -> None:
    score = load_text(at("agents.default.rag.minScore", "1")).setting("rag.minScore")
    assert (score, type(score)) == (1.0, float)


@pytest.mark.parametrize(("text", "value"), [("yes", True), ("on", True), ("No", False), ("false", False)])
def test_every_spelling_of_a_truth_value_is_one_where_a_truth_value_is_wanted(
    load_text: Load, text: str, value: bool
) -> None:
    assert load_text(at("memory.walMode", text)).setting("memory.walMode") is value


def test_what_a_message_tells_to_write_is_accepted(load_text: Load, refuse_text: Refuse) -> None:
    (problem,) = refuse_text(at("agents.default.rag.includeTrustLevels", "system"))
    written = problem.split("; write ")[1]
    assert yaml.safe_load(written) == ["system"]
    assert load_text(at("agents.default.rag.includeTrustLevels", written)).is_explicit("rag.includeTrustLevels")
