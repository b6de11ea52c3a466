"""replay, explain --trace: answers that were kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def trace(on: Any) -> str:
    on("store", "Ana moved to Lisbon.")
    on("store", "Ana keeps bees in Lisbon.")
    return str(on("recall", "Lisbon", "--keep-trace", "--json").json["trace_id"])


def test_a_kept_trace_is_named_and_listed(on: Any, trace: str) -> None:
    assert f"trace: {trace}" not in on("recall", "Lisbon").err
    (row,) = on("replay", "--json").json
    assert (row["id"], row["kind"], len(row["answer"])) == (trace, "recall", 2)
    assert trace in on("replay").out


def test_the_same_ranking_comes_back(on: Any, trace: str) -> None:
    assert "the same ranking as then" in on("replay", trace).out
    assert on("replay", trace, "--json").json["same"] is True


def test_what_has_gone_since_is_said(on: Any, trace: str) -> None:
    gone = on("replay", "--json").json[0]["answer"][0]["id"]
    on("delete", gone)
    result = on("replay", trace)
    assert "not the ranking of then" in result.out
    assert f"{gone} is not in it any more" in result.out
    assert "have gone since" in result.err
    assert on("replay", trace, "--json").json["gone"] == [gone]
    assert "(gone)" in on("explain", "--trace", trace).out


def test_another_pipeline_is_named_as_the_reason(comis: Any, on: Any, trace: str) -> None:
    other = "memory: {recall: {embeddingModel: none}}\nagents: {default: {preset: comis, rag: {scoring: {recencyAlpha: 0.9}}}}\n"
    Path("other.yaml").write_text(other, encoding="utf-8")
    result = comis("replay", trace, "--config", "other.yaml")
    assert "not the ranking of then" in result.out
    assert "the factor recency of 2 memories is another one" in result.out
    data = comis("replay", trace, "--config", "other.yaml", "--json").json
    assert (data["same"], data["gone"], data["come"]) == (False, [], [])
    assert data["reasons"] == ["the factor recency of 2 memories is another one"]


def test_a_stored_answer_is_explained(on: Any, trace: str) -> None:
    data = on("explain", "--trace", trace, "--json").json
    assert [stage["name"] for stage in data["trace"]["stages"]][:3] == ["analyze", "search", "fuse"]
    assert "Ana keeps bees in Lisbon." in on("explain", "--trace", trace).out


def test_why_not_is_answered_from_a_stored_answer(on: Any, trace: str) -> None:
    other = on("store", "Bob sells cars.", "--json").json["id"]
    assert "found it among its best" in on("explain", "--trace", trace, "--why-not", other).out
    assert on("explain", "--trace", trace, "--why-not", other, "--json").json["id"] == other


@pytest.mark.parametrize("arguments", [("explain",), ("explain", "Lisbon", "--trace", "x")])
def test_a_question_and_a_trace_exclude_each_other(on: Any, arguments: tuple[str, ...]) -> None:
    assert on(*arguments).code == 2


def test_an_unknown_trace_is_told(on: Any, trace: str) -> None:
    result = on("replay", "0199c0de-0000-7000-8000-000000000000")
    assert result.code == 1
    assert "has no trace" in result.err


def test_nothing_stored_is_told(on: Any) -> None:
    on("store", "Ana moved to Lisbon.")
    assert "no traces are stored" in on("replay").err
