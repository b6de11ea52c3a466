"""Benches of one test session: one a plugin for the rules that only read, a new one for each that writes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import attrs

from comis_core.errors import PartInactive
from comis_core.testing.bench import Bench
from comis_core.testing.kit import Case


@attrs.define(eq=False, repr=False)
class Benches:
    """Opens benches when they are needed. folder: makes an empty folder of a name."""

    folder: Callable[[str], Path]
    _shared: list[tuple[object, object, Bench]] = attrs.field(factory=list, init=False)

    def run(self, case: Case) -> None:
        """Check a case; a part that has nothing to work with here skips it."""
        import pytest

        try:
            if case.rule.writes:
                with closing(self._open(case)) as bench:
                    case.run(bench)
            else:
                case.run(self._bench(case))
        except PartInactive as inactive:
            pytest.skip(f"inactive: {inactive}")

    def close(self) -> None:
        """Close every shared bench."""
        shared, self._shared = self._shared, []
        for *_, bench in shared:
            bench.close()

    def _open(self, case: Case) -> Bench:
        return Bench.open(self.folder("comis"), case.plugin, case.config)

    def _bench(self, case: Case) -> Bench:
        for plugin, config, bench in self._shared:
            if (plugin is case.plugin or plugin == case.plugin) and config == case.config:
                return bench
        bench = self._open(case)
        self._shared.append((case.plugin, case.config, bench))
        return bench
