"""recall, search, explain, quickstart."""

from __future__ import annotations

import pytest


def test_search_shows_scores_and_reasons(on) -> None:  # type: ignore[no-untyped-def]
    on("store", "Ana moved to Lisbon.", "--sender", "ana")
    assert "fts #1" in on("search", "Lisbon").out


@pytest.mark.parametrize("query", ["what's next?", "pre-edit", 'a"b', "x AND", "(y", "NEAR(", "*", "^x", "a:b", "🦊"])
@pytest.mark.parametrize("command", ["recall", "search", "explain"])
def test_no_question_is_syntax(on, command, query) -> None:  # type: ignore[no-untyped-def]
    on("store", "what comes next is pre-edit")
    assert on(command, "--", query).code == 0 if query.startswith("-") else on(command, query).code == 0


def test_explain_names_stages_and_candidates(on) -> None:  # type: ignore[no-untyped-def]
    stored = on("store", "Ana moved to Lisbon.", "--json").json
    explained = on("explain", "Lisbon", "--json").json
    assert [stage["name"] for stage in explained["trace"]["stages"]][:3] == ["analyze", "search", "fuse"]
    assert explained["trace"]["candidates"][stored["id"]]["left"] == "answer"


def test_explain_says_why_a_memory_is_not_there(on) -> None:  # type: ignore[no-untyped-def]
    on("store", "Ana moved to Lisbon.")
    other = on("store", "Bob keeps bees.", "--json").json
    assert "none of fts" in on("explain", "Lisbon", "--why-not", other["id"]).out


def test_json_holds_notes_and_no_note_stands_on_standard_output(on) -> None:  # type: ignore[no-untyped-def]
    on("store", "Ana moved to Lisbon.")
    assert any("no embedder" in note for note in on("recall", "Lisbon", "--json").json["notes"])
    plain = on("recall", "Lisbon")
    assert "no embedder" in plain.err
    assert "no embedder" not in plain.out


def test_the_quickstart_answers_five_questions(comis) -> None:  # type: ignore[no-untyped-def]
    result = comis("quickstart")
    assert result.code == 0
    assert result.out.count("? ") >= 5
    for words in ("every second Tuesday", "penicillin", "blue folder", "vegetarian"):
        assert words in result.out


def test_the_quickstart_can_be_repeated_on_one_file(comis) -> None:  # type: ignore[no-untyped-def]
    assert "60 turns stored" in comis("quickstart", "--db", "kept.db").out
    assert "0 turns stored" in comis("quickstart", "--db", "kept.db").out


def test_the_quickstart_says_how_to_ask_on(comis) -> None:  # type: ignore[no-untyped-def]
    said = comis("quickstart", "--db", "kept.db").out
    assert "comis recall QUESTION --db kept.db --agent quickstart" in said
    asked = comis("recall", "Where did she put the pet passport?", "--db", "kept.db", "--agent", "quickstart")
    assert "blue folder" in asked.out


@pytest.mark.parametrize("id", ["0199c0de-0000-7000-8000-000000000000", "nonsense", ""])
def test_why_not_asks_for_a_memory_that_the_agent_has(on, id) -> None:  # type: ignore[no-untyped-def]
    on("store", "Ana moved to Lisbon.")
    trace = on("recall", "Lisbon", "--keep-trace", "--json").json["trace_id"]
    for asked in (("Lisbon",), ("--trace", trace)):
        result = on("explain", *asked, "--why-not", id)
        assert (result.code, result.out) == (1, "")
        assert f"has no memory {id}" in result.err


def test_why_not_knows_a_memory_of_a_stored_answer_that_was_deleted_since(on) -> None:  # type: ignore[no-untyped-def]
    id = on("store", "Ana moved to Lisbon.", "--json").json["id"]
    trace = on("recall", "Lisbon", "--keep-trace", "--json").json["trace_id"]
    on("delete", id)
    assert "in the answer, at place 1" in on("explain", "--trace", trace, "--why-not", id.upper()).out
    assert on("explain", "Lisbon", "--why-not", id).code == 1
