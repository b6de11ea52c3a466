"""What is wrong in an evaluation case is told with file, line and field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from comis_core.errors import ComisError, ConfigError
from comis_core.evaluation import Variant, find_cases, run_variant
from comis_core.evaluation.variants import Pipeline, variants

ROWS: Mapping[str, list[dict[str, Any]]] = {
    "memories": [
        {"id": "m1", "content": "One apple.", "created_at": "2024-01-01"},
        {"id": "m2", "content": "Two pears.", "created_at": "2024-01-02"},
    ],
    "queries": [{"id": "q1", "text": "apple", "relevant": ["m1"]}, {"id": "q2", "text": "pear", "relevant": ["m2"]}],
    "edges": [{"cause": "m1", "effect": "m2"}, {"cause": "m2", "effect": "m1"}],
    "turns": [
        {"id": "t1", "text": "apple?", "recalled": ["m1"], "cited": ["m1"]},
        {"id": "t2", "text": "pear?", "recalled": ["m2"], "cited": ["m2"]},
    ],
}
"""A sound case; a test spoils the second row of one file."""

VERSION = {"id": "m1b", "updates": "m1", "created_at": "2024-02-01"}


def case_with(folder: Path, file: str, row: Mapping[str, Any]) -> Path:
    """The sound case with the second row of `file` replaced."""
    case = folder / "set" / "case"
    case.mkdir(parents=True)
    for name, rows in ROWS.items():
        lines = [rows[0], row] if name == file else rows
        (case / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def refusal(folder: Path, file: str, row: Mapping[str, Any]) -> str:
    """Why the case is refused, without the folder."""
    with pytest.raises(ComisError) as error:
        find_cases(case_with(folder, file, row))
    return error.value.message.rpartition("/")[2]


@pytest.mark.parametrize(
    ("file", "field", "value"),
    [
        ("memories", "proof_count", 0),
        ("memories", "proof_count", "4"),
        ("memories", "proof_count", 1.5),
        ("memories", "trust", "blind"),
        ("memories", "trust", None),
        ("memories", "type", 3),
        ("memories", "confidence", 1.5),
        ("memories", "confidence", float("nan")),
        ("memories", "confidence", "high"),
        ("memories", "turn", -1),
        ("memories", "turn", True),
        ("memories", "sender", 7),
        ("memories", "title", ["x"]),
        ("memories", "session", "\ud800"),
        ("memories", "key", {}),
        ("memories", "content", "x" * 70_000),
        ("memories", "tags", "fruit"),
        ("memories", "created_at", "yesterday"),
        ("memories", "occurred_at", 2024),
        ("memories", "expires_at", ["2024"]),
        ("memories", "evicted_at", "soon"),
        ("memories", "annotations", None),
        ("memories", "supersedes", "m1"),
        ("memories", "id", [1]),
        ("queries", "text", 5),
        ("queries", "text", "a\0b"),
        ("queries", "text", ""),
        ("queries", "text", " \n"),
        ("queries", "relevant", "m2"),
        ("queries", "relevant", [None]),
        ("queries", "category", 7),
        ("queries", "asker", 7),
        ("queries", "now", "noon"),
        ("queries", "record_as_of", 5),
        ("queries", "event_as_of", "then"),
        ("edges", "cause", ["m1"]),
        ("edges", "confidence", "0.5"),
        ("edges", "confidence", 2),
        ("edges", "at", 7),
        ("turns", "text", None),
        ("turns", "recalled", "m2"),
        ("turns", "cited", None),
        ("turns", "answer", 7),
        ("turns", "sender", 7),
        ("turns", "intent", 7),
        ("turns", "intent", "facual"),
        ("turns", "intent", "Factual"),
        ("turns", "id", True),
        ("memories", "id", True),
        ("queries", "id", True),
        ("queries", "id", False),
        ("queries", "relevant", [True]),
        ("turns", "at", "soon"),
    ],
)
def test_a_bad_value_names_file_line_and_field(tmp_path: Path, file: str, field: str, value: object) -> None:
    said = refusal(tmp_path, file, {**ROWS[file][1], field: value})
    assert said.startswith(f"{file}.jsonl:2: ")
    assert field in said


@pytest.mark.parametrize(
    ("field", "value"),
    [("proof_count", -1), ("confidence", 2), ("trust", "blind"), ("content", 7), ("tags", "fruit"), ("updates", {})],
)
def test_a_bad_value_of_a_version_names_file_line_and_field(tmp_path: Path, field: str, value: object) -> None:
    said = refusal(tmp_path, "memories", {**VERSION, "content": "One plum.", field: value})
    assert said.startswith("memories.jsonl:2: ")
    assert field in said


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("fruit", "annotations[0] must be an object"),
        ({"name": "apple"}, "annotations[0].kind is missing"),
        ({"kind": "entity", "nmae": "apple"}, "annotations[0] has an unknown field 'nmae' (known: kind, name, "),
        ({"kind": "entity", "name": 7}, "annotations[0]: an annotation's name must be a string"),
        ({"kind": "cause", "target": "m1", "confidence": 2}, "annotations[0]: an annotation's confidence must lie in"),
        ({"kind": "entity"}, "annotations[0].name is missing: an entity has a name"),
        ({"kind": "entity", "name": ""}, "annotations[0].name is missing"),
        ({"kind": "cause", "target": "m2"}, "annotations[0].target: 'm2' is the memory itself"),
        ({"kind": "cause", "target": ["m1"]}, "annotations[0].target must be an id"),
        ({"kind": "triple", "occurred_at": "then"}, "annotations[0].occurred_at: Invalid isoformat string: 'then'"),
    ],
)
def test_a_bad_annotation_names_file_line_and_field(tmp_path: Path, said: object, words: str) -> None:
    row = {**ROWS["memories"][1], "annotations": [said]}
    assert refusal(tmp_path, "memories", row).startswith(f"memories.jsonl:2: {words}")


@pytest.mark.parametrize(
    ("file", "row", "field"),
    [
        ("memories", {**ROWS["memories"][1], "supersedes": ["m9"]}, "supersedes"),
        ("memories", {**ROWS["memories"][1], "annotations": [{"kind": "cause", "target": "m9"}]}, "annotations"),
        ("queries", {**ROWS["queries"][1], "relevant": ["m9"]}, "relevant"),
        ("edges", {"cause": "m9", "effect": "m1"}, "cause"),
        ("edges", {"cause": "m1", "effect": "m9"}, "effect"),
        ("turns", {"id": "t2", "text": "x", "recalled": ["m9"], "answer": "no"}, "recalled"),
    ],
)
def test_an_id_that_no_memory_has_names_file_line_and_field(
    tmp_path: Path, file: str, row: Mapping[str, Any], field: str
) -> None:
    assert refusal(tmp_path, file, row) == f"{file}.jsonl:2: {field}: there is no memory 'm9' in this case"


def test_a_version_of_no_memory_names_file_line_and_field(tmp_path: Path) -> None:
    case = case_with(tmp_path, "memories", ROWS["memories"][1])
    with (case / "set" / "case" / "memories.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({**VERSION, "updates": "m9"}) + "\n")
    with pytest.raises(ComisError, match=r"memories\.jsonl:3: updates: there is no memory 'm9'"):
        find_cases(case)


def test_a_version_before_its_memory_is_refused(tmp_path: Path) -> None:
    case = case_with(tmp_path, "memories", ROWS["memories"][1])
    with (case / "set" / "case" / "memories.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({**VERSION, "created_at": "2023-12-31"}) + "\n")
    with pytest.raises(ComisError, match=r"memories\.jsonl:3: created_at: 2023-12-31\S* is before the memory 'm1'"):
        find_cases(case)


def test_an_eviction_before_its_memory_is_refused(tmp_path: Path) -> None:
    row = {**ROWS["memories"][1], "evicted_at": "2023-12-31"}
    assert refusal(tmp_path, "memories", row).startswith("memories.jsonl:2: evicted_at")


def test_a_version_and_an_eviction_at_their_memorys_own_moment_are_accepted(tmp_path: Path) -> None:
    case = case_with(tmp_path, "memories", {**ROWS["memories"][1], "evicted_at": ROWS["memories"][1]["created_at"]})
    with (case / "set" / "case" / "memories.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({**VERSION, "created_at": ROWS["memories"][0]["created_at"]}) + "\n")
    (found,) = find_cases(case)
    assert [revision.id for revision in found.revisions] == ["m1b"]
    assert [eviction.of for eviction in found.evictions] == ["m2"]


@pytest.mark.parametrize(
    ("file", "row"),
    [
        ("edges", {"cause": "m2", "effect": "m1", "at": "2024-01-01T12:00:00Z"}),
        ("edges", {"cause": "m1", "effect": "m2", "at": "2024-01-01T12:00:00Z"}),
        ("turns", {**ROWS["turns"][1], "recalled": ["m1", "m2"], "at": "2024-01-01T12:00:00Z"}),
    ],
)
def test_what_is_dated_before_a_memory_that_it_is_about_is_refused(
    tmp_path: Path, file: str, row: Mapping[str, Any]
) -> None:
    with pytest.raises(ComisError) as error:
        find_cases(case_with(tmp_path, file, row))
    words = f"{file}.jsonl:2: at: 2024-01-01T12:00:00+00:00 is before the memory 'm2' is stored"
    assert words in error.value.message
    assert "memories.jsonl:2" in error.value.message


@pytest.mark.parametrize(
    ("file", "row"),
    [
        ("edges", {"cause": "m2", "effect": "m1", "at": "2024-01-02"}),
        ("turns", {**ROWS["turns"][1], "at": "2024-01-02", "intent": "howto"}),
    ],
)
def test_what_happens_in_the_moment_of_its_memory_is_accepted(
    tmp_path: Path, file: str, row: Mapping[str, Any]
) -> None:
    assert find_cases(case_with(tmp_path, file, row))[0].timed


@pytest.mark.parametrize(
    ("file", "row", "words"),
    [
        ("memories", {**ROWS["memories"][1], "supersedes": ["m2"]}, "supersedes: 'm2' is the memory itself"),
        ("edges", {"cause": "m2", "effect": "m2"}, "effect: 'm2' is the memory itself"),
    ],
)
def test_a_memory_that_points_to_itself_is_refused(
    tmp_path: Path, file: str, row: Mapping[str, Any], words: str
) -> None:
    assert refusal(tmp_path, file, row) == f"{file}.jsonl:2: {words}"


def test_a_config_that_is_wrong_is_blamed_on_no_row(tmp_path: Path) -> None:
    cases = find_cases(case_with(tmp_path, "turns", ROWS["turns"][1]))
    wrong = {"embedding": "none", "rag": {"fusion": {"method": "scroe"}}}
    with pytest.raises(ConfigError) as error:
        run_variant(Variant(name="wrong", open=Pipeline(preset="tuned", overrides=wrong)), cases)
    assert "did you mean score?" in str(error.value)
    assert "jsonl" not in str(error.value)


@pytest.mark.parametrize(("named", "words"), [(True, "a.yaml has no agent 'nobody'"), (False, "without a config")])
def test_an_agent_that_no_config_has_is_refused(tmp_path: Path, named: bool, words: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("agents:\n  default: {preset: comis}\n  helper: {preset: tuned}\n", encoding="utf-8")
    configs = (file,) if named else ()
    with pytest.raises(ConfigError, match=words):
        variants(configs=configs, presets=("comis",), overrides=(), agent="nobody", cache=None)
    assert len(variants(configs=(file,), presets=("comis",), overrides=(), agent="helper", cache=None)) == 2


def test_what_the_store_refuses_while_a_case_is_played_names_file_and_line(tmp_path: Path) -> None:
    case = case_with(tmp_path, "memories", {**ROWS["memories"][1], "supersedes": ["m1"]})
    first = {**ROWS["memories"][0], "trust": "system"}
    file = case / "set" / "case" / "memories.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([json.dumps(first), *lines[1:], ""]), encoding="utf-8")
    words = Variant(name="words", open=Pipeline(preset="comis", overrides={"embedding": "none"}))
    with pytest.raises(ComisError, match=r"memories\.jsonl:2: "):
        run_variant(words, find_cases(case))
