"""Running a variant over a small case."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from comis_core.errors import ComisError
from comis_core.evaluation import Variant, find_cases, run_variant
from comis_core.evaluation.variants import Pipeline, ablations, parse_overrides, variants

MEMORIES = [
    {"id": "m1", "content": "Ana moved to Lisbon in March.", "sender": "ana", "session": "s", "turn": 0},
    {"id": "m2", "content": "Bob keeps bees in his garden.", "sender": "bob", "session": "s", "turn": 1},
    {"id": "m3", "content": "The meeting is on Tuesday.", "created_at": "2026-01-05T10:00:00Z"},
    {"id": "m4", "content": "Bob keeps bees in his garden.", "sender": "bob", "session": "s", "turn": 2},
]
QUERIES = [
    {"id": "q1", "text": "Who keeps bees?", "relevant": ["m2"], "category": "who"},
    {"id": "q2", "text": "Where did Ana move?", "relevant": ["m1"], "category": "where"},
    {"id": "q3", "text": "bees garden", "relevant": ["m4"], "category": "adversarial"},
]
WORDS_ONLY = {"rag": {"lanes": {"vector": {"enabled": False}}}}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny" / "case"
    folder.mkdir(parents=True)
    (folder / "memories.jsonl").write_text("\n".join(map(json.dumps, MEMORIES)) + "\n", encoding="utf-8")
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, QUERIES)) + "\n", encoding="utf-8")
    return tmp_path


def test_cases_are_found_at_any_depth(data: Path) -> None:
    for place in (data, data / "tiny", data / "tiny" / "case"):
        (case,) = find_cases(place)
        assert (case.set, case.name, len(case.memories), len(case.questions)) == ("tiny", "case", 4, 3)


def test_a_folder_without_cases_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ComisError, match="no evaluation case"):
        find_cases(tmp_path)


def test_a_broken_row_names_file_and_line(data: Path) -> None:
    path = data / "tiny" / "case" / "queries.jsonl"
    path.write_text(path.read_text(encoding="utf-8") + '{"id": "q4"}\n', encoding="utf-8")
    with pytest.raises(ComisError, match=r"queries\.jsonl:4"):
        find_cases(data)


def test_a_run_ranks_by_the_ids_of_the_data(data: Path) -> None:
    run = run_variant(Variant(name="words", open=Pipeline(overrides=WORDS_ONLY)), find_cases(data))
    ranked = {answer.id: answer.ranked for answer in run.answers}
    assert ranked["q2"][0] == "m1"
    assert not run.degraded


def test_equal_rows_are_one_memory_that_answers_for_both(data: Path) -> None:
    run = run_variant(Variant(name="words", open=Pipeline(overrides=WORDS_ONLY)), find_cases(data))
    assert next(answer for answer in run.answers if answer.id == "q3").ranked[:2] == ("m2", "m4")


def test_totals_leave_out_what_is_no_headline(data: Path) -> None:
    run = run_variant(Variant(name="words", open=Pipeline(overrides=WORDS_ONLY)), find_cases(data))
    totals = run.by(headline=frozenset({"who", "where"}))
    assert totals["tiny", ""].questions == 2
    assert totals["tiny", "adversarial"].questions == 1


def test_an_ablation_leaves_out_one_plugin_at_a_time() -> None:
    (base,) = variants(configs=(), presets=("comis",), overrides=(), agent="default", cache=None)
    names = [variant.name for variant in ablations(base)]
    assert "without fts" in names
    assert "without rrf" not in names


@pytest.mark.parametrize("pair", ["no-equals", "=1", "a.b={", "a=1 a.b=2"])
def test_an_override_that_is_none_is_refused(pair: str) -> None:
    with pytest.raises(ComisError):
        parse_overrides(pair.split(" ") if " " in pair else [pair])


def test_overrides_become_a_nested_mapping() -> None:
    assert parse_overrides(["rag.mmr.enabled=true", "rag.mmr.lambda=0.5"]) == {
        "rag": {"mmr": {"enabled": True, "lambda": 0.5}}
    }


@pytest.mark.parametrize(
    ("file", "row", "words"),
    [
        ("memories", '{"id": "m1", "content": "Again."}', "5: two memories have the id 'm1', the first on line 1"),
        ("queries", '{"id": "q2", "text": "x", "relevant": ["m1"]}', "4: two questions have the id 'q2'"),
        ("queries", '{"id": "q4", "text": "x"}', "4: 'relevant' is missing (needed: id, text, relevant)"),
        ("queries", '{"id": "q4", "text": "x", "relevant": "m1"}', "4: relevant: a list of ids is needed, not 'm1'"),
        ("queries", '{"id": "q4", "text": 5, "relevant": ["m1"]}', "4: text must be text, not 5"),
        ("queries", '{"id": "q4", "text": "x", "relevant": ["m1"], "kind": 1}', "4: unknown key 'kind' (known: id, "),
        ("queries", '["q4"]', "4: a row is a JSON object, not list"),
        ("queries", '{"id": "q4",', "4: not JSON: "),
        (
            "queries",
            '{"id": "q4", "text": "x", "relevant": ["m1"], "now": "noon"}',
            "4: now: Invalid isoformat string: 'noon'",
        ),
        ("memories", '{"id": "m9"}', "5: 'content' is missing"),
        ("memories", '{"id": "m9", "content": "x", "importance": 0.5}', "5: unknown key 'importance'"),
        ("memories", '{"id": "m9", "updates": "m1", "content": "x"}', "5: a row with 'updates' needs its 'created_at'"),
    ],
)
def test_a_row_that_is_wrong_is_told_in_words(data: Path, file: str, row: str, words: str) -> None:
    path = data / "tiny" / "case" / f"{file}.jsonl"
    path.write_text(path.read_text(encoding="utf-8") + row + "\n", encoding="utf-8")
    with pytest.raises(ComisError) as error:
        find_cases(data)
    assert f"{path.resolve()}:{words}" in error.value.message


def test_a_row_that_is_no_utf8_is_told_with_its_place(data: Path) -> None:
    path = data / "tiny" / "case" / "queries.jsonl"
    path.write_bytes(path.read_bytes() + b'{"id": "\xff"}\n')
    with pytest.raises(ComisError, match=r"queries\.jsonl:4: not UTF-8 at byte 8"):
        find_cases(data)


def test_a_time_without_a_zone_is_utc(data: Path) -> None:
    path = data / "tiny" / "case" / "queries.jsonl"
    path.write_text('{"id": "q", "text": "x", "relevant": ["m1"], "now": "2026-03-01T09:00"}\n', encoding="utf-8")
    (case,) = find_cases(data)
    assert case.questions[0].now == datetime(2026, 3, 1, 9, tzinfo=UTC)
