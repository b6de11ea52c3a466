"""What a look at a file, its configuration and its plugins found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs


@attrs.frozen(kw_only=True)
class Problem:
    """Something that is not as it should be.

    area: "config", "plugins", "models", "file", "truth", "index NAME", "vectors", "outbox" or "traces". remedy: what to
    do. minor: worth knowing, and nothing has to be done about it now.
    """

    area: str
    what: str
    remedy: str = ""
    minor: bool = False

    def __str__(self) -> str:
        return f"{self.area}: {self.what}"


@attrs.frozen(kw_only=True)
class Diagnosis:
    """Everything that was found, and what was mended before that."""

    path: Path | None
    """The file; None when the configuration does not say which."""
    problems: tuple[Problem, ...] = ()
    repaired: tuple[str, ...] = ()
    facts: Mapping[str, Any] = attrs.field(factory=dict)
    """Counts: of memories, tasks, spaces and so on; under "vectors" how those of a large scope are compared. Plain
    data."""

    @property
    def sound(self) -> bool:
        """Whether nothing has to be done."""
        return all(problem.minor for problem in self.problems)
