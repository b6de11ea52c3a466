"""The wheel in a clean environment, without a compiler."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).parents[2]
TOOLS = "Scripts" if os.name == "nt" else "bin"


@pytest.fixture(scope="module")
def tools(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the environment's commands."""
    folder = tmp_path_factory.mktemp("clean")
    _run(sys.executable, "-m", "venv", str(folder))
    _run(str(folder / TOOLS / "python"), "-m", "pip", "install", "-q", "--only-binary=:all:", str(wheel))
    return folder / TOOLS


def _run(*command: str, folder: Path | None = None) -> str:
    clean = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "COMIS_CONFIG"}}
    ended = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_every_built_in_is_there_and_active(tools: Path, tmp_path: Path) -> None:
    rows = json.loads(_run(str(tools / "comis"), "plugins", "list", "--json", folder=tmp_path))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = dict.fromkeys(project["entry-points"]["comis.plugins"], "active")
    assert {row["name"]: row["state"] for row in rows} == wanted


def test_the_quickstart_answers_its_five_questions(tools: Path, tmp_path: Path) -> None:
    said = _run(str(tools / "comis"), "quickstart", folder=tmp_path)
    answers = re.split(r"^\? .*\?$", said, flags=re.MULTILINE)[1:]
    assert len(answers) == 5
    assert all(re.match(r"\s+0\.\d\d  ", answer) for answer in answers), said


def test_the_installed_modules_are_typed_for_their_users(tools: Path, tmp_path: Path) -> None:
    where = _run(str(tools / "python"), "-c", "import comis_core; print(comis_core.__file__)", folder=tmp_path)
    assert Path(where.strip()).with_name("py.typed").is_file()
