"""What every contributed distribution has, since others take it as their model."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROJECTS = sorted(path.parent for path in (ROOT / "contrib").glob("*/pyproject.toml"))


def pyproject(folder: Path) -> Mapping[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


def private() -> set[str]:
    """The modules that a plugin must not import."""
    contracts = pyproject(ROOT)["tool"]["importlinter"]["contracts"]
    (contract,) = [row for row in contracts if row["name"] == "Plugins import the public modules only"]
    return set(contract["forbidden_modules"])


def imported(package: Path) -> Iterator[str]:
    """Every module that is imported, and every name that is imported from one, with dots."""
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_there_is_a_model() -> None:
    assert PROJECTS


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.name)
def test_it_imports_the_public_modules_only(folder: Path) -> None:
    package = folder / folder.name.replace("-", "_")
    found = {name for name in imported(package) if name.startswith(("comis_core", "comis_plugins"))}
    assert found
    inside = {name for name in found for closed in private() if f"{name}.".startswith(f"{closed}.")}
    assert not inside | {name for name in found if name.startswith("comis_plugins")}


@pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.name)
def test_it_has_what_a_distribution_needs(folder: Path) -> None:
    project = pyproject(folder)["project"]
    assert (project["name"], project["license"]) == (folder.name, "Apache-2.0")
    assert any(wanted.startswith("comis-core") for wanted in project["dependencies"])
    for name in ("README.md", "LICENSE", f"{folder.name.replace('-', '_')}/py.typed"):
        assert (folder / name).is_file()
    assert list((folder / "tests").glob("test_*.py"))
