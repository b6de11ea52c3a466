"""The second lock behind the lanes' filter."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import attrs
import numpy as np
import pytest

from comis_core.model import TRUST_CODES, Filters, Scope, Trust
from comis_core.recall import recall, why_not
from comis_core.recall.trust import trusted
from comis_core.store import Store
from tests.core.recall.conftest import Sandbox, lane, pipeline, ranking

COLUMNS = {"trust": np.array([TRUST_CODES[trust] for trust in Trust], np.int8)}


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        (None, [True, True, True]),
        ({Trust.LEARNED, Trust.SYSTEM}, [False, True, True]),
        ({Trust.EXTERNAL}, [True, False, False]),
        (set(), [False, False, False]),
    ],
)
def test_only_allowed_levels_pass(levels: set[Trust] | None, expected: list[bool]) -> None:
    filters = Filters(trust=None if levels is None else frozenset(levels))
    assert trusted(COLUMNS, filters).tolist() == expected


@attrs.frozen
class Leaking:
    """A store whose filter does not work."""

    store: Store

    def snapshot(self, scope: Scope, *, filters: Filters, **options: Any) -> AbstractContextManager[Any]:
        return self.store.snapshot(scope, filters=Filters(), **options)


def test_what_slips_through_the_first_lock_is_held_by_the_second(sandbox: Sandbox) -> None:
    learned = sandbox.remember("learned", key="k")
    external = sandbox.remember("external", key="k", trust=Trust.EXTERNAL, supersedes=(sandbox.ids[learned],))
    walked = pipeline(lane("a", ranking((external, 0.9), (learned, 0.5))))
    result = recall(walked, Leaking(sandbox.store), "where?", now=0, supervisor=sandbox.supervisor)
    assert sandbox.found(result) == [learned]
    assert result.items[0].superseded_by is None
    assert why_not(result, sandbox.ids[external]) == "its trust level is not among those that the recall may use"
