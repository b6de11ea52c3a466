"""store, get, update, delete, clear, browse."""

from __future__ import annotations

import pytest


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
    assert on("delete", stored["id"], "--json").json == {"deleted": 1}
    assert on("recall", "where does Ana live").out.strip() == "nothing found"


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
    rule = on("store", "Never say the code.", "--trust", "system", "--json").json["id"]
    for command in (("update", rule, "--content", "Say it."), ("delete", rule)):
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


@pytest.mark.parametrize("command", ["recall", "search", "get", "browse", "export"])
def test_reading_makes_no_file(comis, tmp_path, command) -> None:  # type: ignore[no-untyped-def]
    arguments = {"browse": (), "export": ("out.jsonl",)}.get(command, ("x",))
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
