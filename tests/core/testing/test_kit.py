"""Cases of a plugin, expected failures, and the road of a third party's own test file."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comis_core import hookimpl
from comis_core.errors import ConfigError, PluginError
from comis_core.model import Ranking
from comis_core.specs import LaneSpec
from comis_core.testing import cases, check_plugin, check_spec, conformance, make_distribution
from comis_core.testing.bench import Bench

SOURCE = """
from comis_core import hookimpl
from comis_core.model import Ranking
from comis_core.specs import LaneSpec


class Quiet:
    def search(self, request):
        if request.query.text == "*":
            raise ValueError("a star")
        return Ranking.empty()


@hookimpl
def comis_lanes():
    yield LaneSpec(name="quiet", build=lambda context: Quiet())
"""
"""A lane that finds nothing and breaks at one query."""

BREACH = "lane quiet: answers any query"


class Quiet:
    """A lane that finds nothing."""

    def search(self, request: Any) -> Ranking:
        return Ranking.empty()


def quiet(build: Any = lambda context: Quiet()) -> types.SimpleNamespace:
    """A plugin with that lane."""
    return types.SimpleNamespace(comis_lanes=hookimpl(lambda: [LaneSpec(name="quiet", build=build)]))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A third party's distribution with the plugin `tried_quiet`."""
    folder = make_distribution(
        tmp_path / "site", "quiet", plugins={"tried_quiet": "tried_quiet"}, modules={"tried_quiet": SOURCE}
    )
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    sys.modules.pop("tried_quiet", None)


@pytest.mark.usefixtures("installed")
def test_an_installed_plugin_is_checked_by_its_name_without_being_enabled() -> None:
    assert BREACH in {str(case) for case in cases("tried_quiet")}


@pytest.mark.usefixtures("installed")
def test_an_installed_module_is_checked_as_the_plugin_that_it_is() -> None:
    module = __import__("tried_quiet")
    assert [str(case) for case in cases(module)] == [str(case) for case in cases("tried_quiet")]


def test_a_plugin_that_is_not_installed_is_an_error() -> None:
    with pytest.raises(ConfigError, match="'no_such_plugin' is not installed"):
        cases("no_such_plugin")


def test_a_plugin_that_cannot_be_loaded_is_an_error_with_its_cause() -> None:
    with pytest.raises(PluginError, match=r"is failed: .*ZeroDivisionError"):
        cases(types.SimpleNamespace(comis_lanes=hookimpl(lambda: 1 / 0)))


@pytest.mark.usefixtures("installed")
def test_without_pytest_every_failing_case_is_told_with_its_cause(tmp_path: Path) -> None:
    failures = check_plugin("tried_quiet", tmp_path / "benches")
    assert list(failures) == [BREACH]
    assert failures[BREACH].startswith("ValueError: a star (tried_quiet.py:")


def test_one_spec_can_be_checked_on_a_bench_of_ones_own(tmp_path: Path) -> None:
    bench = Bench.open(tmp_path, quiet())
    (spec,) = bench.specs()
    check_spec(bench, spec)
    bench.close()
    bench.close()


def test_a_spec_that_breaks_a_rule_fails_its_check(tmp_path: Path) -> None:
    bench = Bench.open(tmp_path, quiet(build=lambda context: object()))
    with pytest.raises(PluginError, match="which is no Lane"):
        check_spec(bench, bench.specs()[0])
    bench.close()


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ({BREACH: " "}, f"the expected failure '{BREACH}' needs a reason"),
        ({"lane quiet: flies": "no wings"}, "expected failures that name no case: lane quiet: flies"),
    ],
)
def test_an_expected_failure_needs_a_reason_and_a_case(expected: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        conformance(quiet(), expected_failures=expected)


def run_pytest(folder: Path, source: str, *options: str) -> str:
    """What pytest says of a test file in a folder of its own."""
    (folder / "test_mine.py").write_text(source)
    paths = [str(folder / "site"), *sys.path]
    program = f"import sys, pytest; sys.path[:] = {paths!r}; sys.exit(pytest.main(sys.argv[1:]))"
    environment = {**os.environ, "COLUMNS": "200"}
    command = [sys.executable, "-c", program, "-q", "-p", "no:cacheprovider", "-ra", *options, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)
    return done.stdout + done.stderr


HEAD = "from comis_core.testing import conformance\n"


@pytest.mark.usefixtures("installed")
def test_a_third_party_checks_a_plugin_with_one_line(tmp_path: Path) -> None:
    output = run_pytest(tmp_path, HEAD + "test_conformance = conformance('tried_quiet')")
    assert f"FAILED test_mine.py::test_conformance[{BREACH}] - ValueError: a star" in output
    assert f"1 failed, {len(cases('tried_quiet')) - 1} passed" in output


@pytest.mark.usefixtures("installed")
def test_an_expected_failure_passes_with_its_reason_and_one_that_is_none_fails(tmp_path: Path) -> None:
    expected = {BREACH: "stars are for the sky", "lane quiet: keeps to the limit": "a slip"}
    source = f"test_conformance = conformance('tried_quiet', expected_failures={expected!r})"
    output = run_pytest(tmp_path, HEAD + source)
    assert f"XFAIL test_mine.py::test_conformance[{BREACH}] - stars are for the sky" in output
    assert "[XPASS(strict)] a slip" in output
    assert f"1 failed, {len(cases('tried_quiet')) - 2} passed, 1 xfailed" in output


@pytest.mark.usefixtures("installed")
def test_the_fixture_opens_benches_and_closes_them(tmp_path: Path) -> None:
    source = """
def test_mine(comis_bench):
    first, second = comis_bench("tried_quiet"), comis_bench("tried_quiet", {"agents": {"home": {}}})
    assert [spec.name for spec in first.specs()] == ["quiet"]
    assert first.store.path != second.store.path
"""
    assert "1 passed" in run_pytest(tmp_path, source)


def test_pytest_does_not_pay_for_the_plugin_at_its_start() -> None:
    program = "import sys, comis_core.testing.pytest_plugin; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"numpy", "apsw", "sqlite_vec", "yaml", "regex", "comis_core.host", "comis_core.store", "comis_core.engine"}
    assert not heavy & set(loaded)
