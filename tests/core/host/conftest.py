"""A bare environment for the host: real distributions in temporary folders, and only the built-ins a test installs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from comis_core.testing.distributions import make_distribution

Install = Callable[..., Path]

HEADER = """
import attrs
from comis_core import hookimpl
from comis_core.specs import *

@attrs.frozen
class Options:
    enabled: bool = attrs.field(default=True, metadata={"help": "Whether to use it."})
    weight: float = attrs.field(default=2.0, metadata={"help": "Weight in the fusion."})
"""
"""What every plugin of these tests begins with."""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a distribution: plugin name -> source of a module named after it."""
    site = tmp_path / "site"

    def put(distribution: str, plugins: Mapping[str, str], *, version: str = "1.0", prefix: str = HEADER) -> Path:
        folder = make_distribution(
            site / f"{distribution}-{version}",
            distribution,
            version=version,
            plugins={plugin: f"tried_{plugin}" for plugin in plugins},
            modules={f"tried_{plugin}": prefix + dedent(source) for plugin, source in plugins.items()},
        )
        monkeypatch.syspath_prepend(str(folder))
        return folder

    yield put
    for module in [name for name in sys.modules if name.startswith("tried_")]:
        del sys.modules[module]


@pytest.fixture
def bare(install: Install) -> Install:
    """`install`, with a distribution named as the core's before the real one, so that no real built-in is found."""
    install("comis-core", {"nothing": ""})
    return install
