"""What is wrong with a configuration: collected one by one, raised together."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from comis_core.config.nodes import KeyPath, Place, show_path
from comis_core.errors import ConfigError
from comis_core.model.shown import Compared


@attrs.frozen(eq=False, repr=False)
class Problem(Compared):
    """One thing that is wrong: where it was written, at which key, and what to do."""

    place: Place | None
    path: KeyPath
    message: str

    def __str__(self) -> str:
        parts = [str(self.place) if self.place else "", show_path(self.path), self.message]
        return ": ".join(part for part in parts if part)


@attrs.frozen(eq=False, repr=False)
class ConfigWarning(Compared):
    """Something that is allowed and worth a look: where it was written, at which key, and what about it."""

    place: Place
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.path}: {self.message}"


@attrs.define(eq=False, repr=False)
class Problems:
    """The problems and warnings found so far."""

    found: list[Problem] = attrs.field(factory=list)
    warnings: list[ConfigWarning] = attrs.field(factory=list)

    def add(self, place: Place | None, path: KeyPath, message: str) -> None:
        """Note one problem; the same words about the same key are noted once."""
        problem = Problem(place, path, message)
        if problem not in self.found:
            self.found.append(problem)

    def warn(self, place: Place, path: KeyPath, message: str) -> None:
        """Note something that is allowed and worth a look, once."""
        warning = ConfigWarning(place, show_path(path), message)
        if warning not in self.warnings:
            self.warnings.append(warning)

    def extend(self, others: Problems) -> None:
        """Note everything that `others` holds."""
        self.found += [problem for problem in others.found if problem not in self.found]
        self.warnings += [warning for warning in others.warnings if warning not in self.warnings]

    def __bool__(self) -> bool:
        return bool(self.found)

    def __iter__(self) -> Iterator[Problem]:
        return iter(sorted(self.found, key=_reading_order))

    def raise_any(self, source: str) -> None:
        """Raise one ConfigError with everything noted, in the order of the file; nothing noted, nothing raised."""
        if not self.found:
            return
        count = "a problem" if len(self.found) == 1 else f"{len(self.found)} problems"
        raise ConfigError(f"{count} in the configuration ({source}):", problems=[str(problem) for problem in self])


def _reading_order(problem: Problem) -> tuple[str, int, int]:
    place = problem.place or Place("")
    return place.source, place.line, place.column
