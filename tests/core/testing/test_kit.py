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
from comis_core.errors import ConfigError, PartInactive, PluginError
from comis_core.model import Ranking
from comis_core.specs import IndexSpec, LaneSpec
from comis_core.testing import cases, check_plugin, check_spec, conformance, make_distribution
from comis_core.testing.bench import Bench

SOURCE = """
from comis_core import hookimpl
from comis_core.model import Ranking
from comis_core.specs import IndexSpec, LaneSpec


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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a third party's distribution with the plugin `tried_quiet`."""
    folder = tmp_path_factory.mktemp("site")
    return make_distribution(folder, "quiet", plugins={"tried_quiet": "tried_quiet"}, modules={"tried_quiet": SOURCE})


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """That distribution, installed."""
    monkeypatch.syspath_prepend(str(site))
    yield
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


def test_an_inactive_part_is_no_failure(tmp_path: Path) -> None:
    def build(context: Any) -> Any:
        raise PartInactive("no model")

    plugin = types.SimpleNamespace(comis_indexes=hookimpl(lambda: [IndexSpec(name="idle", build=build)]))
    assert check_plugin(plugin, tmp_path) == {}


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


THIRD_PARTY = f"""
from comis_core.testing import conformance

test_plain = conformance("tried_quiet")
test_excused = conformance(
    "tried_quiet",
    expected_failures={{"{BREACH}": "stars are for the sky", "lane quiet: keeps to the limit": "a slip"}},
)


def test_bench(comis_bench):
    first, second = comis_bench("tried_quiet"), comis_bench("tried_quiet", {{"agents": {{"home": {{}}}}}})
    assert [spec.name for spec in first.specs()] == ["quiet"]
    assert first.store.path != second.store.path
"""
"""A third party's own tests."""


@pytest.fixture(scope="module")
def output(site: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest says of them in a process of its own."""
    folder = tmp_path_factory.mktemp("third_party")
    (folder / "test_mine.py").write_text(THIRD_PARTY)
    program = f"import sys, pytest; sys.path[:] = {[str(site), *sys.path]!r}; sys.exit(pytest.main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "-v", "-p", "no:cacheprovider", "-ra", str(folder)]
    environment = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)
    return done.stdout + done.stderr


def test_a_third_party_checks_a_plugin_with_one_line(output: str) -> None:
    assert "test_mine.py::test_plain[lane quiet: answers the same twice] PASSED" in output
    assert f"FAILED test_mine.py::test_plain[{BREACH}] - ValueError: a star" in output


def test_an_expected_failure_is_shown_with_its_reason(output: str) -> None:
    assert f"XFAIL test_mine.py::test_excused[{BREACH}] - stars are for the sky" in output


def test_an_expected_failure_that_is_none_fails(output: str) -> None:
    assert "FAILED test_mine.py::test_excused[lane quiet: keeps to the limit] - [XPASS(strict)] a slip" in output


def test_a_third_party_opens_benches_by_a_fixture(output: str) -> None:
    assert "test_mine.py::test_bench PASSED" in output


def test_pytest_does_not_pay_for_the_plugin_at_its_start() -> None:
    program = "import sys, comis_core.testing.pytest_plugin; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"numpy", "apsw", "sqlite_vec", "yaml", "regex", "comis_core.host", "comis_core.store", "comis_core.engine"}
    assert not heavy & set(loaded)
