"""Pages made from the code are as the code is."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.pages import PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_reference_page_is_up_to_date(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    wanted = PAGES[page]()
    assert page.read_text(encoding="utf-8") == wanted, "run `python tests/support/pages.py`"
