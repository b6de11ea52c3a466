"""Run the command line as the console script does, in an empty folder and an empty home."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from comis_core.cli.app import run


@attrs.frozen
class Result:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Comis = Callable[..., Result]


@pytest.fixture
def comis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Comis:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("COMIS_CONFIG", raising=False)
    (tmp_path / "words.yaml").write_text(
        "memory:\n  recall:\n    embeddingModel: none\nagents:\n  default:\n    preset: comis\n", encoding="utf-8"
    )

    def call(*arguments: str) -> Result:
        code = 0
        try:
            run([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


@pytest.fixture
def on(comis: Comis) -> Comis:
    """The same with a config without embedder."""
    return lambda command, *rest: comis(command, *rest, "--config", "words.yaml")
