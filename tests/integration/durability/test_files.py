"""Files that are not what they should be: every command says so in a sentence and leaves them as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.damage import digest, spoil_page, statement
from support.processes import content, opened

from comis_core.cli.app import run
from comis_core.model import NewMemory

Spoil = Callable[[Path], None]


def no_database(path: Path) -> None:
    path.write_text("Shopping: bread, milk, tea.\n" * 500, encoding="utf-8")


def of_another_application(path: Path) -> None:
    path.unlink()
    statement(path, "CREATE TABLE notes(text)")


def of_a_newer_version(path: Path) -> None:
    statement(path, "PRAGMA user_version = 99")


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: 8192 * 3])


def without_memories(path: Path) -> None:
    spoil_page(path, "memories", 0)


def without_schema(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100] + b"\x7f" * 8000 + path.read_bytes()[8100:])


SPOILT: dict[Spoil, str] = {
    no_database: "is not an SQLite database",
    of_another_application: "is an SQLite database of another application",
    of_a_newer_version: "was written by a newer version",
    cut_off: "is damaged",
    without_memories: "is damaged",
    without_schema: "is damaged",
}
COMMANDS = [
    ("recall", "heron1"),
    ("search", "heron1"),
    ("explain", "heron1"),
    ("browse",),
    ("store", "one more"),
    ("export",),
    ("vacuum",),
    ("backup", "copy.db"),
    ("doctor",),
    ("doctor", "--repair"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "memory.db"
    with opened(made, "none") as engine:
        engine.agent().store_many([NewMemory(content=content(number, 0)) for number in range(300)])
    return made


@pytest.fixture
def comis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str]:
        code = 0
        try:
            run([*arguments, "--db", "memory.db", "--preset", "comis"])
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return call


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("spoil", SPOILT, ids=lambda spoil: spoil.__name__)
def test_a_spoilt_file_is_told_and_left_alone(path: Path, comis: Any, spoil: Spoil, command: tuple[str, ...]) -> None:
    spoil(path)
    before = digest(path)
    code, words = comis(*command)
    assert code == 1
    assert SPOILT[spoil] in words
    assert "Traceback" not in words
    assert digest(path) == before
    assert {entry.name for entry in path.parent.iterdir()} - {"memory.db-wal", "memory.db-shm"} == {"memory.db"}


def test_a_damaged_page_in_the_middle_costs_only_what_lay_on_it(path: Path) -> None:
    spoil_page(path, "fts_text_data")
    with opened(path, "none") as engine:
        answer = engine.agent().recall("heron123")
        assert "heron123 " in answer.items[0].memory.content, "the other lane answers"
        assert any("damaged" in failure.reason for failure in answer.degraded)
        assert not engine.doctor().sound
        engine.doctor(repair=True)
        assert engine.doctor().sound
        assert engine.agent().recall("heron123").degraded == ()
        engine.agent().store("one more")


def test_there_is_no_file_yet(tmp_path: Path, comis: Any) -> None:
    for command in (("backup", "copy.db"), ("doctor",)):
        code, words = comis(*command)
        assert code == 1
        assert "there is no" in words
    assert list(tmp_path.iterdir()) == []
