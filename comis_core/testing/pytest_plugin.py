"""Fixtures for the tests of plugins. Pytest loads this module at every start, so it imports next to nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from comis_core.testing.bench import Bench
    from comis_core.testing.benches import Benches

# So that a failing rule shows the values it compared.
pytest.register_assert_rewrite("comis_core.testing.rules")


@pytest.fixture(scope="session")
def comis_benches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Benches]:
    """What `comis_core.testing.conformance` runs its cases on."""
    from comis_core.testing.benches import Benches

    benches = Benches(tmp_path_factory.mktemp)
    yield benches
    benches.close()


@pytest.fixture
def comis_bench(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    """Opens a `Bench`: `comis_bench(plugin, config)`, as `Bench.open` without the folder."""
    from comis_core.testing.bench import Bench

    opened: list[Bench] = []

    def open_bench(plugin: str | object, config: Mapping[str, Any] | None = None) -> Bench:
        folder = tmp_path / f"comis{len(opened)}"
        folder.mkdir()
        opened.append(Bench.open(folder, plugin, config))
        return opened[-1]

    yield open_bench
    for bench in opened:
        bench.close()
