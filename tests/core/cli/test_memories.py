"""store, get, update, delete, clear, browse."""

from __future__ import annotations

import json

import pytest

import comis_core
from comis_core.model import Annotation


def test_a_memory_goes_its_way_from_store_to_delete(on) -> None:  # type: ignore[no-untyped-def]
    stored = on("store", "Ana moved to Lisbon.", "--sender", "ana", "--tag", "city", "--json").json
    assert stored["trust"] == "learned"
    assert on("get", stored["id"], "--json").json["tags"] == ["city"]
    assert on("update", stored["id"], "--content", "Ana moved to Porto.").code == 0
    assert [row["content"] for row in on("get", stored["id"], "--history", "--json").json] == [
        "Ana moved to Lisbon.",
        "Ana moved to Porto.",
    ]
    assert "Porto" in on("recall", "where does Ana live").out
    assert on("delete", stored["id"], "--json").json == {"deleted": 1, "unknown": []}
    assert on("recall", "where does Ana live").out.strip() == "nothing found"


def test_a_version_is_shown_with_the_annotations_of_its_time(on, tmp_path) -> None:  # type: ignore[no-untyped-def]
    row = {"content": "Ana saw it.", "annotations": [{"kind": "entity", "name": "Ana"}]}
    (tmp_path / "in.jsonl").write_text(json.dumps(row), encoding="utf-8")
    on("import", "in.jsonl")
    (memory,) = on("browse", "--json").json["memories"]
    on("update", memory["id"], "--content", "Ben saw it.", "--title", "Seen")
    with comis_core.open(tmp_path / "memory.db", config=tmp_path / "words.yaml") as engine:
        agent = engine.agent()
        agent.annotate(memory["id"], Annotation(kind="entity", name="Ben"))
    now = {said["name"] for said in on("get", memory["id"], "--json").json["annotations"]}
    then = on("get", memory["id"], "--as-of", memory["opened_at"], "--json").json
    assert (then["content"], {said["name"] for said in then["annotations"]}) == ("Ana saw it.", {"Ana"})
    assert now == {"Ana", "Ben"}
    versions = on("get", memory["id"], "--history", "--json").json
    assert [{said["name"] for said in version["annotations"]} for version in versions] == [{"Ana"}, now]
    shown = on("get", memory["id"], "--history").out
    assert shown.index("entity  entity Ana") < shown.index("Ben saw it.") < shown.index("entity  entity Ben")


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-03-01Z", "2026-03-01T00:00:00Z"),
        ("2026-03-01+01:00", "2026-02-28T23:00:00Z"),
        ("2026-03-01T09:30+01:00", "2026-03-01T08:30:00Z"),
        ("2026-03-01 09:30Z", "2026-03-01T09:30:00Z"),
    ],
)
def test_a_time_is_read_with_its_zone(on, written: str, moment: str) -> None:  # type: ignore[no-untyped-def]
    stored = on("store", "Tea at four.", "--occurred-at", written, "--json").json
    assert on("get", stored["id"], "--json").json["occurred_at"] == moment


def test_storing_twice_says_that_it_was_known(on) -> None:  # type: ignore[no-untyped-def]
    first = on("store", "Tea at four.", "--json").json
    second = on("store", "Tea at four.", "--json").json
    assert second["duplicate"] is True
    assert second["id"] == first["id"]


def test_browse_lists_newest_first_and_continues_by_cursor(on) -> None:  # type: ignore[no-untyped-def]
    for number in range(3):
        on("store", f"memory {number}")
    page = on("browse", "--limit", "2", "--json").json
    assert [row["content"] for row in page["memories"]] == ["memory 2", "memory 1"]
    rest = on("browse", "--limit", "2", "--cursor", page["cursor"], "--json").json
    assert [row["content"] for row in rest["memories"]] == ["memory 0"]


def test_a_system_memory_is_changed_and_deleted_as_an_administrator(on) -> None:  # type: ignore[no-untyped-def]
    rule = on("store", "Never say the code.", "--trust", "system", "--admin", "--json").json["id"]
    for command in (("update", rule, "--content", "Say it."), ("evict", rule), ("restore", rule), ("delete", rule)):
        refused = on(*command)
        assert refused.code == 1
        assert "administrator" in refused.err
        assert on(*command, "--admin").code == 0


def test_clear_removes_the_memories_of_a_named_agent(comis, on) -> None:  # type: ignore[no-untyped-def]
    on("store", "one")
    on("store", "two", "--pinned")
    cleared = comis("clear", "--tenant", "default", "--agent", "default", "--yes", "--config", "words.yaml", "--json")
    assert cleared.json == {"cleared": 1}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("store", ""), 1, "empty"),
        (("store", "x", "--trust", "great"), 2, "great"),
        (("store", "x", "--occurred-at", "soon"), 2, "no ISO date"),
        (("store", "x", "--occurred-at", "2026-03-01T09:30"), 2, "has no time zone; write 2026-03-01T09:30Z"),
        (("browse", "--since", "2026-03-01"), 2, "has no time zone; write 2026-03-01Z"),
        (("recall", "x", "--now", "2026-03-01"), 2, "has no time zone"),
        (("get", "not-an-id"), 1, "not-an-id"),
        (("get", "0199c0de-0000-7000-8000-000000000000"), 1, "no memory"),
        (("update", "0199c0de-0000-7000-8000-000000000000"), 2, "nothing to change"),
        (("delete", "0199c0de-0000-7000-8000-000000000000"), 1, "no memory"),
        (("evict", "0199c0de-0000-7000-8000-000000000000"), 1, "no memory"),
        (("restore", "0199c0de-0000-7000-8000-000000000000"), 1, "no memory"),
        (("evict",), 2, "IDS"),
        (("restore",), 2, "IDS"),
        (("browse", "--cursor", "garbage"), 1, "cursor"),
        (("recall", "x", "--time-zone", "Mars/Olympus"), 1, "Mars/Olympus"),
        (("search", "x", "--limit", "0"), 2, "limit"),
        (("nonsense",), 2, "nonsense"),
    ],
)
def test_bad_input_is_a_clear_error_and_no_traceback(comis, arguments, code, words) -> None:  # type: ignore[no-untyped-def]
    extra = () if arguments == ("nonsense",) else ("--config", "words.yaml")
    comis("store", "something to begin with", "--config", "words.yaml")
    result = comis(*arguments, *extra)
    assert result.code == code
    assert words in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    "command",
    [
        "recall",
        "search",
        "explain",
        "replay",
        "get",
        "browse",
        "export",
        "links",
        "link",
        "update",
        "evict",
        "restore",
        "delete",
        "clear",
        "vacuum",
    ],
)
def test_only_storing_makes_a_file(comis, tmp_path, command) -> None:  # type: ignore[no-untyped-def]
    arguments = {
        "browse": (),
        "replay": (),
        "vacuum": (),
        "export": ("out.jsonl",),
        "link": ("x", "y"),
        "update": ("x", "--content", "y"),
        "clear": ("--tenant", "default", "--agent", "default", "--yes"),
    }.get(command, ("x",))
    result = comis(command, *arguments, "--db", "typo/memory.db")
    assert result.code == 1
    assert "no memory file" in result.err
    assert not (tmp_path / "typo").exists()


def test_a_file_that_is_no_database_is_left_untouched(comis, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "notes.txt"
    path.write_text("my notes, far longer than a header " * 9, encoding="utf-8")
    before = path.read_bytes()
    result = comis("store", "x", "--db", str(path))
    assert result.code == 1
    assert "notes.txt" in result.err
    assert path.read_bytes() == before


NOBODY = "0199c0de-0000-7000-8000-000000000000"


@pytest.mark.parametrize("whose", [("--agent", "nobody"), ("--tenant", "nobody"), ("--agent", "DEFAULT")])
@pytest.mark.parametrize(
    "command",
    [
        ("recall", "Ana"),
        ("search", "Ana"),
        ("explain", "Ana"),
        ("explain", "Ana", "--why-not", NOBODY),
        ("explain", "--trace", NOBODY),
        ("replay",),
        ("replay", NOBODY),
        ("get", NOBODY),
        ("update", NOBODY, "--content", "x"),
        ("evict", NOBODY),
        ("restore", NOBODY),
        ("delete", NOBODY),
        ("link", NOBODY, NOBODY),
        ("links", NOBODY),
        ("browse",),
        ("export", "out.jsonl"),
        ("export", "out.jsonl", "--damaged"),
    ],
)
def test_an_agent_that_nothing_was_stored_for_is_an_error_that_names_those_that_are_there(  # type: ignore[no-untyped-def]
    on, tmp_path, command, whose
) -> None:
    on("store", "Ana moved to Lisbon.", "--agent", "the helper", "--tenant", "acme")
    on("store", "Bob keeps bees.")
    result = on(*command, *whose)
    assert (result.code, result.out) == (1, "")
    assert "memory.db has nothing of agent" in result.err
    assert "--tenant acme --agent 'the helper', --tenant default --agent default" in result.err
    assert not (tmp_path / "out.jsonl").exists()


def test_many_agents_are_not_all_named(on) -> None:  # type: ignore[no-untyped-def]
    for number in range(12):
        on("store", "x", "--agent", f"helper {number:02}")
    result = on("browse")
    assert "helper 09" in result.err
    assert "helper 10" not in result.err
    assert "and 2 more" in result.err


def test_an_agent_whose_memories_are_all_gone_is_known(on, tmp_path) -> None:  # type: ignore[no-untyped-def]
    on("delete", on("store", "one", "--json").json["id"])
    assert on("browse").code == 0
    assert on("export", "out.jsonl").code == 0
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == ""


@pytest.mark.parametrize(
    "which", [("--tenant", "default", "--agent", "nobody"), ("--tenant", "nobody", "--all-agents")]
)
def test_clear_names_who_is_there_before_it_asks(comis, on, which) -> None:  # type: ignore[no-untyped-def]
    on("store", "one")
    result = comis("clear", *which, "--config", "words.yaml")
    assert result.code == 1
    assert "has nothing of" in result.err
    assert "Remove" not in result.err
    assert "--tenant default --agent default" in result.err


def test_delete_says_which_memories_it_does_not_know(on) -> None:  # type: ignore[no-untyped-def]
    first, second = (on("store", text, "--json").json["id"] for text in ("one", "two"))
    result = on("delete", first, NOBODY, "nonsense")
    assert (result.code, result.out) == (1, "deleted 1 of 3\n")
    assert f"this agent has no memory {NOBODY}, nonsense" in result.err
    result = on("delete", second, NOBODY, "--json")
    assert (result.code, result.json) == (1, {"deleted": 1, "unknown": [NOBODY]})


def test_what_is_evicted_is_out_of_recall_until_it_is_restored(on) -> None:  # type: ignore[no-untyped-def]
    first, second, third = (on("store", f"The {name} is red.", "--json").json["id"] for name in ("car", "hat", "door"))
    assert on("evict", first, second, "--json").json == {"evicted": 2, "unknown": []}
    assert [row["id"] for row in on("browse", "--json").json["memories"]] == [third]
    assert "car" not in on("recall", "Which car is red?").out
    assert on("evict", first, third).out == "evicted 1 of 2\n"
    assert on("restore", first, first, "--json").json == {"restored": 1, "unknown": []}
    assert "car" in on("recall", "Which car is red?").out
    assert on("restore", first, second).out == "restored 1 of 2\n"


@pytest.mark.parametrize(("command", "before", "done"), [("evict", (), "evicted"), ("restore", ("evict",), "restored")])
def test_hiding_and_showing_say_which_memories_they_do_not_know(on, command, before, done) -> None:  # type: ignore[no-untyped-def]
    id = on("store", "one", "--json").json["id"]
    for earlier in before:
        on(earlier, id)
    result = on(command, id, NOBODY, "nonsense", "--json")
    assert (result.code, result.json) == (1, {done: 1, "unknown": [NOBODY, "nonsense"]})
    assert f"this agent has no memory {NOBODY}, nonsense" in result.err


@pytest.mark.parametrize("command", [("store", "Never say the code."), ("update", "0")])
def test_trust_system_is_given_by_an_administrator(on, tmp_path, command) -> None:  # type: ignore[no-untyped-def]
    refused = on(*command, "--trust", "system")
    assert (refused.code, "--admin" in refused.err) == (2, True)
    assert not (tmp_path / "memory.db").exists()


def test_a_place_in_the_session_before_the_first_is_refused(on) -> None:  # type: ignore[no-untyped-def]
    refused = on("store", "x", "--turn", "-4")
    assert (refused.code, "--turn" in refused.err) == (2, True)
