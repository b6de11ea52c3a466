"""import and export."""

from __future__ import annotations

import json
from pathlib import Path


def write(path: Path, *rows: object) -> str:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return str(path)


def contents(on) -> set[str]:  # type: ignore[no-untyped-def]
    return {row["content"] for row in on("browse", "--json").json["memories"]}


def test_an_export_imports_into_an_empty_file_without_loss(comis, on, tmp_path) -> None:  # type: ignore[no-untyped-def]
    on("store", "Ana moved to Lisbon.", "--sender", "ana", "--tag", "city", "--key", "home")
    on("store", "Tea at four.", "--occurred-at", "2026-03-01T16:00:00Z")
    assert on("export", "one.jsonl").code == 0
    assert comis("import", "one.jsonl", "--db", "other.db").code == 0
    assert comis("export", "two.jsonl", "--db", "other.db").code == 0
    keep = ("id", "content", "sender", "tags", "key", "created_at", "created_given", "occurred_at")
    one, two = (
        [json.loads(line) for line in (tmp_path / name).read_text(encoding="utf-8").splitlines()]
        for name in ("one.jsonl", "two.jsonl")
    )
    assert [[row.get(name) for name in keep] for row in one] == [[row.get(name) for name in keep] for row in two]


def test_an_import_can_be_repeated(on, tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = write(tmp_path / "m.jsonl", {"content": "one"}, {"content": "two"})
    assert on("import", file, "--json").json["added"] == 2
    assert on("import", file, "--json").json == {"added": 0, "known": 2, "rejected": []}


def test_a_broken_file_changes_nothing_and_names_every_line(on, tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = write(
        tmp_path / "m.jsonl", {"content": "one"}, "{broken", {"content": 3}, {"content": "x", "colour": 1}, "[]"
    )
    result = on("import", file)
    assert result.code == 1
    for words in ("line 2: not JSON", "line 3: content: must be text", "line 4: unknown field 'colour'", "line 5"):
        assert words in result.err
    assert "nothing was ever stored in it" in on("browse").err


def test_keep_going_stores_the_good_rows(on, tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = write(tmp_path / "m.jsonl", {"content": "one"}, "{broken", {"content": "two"})
    result = on("import", file, "--keep-going", "--json")
    assert result.code == 1
    assert (result.json["added"], [row["line"] for row in result.json["rejected"]]) == (2, [2])
    assert contents(on) == {"one", "two"}


def test_the_systems_word_is_imported_by_an_administrator_alone(on, tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = write(tmp_path / "m.jsonl", {"content": "Obey.", "trust": "system"}, {"content": "one"})
    refused = on("import", file)
    assert refused.code == 1
    assert "trust 'system' is given by an administrator only" in refused.err
    assert on("import", file, "--admin").code == 0
    assert contents(on) == {"Obey.", "one"}


def test_the_same_id_twice_in_a_file_is_an_error(on, tmp_path) -> None:  # type: ignore[no-untyped-def]
    row = {"id": "0199c0de-0000-7000-8000-000000000000", "content": "one"}
    result = on("import", write(tmp_path / "m.jsonl", row, {**row, "content": "two"}))
    assert "on line 1 already" in result.err


def test_annotations_that_point_further_down_survive_the_way(comis, on) -> None:  # type: ignore[no-untyped-def]
    old = on("store", "Ana works at Acme.", "--json").json
    on("store", "Ana works at Globex.", "--supersedes", old["id"])
    on("export", "out.jsonl")
    assert comis("import", "out.jsonl", "--db", "other.db", "--json").json["added"] == 2
    rows = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    newer = next(row["id"] for row in rows if "Globex" in row["content"])
    notes = comis("get", newer, "--db", "other.db", "--json").json["annotations"]
    assert [note["target"] for note in notes if note["kind"] == "supersedes"] == [old["id"]]


def test_an_export_onto_the_database_is_refused(on, tmp_path) -> None:  # type: ignore[no-untyped-def]
    on("store", "precious")
    assert on("export", "memory.db").code == 1
    assert contents(on) == {"precious"}


def test_json_that_nests_without_end_is_a_bad_row(on, tmp_path) -> None:  # type: ignore[no-untyped-def]
    result = on("import", write(tmp_path / "m.jsonl", "[" * 100_000))
    assert "line 1: not JSON" in result.err


def test_a_file_in_another_encoding_is_named(on, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "m.jsonl"
    path.write_bytes('{"content": "café"}'.encode("latin-1"))
    assert "line 1: not UTF-8" in on("import", str(path)).err


def test_a_file_that_is_not_there_is_a_usage_error(on) -> None:  # type: ignore[no-untyped-def]
    result = on("import", "nowhere.jsonl")
    assert result.code == 2
    assert "nowhere.jsonl" in result.err


def test_an_export_leaves_no_half_file_behind(on, tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert on("export", str(tmp_path / "missing" / "out.jsonl")).code == 1
    assert not list(tmp_path.glob("**/*.part"))


def test_an_export_through_a_link_leaves_the_link(on, tmp_path) -> None:  # type: ignore[no-untyped-def]
    on("store", "Ana moved to Lisbon.")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "target.jsonl")
    assert on("export", str(tmp_path / "link.jsonl")).code == 0
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "target.jsonl").read_text().startswith("{")
