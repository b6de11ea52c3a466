"""A rule: one promise of a contract, as a function that fails when a part breaks it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from comis_core.testing.bench import Bench


@attrs.frozen
class Rule:
    """One promise.

    check: takes a bench and a spec; fails by AssertionError, or with whatever the part raises. writes: it changes the
    bench's store and wants one of its own.
    """

    check: Callable[[Bench, Any], None]
    writes: bool = False

    @property
    def name(self) -> str:
        """The function's name in words: "answers any query"."""
        return self.check.__name__.replace("_", " ")
