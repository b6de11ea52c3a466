"""Every built-in plugin keeps every promise of the contract."""

from __future__ import annotations

import pytest

from comis_core.host import discover
from comis_core.testing import Case, cases
from comis_core.testing.benches import Benches

BUILTINS = sorted(name for name, claims in discover().claims.items() if claims[0].builtin)


def test_the_builtins_are_installed() -> None:
    assert {"fts", "rrf", "vector"} <= set(BUILTINS)


@pytest.mark.parametrize("case", [case for name in BUILTINS for case in cases(name)], ids=str)
def test_builtin(case: Case, comis_benches: Benches) -> None:
    comis_benches.run(case)
