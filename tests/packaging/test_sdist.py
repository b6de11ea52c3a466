"""What the source distribution holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging


def test_the_source_distribution_builds_the_same_wheel(
    files: Mapping[str, bytes], files_of_sdist: Mapping[str, bytes]
) -> None:
    assert files_of_sdist == files


@pytest.mark.parametrize(
    "name",
    ["LICENSE", "README.md", "CHANGELOG.md", "noxfile.py", "pyproject.toml", "tests/packaging/test_sdist.py",
     "docs/index.md", "contrib/comis-langgraph/pyproject.toml"],
)  # fmt: skip
def test_it_holds_what_its_checks_need(unpacked: Path, name: str) -> None:
    assert (unpacked / name).is_file()


def test_it_holds_no_leftovers(unpacked: Path) -> None:
    odd = {".git", ".venv", ".nox", "__pycache__", "dist", ".mypy_cache", ".hypothesis"}
    assert not [path for path in unpacked.rglob("*") if odd & set(path.relative_to(unpacked).parts)]
