"""Commands that plugins bring: shown by name, imported when they are called."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from comis_core.cli.app import app


def _bring(folder: Path, points: str) -> None:
    about = folder / "guest-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: guest\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[comis.commands]\n{points}\n")
    (folder / "guest_command.py").write_text(
        "import click\n\n\n@click.command()\ndef wave():\n    click.echo('hello from afar')\n\n\nthing = 7\n"
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "guest_command", raising=False)
    return tmp_path


def test_help_names_the_command_and_its_distribution_without_importing_it(folder: Path) -> None:
    _bring(folder, "wave = guest_command:wave")
    shown = CliRunner().invoke(app, ["--help"])
    assert ["wave", "from", "guest"] in [line.split() for line in shown.output.splitlines()]
    assert "guest_command" not in sys.modules


def test_the_command_runs(folder: Path) -> None:
    _bring(folder, "wave = guest_command:wave")
    assert CliRunner().invoke(app, ["wave"]).output == "hello from afar\n"


def test_a_command_of_the_core_is_not_replaced(folder: Path) -> None:
    _bring(folder, "backup = guest_command:wave")
    assert "guest" not in CliRunner().invoke(app, ["--help"]).output


@pytest.mark.parametrize(
    ("point", "words"), [("wave = guest_command:thing", "is no click command"), ("wave = gone", "cannot be imported")]
)
def test_what_is_no_command_is_an_error_that_says_so(folder: Path, point: str, words: str) -> None:
    _bring(folder, point)
    done = CliRunner().invoke(app, ["wave"])
    assert done.exit_code != 0
    assert words in done.output


def test_a_distribution_that_cannot_be_read_leaves_help_as_it_is(folder: Path) -> None:
    _bring(folder, "no entry point")
    shown = CliRunner().invoke(app, ["--help"])
    assert shown.exit_code == 0
    assert "quickstart" in shown.output
