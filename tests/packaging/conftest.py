"""The distributions, built once."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _build(source: Path, kind: str, folder: Path) -> Path:
    pytest.importorskip("hatchling", reason="the session `wheel` installs what builds distributions")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(folder)],
        cwd=source, check=True, capture_output=True, text=True,
    )  # fmt: skip
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def unpacked(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution's only folder."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (inner,) = folder.iterdir()
    return inner


@pytest.fixture(scope="session")
def wheel_of_sdist(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build(unpacked, "wheel", tmp_path_factory.mktemp("rebuilt"))


def _contents(path: Path) -> Mapping[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="session")
def files(wheel: Path) -> Mapping[str, bytes]:
    """Name -> bytes of every file in the wheel."""
    return _contents(wheel)


@pytest.fixture(scope="session")
def files_of_sdist(wheel_of_sdist: Path) -> Mapping[str, bytes]:
    """Name -> bytes of every file in the wheel that the source distribution gives."""
    return _contents(wheel_of_sdist)
