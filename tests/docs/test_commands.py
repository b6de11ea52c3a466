"""Every command in the documentation runs, page by page, for somebody who has the files that the page speaks of."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from comis_core.cli.app import run

ROOT = Path(__file__).parents[2]
PAGES = [
    path
    for path in sorted([ROOT / "README.md", *(ROOT / "docs" / "howto").glob("*.md")])
    if "```sh" in path.read_text(encoding="utf-8")
]
BEYOND = ("quickstart", "--isolate", "--drop-space")
"""Tried elsewhere: it is long, or needs a model that is no longer used."""


def commands(page: Path) -> list[list[str]]:
    """The words of each line in a page's shell blocks that begins with `comis`."""
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = [shlex.split(line, comments=True) for block in blocks for line in block.splitlines()]
    return [words[1:] for words in lines if words[:1] == ["comis"] and not set(BEYOND) & set(words)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def comis(*words: str) -> str:
        run(list(words))
        return capsys.readouterr().out

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COMIS_CONFIG", str(tmp_path / "config.yaml"))
    lines = commands(page)
    comis("init")
    names = prepared(comis)
    if ["init"] in lines:
        Path("config.yaml").unlink()
    for words in lines:
        comis(*(names.get(word, word) for word in words))
    assert lines


def prepared(comis) -> dict[str, str]:  # type: ignore[no-untyped-def]
    """A memory, an answer, two configs and a set of cases; what stands for what in the pages."""
    stored = json.loads(comis("store", "Ana lives in Lisbon.", "--json"))["id"]
    trace = json.loads(comis("recall", "Ana", "--keep-trace", "--json"))["trace_id"]
    for name in ("a.yaml", "b.yaml"):
        comis("init", name)
    case = Path("my-set/case-1")
    case.mkdir(parents=True)
    moment = "2026-03-01T09:00:00Z"
    rows = {
        "memories.jsonl": {"id": "m1", "content": "Ana lives in Lisbon.", "created_at": moment},
        "queries.jsonl": {
            "id": "q1",
            "text": "Where does Ana live?",
            "relevant": ["m1"],
            "category": "x",
            "now": moment,
        },
    }
    for name, row in rows.items():
        (case / name).write_text(json.dumps(row), encoding="utf-8")
    return {"ID": stored, "TRACE": trace}
