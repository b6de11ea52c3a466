"""How many threads a model may have."""

from __future__ import annotations

import pytest

from comis_core.gguf.network import usable_threads


@pytest.mark.parametrize(("cores", "wanted", "threads"), [(8, 4, 4), (8, None, 7), (2, 4, 1), (1, 4, 1), (4, 9, 3)])
def test_one_core_is_left_to_the_others(
    monkeypatch: pytest.MonkeyPatch, cores: int, wanted: int | None, threads: int
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(cores)), raising=False)
    assert usable_threads(wanted) == threads
