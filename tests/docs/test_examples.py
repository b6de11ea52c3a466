"""Every Python block in the documentation runs, page by page, in an empty folder."""

from __future__ import annotations

from pathlib import Path

import pytest

sybil = pytest.importorskip("sybil", reason="the extra [test] is not installed")

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sybil.parsers.markdown import PythonCodeBlockParser

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    document = sybil.Sybil(parsers=[PythonCodeBlockParser()]).parse(page)
    for example in document.examples():
        example.evaluate()
    assert document.text.startswith("# "), "a page begins with its title"
