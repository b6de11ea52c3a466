"""What the wheel holds."""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).parents[2]
PROJECT: Mapping[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
GROUPS: Mapping[str, Mapping[str, str]] = {"console_scripts": PROJECT["scripts"], **PROJECT["entry-points"]}
ABOUT = f"comis_core-{PROJECT['version']}.dist-info"


def metadata(files: Mapping[str, bytes]) -> Any:
    from packaging.metadata import Metadata

    return Metadata.from_email(files[f"{ABOUT}/METADATA"], validate=True)


def test_the_entry_points_are_those_of_the_project(files: Mapping[str, bytes]) -> None:
    found = configparser.ConfigParser(delimiters=("=",))
    found.optionxform = str  # type: ignore[assignment]
    found.read_string(files[f"{ABOUT}/entry_points.txt"].decode())
    assert {group: dict(found[group]) for group in found.sections()} == GROUPS


@pytest.mark.parametrize("target", [target for group in GROUPS.values() for target in group.values()])
def test_every_entry_point_leads_to_a_module_in_the_wheel(files: Mapping[str, bytes], target: str) -> None:
    path = target.split(":")[0].replace(".", "/")
    assert {f"{path}.py", f"{path}/__init__.py"} & files.keys()


def test_every_source_file_is_in_the_wheel(files: Mapping[str, bytes]) -> None:
    sources = {
        path.relative_to(root).as_posix()
        for root, package in ((ROOT, "comis_core"), (ROOT / "plugins", "comis_plugins"))
        for path in (root / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in files if not name.startswith(ABOUT)} == sources


def test_the_built_ins_leave_room_for_their_package_to_be_shared(files: Mapping[str, bytes]) -> None:
    assert "comis_plugins/__init__.py" not in files


def test_the_types_are_published(files: Mapping[str, bytes]) -> None:
    assert "comis_core/py.typed" in files


def test_the_licence_is_in_the_wheel(files: Mapping[str, bytes]) -> None:
    assert files[f"{ABOUT}/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    about = metadata(files)
    assert (about.license_expression, about.license_files) == ("Apache-2.0", ["LICENSE"])


def test_the_metadata_says_what_the_project_says(files: Mapping[str, bytes]) -> None:
    about = metadata(files)
    assert (about.name, str(about.version), about.summary) == (
        PROJECT["name"], PROJECT["version"], PROJECT["description"],
    )  # fmt: skip
    assert str(about.requires_python) == PROJECT["requires-python"]
    assert about.classifiers == PROJECT["classifiers"]
    assert about.description.startswith("# comis-core")


def test_every_classifier_is_known(files: Mapping[str, bytes]) -> None:
    known = pytest.importorskip("trove_classifiers").classifiers
    assert set(metadata(files).classifiers) <= known


def test_the_classifiers_name_the_python_that_is_required(files: Mapping[str, bytes]) -> None:
    about = metadata(files)
    named = [
        words.rsplit(" ", 1)[1]
        for words in about.classifiers
        if words.startswith("Programming Language :: Python :: 3.")
    ]
    assert named
    assert all(about.requires_python.contains(version) for version in named)
    assert not about.requires_python.contains("3.10")


def test_the_extras_and_what_they_need_are_those_of_the_project(files: Mapping[str, bytes]) -> None:
    from packaging.requirements import Requirement

    about = metadata(files)
    needed = {(wanted.name.lower(), str(wanted.specifier), _extra(wanted)) for wanted in about.requires_dist}
    stated = {
        (wanted.name.lower(), str(wanted.specifier), extra)
        for extra, texts in {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}.items()
        for wanted in map(Requirement, texts)
    }
    assert set(about.provides_extra) == set(PROJECT["optional-dependencies"])
    assert needed == stated


def _extra(wanted: Any) -> str:
    return "" if wanted.marker is None else str(wanted.marker).removeprefix('extra == "').removesuffix('"')
