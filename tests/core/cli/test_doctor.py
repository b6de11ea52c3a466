"""doctor, backup, vacuum, export of a damaged file: commands that look after the file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.damage import digest, spoil_page, statement

from comis_core.testing import make_distribution


@pytest.fixture
def filled(on: Any, tmp_path: Path) -> Path:
    rows = [{"content": f"the bird number {number} sits on the roof " + "and sings " * 20} for number in range(200)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert on("import", "rows.jsonl").code == 0
    return tmp_path / "memory.db"


def test_a_sound_file_exits_with_0(on: Any, filled: Path) -> None:
    result = on("doctor")
    assert result.code == 0
    assert "memories  200" in result.out
    assert re.search(r"vectors  (int8 by numkong|float32, numkong is not installed)", result.out)
    assert f"{filled}: sound" in result.out


def test_what_is_wrong_exits_with_1_until_it_is_repaired(on: Any, filled: Path) -> None:
    statement(filled, "DELETE FROM fts_text WHERE rowid < 50")
    found = on("doctor")
    assert found.code == 1
    assert "index fts: fts_text: 49 without a row" in found.out
    assert "comis doctor --repair" in found.out
    mended = on("doctor", "--repair")
    assert mended.code == 0
    assert "repaired: index fts was rebuilt" in mended.out
    assert on("doctor").code == 0


def test_json_has_everything(on: Any, filled: Path) -> None:
    statement(filled, "DELETE FROM fts_text WHERE rowid < 50")
    data = on("doctor", "--json").json
    assert (data["path"], data["sound"], data["repaired"]) == (str(filled), False, [])
    assert {problem["area"] for problem in data["problems"] if not problem["minor"]} == {"index fts"}
    assert data["facts"]["memories"] == 200


def test_it_runs_although_the_config_is_nonsense(comis: Any, filled: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("memory:\n  dbPath: memory.db\n  walmode: true\n", encoding="utf-8")
    result = comis("doctor", "--config", "bad.yaml", "--db", str(filled))
    assert result.code == 1
    assert "walmode" in result.out
    assert "memories  200" in result.out


def test_no_file_is_told(on: Any) -> None:
    result = on("doctor", "--db", "nowhere.db")
    assert result.code == 1
    assert "there is no file nowhere.db" in result.out
    assert not Path("nowhere.db").exists()


def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    """A third party's plugin `killer`, and a config that enables it."""
    folder = make_distribution(
        tmp_path / "site",
        "killer-dist",
        version="1.0",
        plugins={"killer": "tried_killer"},
        modules={"tried_killer": source},
    )
    monkeypatch.syspath_prepend(str(folder))
    config = "memory:\n  recall:\n    embeddingModel: none\nplugins:\n  enable: [killer]\n"
    (tmp_path / "killer.yaml").write_text(config, encoding="utf-8")


def test_a_plugin_that_ends_the_process_is_found_in_isolation(
    comis: Any, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, monkeypatch, "import os; os._exit(7)")
    result = comis("doctor", "--isolate", "--config", "killer.yaml")
    assert result.code == 1
    assert (
        "'killer' (killer-dist 1.0 (tried_killer)): entry point tried_killer: the import ended the process"
        in result.out
    )
    assert "memories  200" in result.out


def test_a_plugin_that_raises_is_a_problem_and_nothing_more(
    comis: Any, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, monkeypatch, "raise ValueError('no luck')")
    result = comis("doctor", "--config", "killer.yaml")
    assert result.code == 1
    assert "no luck" in result.out
    assert "memories  200" in result.out


def test_a_backup_is_a_sound_copy(on: Any, comis: Any, filled: Path) -> None:
    assert "sound" in on("backup", "copy.db").out
    assert on("doctor", "--db", "copy.db").code == 0
    assert on("recall", "bird number 7", "--db", "copy.db").out == on("recall", "bird number 7").out


def test_a_backup_replaces_nothing(on: Any, filled: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("do not touch", encoding="utf-8")
    result = on("backup", "precious")
    assert result.code == 1
    assert "exists" in result.err
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "do not touch"


def test_a_damaged_file_is_not_taken_for_a_backup(on: Any, filled: Path, tmp_path: Path) -> None:
    spoil_page(filled, "memories")
    result = on("backup", "copy.db")
    assert result.code == 1
    assert "is damaged in memories" in result.err
    assert not [entry.name for entry in tmp_path.iterdir() if "copy" in entry.name]


def test_what_can_be_read_of_a_damaged_file_is_exported_and_imported(on: Any, filled: Path, tmp_path: Path) -> None:
    spoil_page(filled, "memories")
    spoilt = digest(filled)
    assert "comis export --damaged" in on("doctor").out
    exported = on("export", "--damaged", "rescued.jsonl")
    assert exported.code == 1
    assert "rows could not be read" in exported.err
    lines = (tmp_path / "rescued.jsonl").read_text(encoding="utf-8").splitlines()
    assert 100 < len(lines) < 200
    assert f"{len(lines)} memories written" in exported.err
    assert on("import", "rescued.jsonl", "--db", "new.db").code == 0
    assert on("doctor", "--db", "new.db").code == 0
    assert digest(filled) == spoilt


def test_a_file_whose_end_is_cut_off_is_rescued(on: Any, filled: Path, tmp_path: Path) -> None:
    whole = {json.loads(line)["id"] for line in on("export").out.splitlines()}
    with filled.open("r+b") as file:
        file.truncate(filled.stat().st_size - 2 * 8192)
    cut = digest(filled)
    said = on("doctor")
    assert (said.code, "comis export --damaged" in said.out) == (1, True)
    assert "run `comis doctor`" not in said.out
    on("export", "--damaged", "rescued.jsonl")
    rescued = {json.loads(line)["id"] for line in (tmp_path / "rescued.jsonl").read_text(encoding="utf-8").splitlines()}
    assert rescued <= whole
    assert len(rescued) > 0.9 * len(whole)
    assert digest(filled) == cut


def test_a_sound_file_is_exported_whole_either_way(on: Any, filled: Path) -> None:
    plain, rescued = on("export"), on("export", "--damaged")
    assert (plain.code, rescued.code) == (0, 0)
    assert sorted(plain.out.splitlines()) == sorted(rescued.out.splitlines())


def test_a_former_models_vectors_are_dropped_on_request(on: Any, filled: Path) -> None:
    statement(filled, "INSERT INTO spaces(fingerprint, dimensions) VALUES ('former-model', 2)")
    statement(filled, "INSERT INTO vectors(space, scope, pk, part, vector) VALUES (1, 1, 7, 0, x'0000803f00000000')")
    assert on("vacuum", "--drop-space", "other-model").code == 1
    result = on("vacuum", "--drop-space", "former-model", "--json")
    assert (result.code, result.json["dropped"]) == (0, 1)
    assert statement(filled, "SELECT count(*) FROM vectors") == [(0,)]
