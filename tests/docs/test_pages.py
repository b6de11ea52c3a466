"""Every hook and every built-in has its page; every link leads somewhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from comis_core import errors, hookspecs, model, protocols, senders, specs, text
from comis_core.specs import HOOKS
from comis_core.store.views import ANNOTATION_COLUMNS, VERSION_COLUMNS

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


@pytest.mark.parametrize(
    ("begin", "end", "columns"),
    [
        ("<!-- visible -->", "<!-- visible_annotations -->", VERSION_COLUMNS),
        ("<!-- visible_annotations -->", "<!-- end -->", ANNOTATION_COLUMNS),
    ],
)
def test_every_column_of_a_view_is_documented_and_no_other(begin: str, end: str, columns: tuple[str, ...]) -> None:
    text = (DOCS / "hooks" / "reading.md").read_text(encoding="utf-8")
    part = text[text.index(begin) : text.index(end)]
    cells = re.findall(r"^\| (`.*?) \| ", part, flags=re.MULTILINE)
    assert [name for cell in cells for name in re.findall(r"`(\w+)`", cell)] == list(columns)


def test_the_public_modules_are_listed_and_all_others_closed_to_plugins() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text[text.index("| public module") : text.index("## Habits")]
    public = set(re.findall(r"`\.(\w+)`", table))
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (contract,) = [row for row in contracts if row["name"] == "Plugins import the public modules only"]
    closed = {name.removeprefix("comis_core.") for name in contract["forbidden_modules"]}
    there = {
        path.stem for path in (ROOT / "comis_core").iterdir() if path.stem[0].isalpha() and path.suffix != ".typed"
    }
    assert public | closed == there
    assert not public & closed


OF_PYTHON = {
    "AbstractContextManager",
    "Any",
    "Callable",
    "ClassVar",
    "Iterable",
    "Iterator",
    "Logger",
    "Mapping",
    "None",
    "Sequence",
}
FOR_TYPE_CHECKERS = {"Ids", "Matrix", "NDArray", "Scores"}
"""Arrays; `comis_core.model` and `.protocols` have their names while types are checked."""


def mentioned(kind: type) -> set[str]:
    """The names of types in the signatures and attributes of a class."""
    members = [kind, *vars(kind).values()]
    members += [member.fget for member in members if isinstance(member, property)]
    notes = [note for member in members for note in getattr(member, "__annotations__", {}).values()]
    return {name for note in notes for name in re.findall(r"\b[A-Z]\w+", str(note))}


@pytest.mark.parametrize("module", [protocols, specs])
def test_every_type_that_the_contract_mentions_can_be_imported_from_a_public_module(module: ModuleType) -> None:
    homes = (errors, model, protocols, senders, specs, text)
    # Some names load on first use: `__all__` has them, and that they are there is a test of its own.
    public = {name for home in homes for name in (*vars(home), *getattr(home, "__all__", ()))}
    kinds = [kind for name in module.__all__ if isinstance(kind := getattr(module, name), type)]
    names = {name for kind in kinds for name in mentioned(kind)} - OF_PYTHON - FOR_TYPE_CHECKERS
    assert {"MemoryWriter", "Snapshot"} <= names or module is specs
    assert names <= public
