"""The conformance kit: every promise of the contract as a test case, run over a plugin's own specs.

In the tests of a plugin, one line:

    from comis_core.testing import conformance

    test_conformance = conformance("my_plugin")

makes one pytest case a spec and rule. A rule that a plugin cannot keep is named with the reason why:

    conformance("my_plugin", expected_failures={"lane mine: answers the same twice": "asks a remote service"})
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from comis_core.errors import PartInactive
from comis_core.host.guard import describe
from comis_core.specs import Preset, Spec
from comis_core.testing.bench import Bench, load_plugin
from comis_core.testing.rules import Rule, rules_for

if TYPE_CHECKING:
    import pytest


@attrs.frozen
class Case:
    """One rule for one spec of a plugin. Its name is "stage spec: rule"."""

    plugin: str | object
    stage: str
    spec: str
    rule: Rule
    config: Mapping[str, Any] | None = None

    def __str__(self) -> str:
        return f"{self.stage.replace('_', ' ')} {self.spec}: {self.rule.name}"

    def run(self, bench: Bench) -> None:
        """Check the rule on a bench of this plugin.

        Raises:
            AssertionError, ContractError, or what the part raises: the rule is broken.
            PartInactive: the part has nothing to work with here, so the rule cannot be checked.
        """
        found = next(spec for spec in bench.specs() if (spec.stage, spec.name) == (self.stage, self.spec))
        self.rule.check(bench, found)


def cases(plugin: str | object, config: Mapping[str, Any] | None = None) -> list[Case]:
    """Every case of a plugin, in the order of its stages.

    Args:
        plugin: the name of an installed plugin, or a module or object with hook implementations.
        config: what a config.yaml would say, for parts that need something (a model) to work with.

    Raises:
        PluginError: the plugin cannot be loaded.
    """
    name, registry = load_plugin(plugin)
    own = registry.contributions(name)
    return [Case(plugin, spec.stage, spec.name, rule, config) for spec in own for rule in rules_for(spec)]


def check_spec(bench: Bench, spec: Spec | Preset) -> None:
    """Check every rule of one spec, those that write last; for a test of one's own over a bench of one's own."""
    for rule in sorted(rules_for(spec), key=lambda rule: rule.writes):
        rule.check(bench, spec)


def check_plugin(plugin: str | object, folder: Path, config: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Check every case of a plugin without pytest, each on a bench of its own.

    Args:
        plugin, config: as for `cases`.
        folder: where the benches' files go; made when missing.

    Returns:
        Case -> what went wrong, for the cases that failed; a part that is inactive here counts as passed.
    """
    failures: dict[str, str] = {}
    for number, case in enumerate(cases(plugin, config)):
        place = folder / str(number)
        place.mkdir(parents=True)
        try:
            with closing(Bench.open(place, plugin, config)) as bench:
                case.run(bench)
        except PartInactive:
            continue
        except Exception as error:  # noqa: BLE001 - whatever a part raises is what is wrong with it
            failures[str(case)] = describe(error)
    return failures


def conformance(
    plugin: str | object,
    *,
    config: Mapping[str, Any] | None = None,
    expected_failures: Mapping[str, str] | None = None,
) -> Callable[..., None]:
    """A parametrised pytest test over every case of a plugin; give it a name that begins with `test_`.

    Args:
        plugin, config: as for `cases`.
        expected_failures: case -> why the plugin cannot keep it. The case has to fail: one that passes is an error.

    Raises:
        PluginError: the plugin cannot be loaded.
        ValueError: an expected failure has no reason, or names no case of the plugin.
    """
    import pytest

    found = cases(plugin, config)
    parameters = list(_parameters(found, dict(expected_failures or {})))

    def test_conformance(comis_case: Case, comis_benches: Any) -> None:
        comis_benches.run(comis_case)

    made: Callable[..., None] = pytest.mark.parametrize("comis_case", parameters)(test_conformance)
    return made


def _parameters(found: list[Case], expected: dict[str, str]) -> Iterator[Any]:
    import pytest

    unknown = sorted(set(expected) - {str(case) for case in found})
    if unknown:
        raise ValueError(f"expected failures that name no case: {', '.join(unknown)}")
    for case in found:
        marks: list[pytest.MarkDecorator] = []
        if str(case) in expected:
            if not expected[str(case)].strip():
                raise ValueError(f"the expected failure {str(case)!r} needs a reason")
            marks.append(pytest.mark.xfail(strict=True, reason=expected[str(case)]))
        yield pytest.param(case, id=str(case), marks=marks)
