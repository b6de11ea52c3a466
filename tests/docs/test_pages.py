"""Every hook and every built-in has its page; every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from comis_core import hookspecs
from comis_core.specs import HOOKS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BUILT_INS = sorted(path.parent.name for path in (ROOT / "plugins" / "comis_plugins").glob("*/__init__.py"))
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


def test_every_hook_specification_has_a_spec_type() -> None:
    declared = {name for name in vars(hookspecs) if name.startswith("comis_")}
    assert declared == set(HOOKS)


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_a_page_with_an_example(hook: str) -> None:
    text = (DOCS / "hooks" / f"{hook}.md").read_text(encoding="utf-8")
    assert f"def {hook}()" in text
    assert HOOKS[hook].__name__ in text


@pytest.mark.parametrize("plugin", BUILT_INS)
def test_every_built_in_has_a_page_and_a_test(plugin: str) -> None:
    assert (DOCS / "plugins" / f"{plugin}.md").is_file()
    assert list((ROOT / "tests" / "plugins" / plugin).glob("test_*.py"))


@pytest.mark.parametrize("plugin", BUILT_INS)
def test_every_built_in_is_an_entry_point(plugin: str) -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'{plugin} = "comis_plugins.{plugin}"' in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert not missing
