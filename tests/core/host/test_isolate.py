"""Importing a plugin in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from comis_core.host.discovery import discover
from comis_core.host.isolate import probe

Install = Callable[..., Path]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", ""),
        ("print('talks'); raise ValueError('no luck')", "entry point tried_one: ValueError: no luck"),
        ("import os; os._exit(7)", "entry point tried_one: the import ended the process with exit code 7"),
        ("import os; os._exit(0)", "entry point tried_one: the import ended the process"),
        ("import os; os.kill(os.getpid(), 9)", "entry point tried_one: the import died of SIGKILL"),
    ],
)
def test_a_plugin_is_tried_without_touching_this_process(bare: Install, source: str, reason: str) -> None:
    bare("one-dist", {"one": source})
    found = probe(discover().claims["one"][0])
    assert found.startswith(reason)
    assert bool(found) == bool(reason)
    assert "tried_one" not in sys.modules


def test_a_plugin_that_hangs_at_import_is_given_up(bare: Install) -> None:
    bare("one-dist", {"one": "while True: pass"}, prefix="")
    assert probe(discover().claims["one"][0], seconds=1.5) == "entry point tried_one: still importing after 1.5 s"


LANE = """
@hookimpl
def comis_lanes():
    return [LaneSpec(name="mine", build=on_demand("{target}"))]
"""
"""A plugin whose one lane is built on demand."""


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("def build(context): raise ValueError", "late:build", ""),
        ("import no_such_library", "late:build", "lane 'mine', late:build: ModuleNotFoundError: No module named"),
        ("def other(): pass", "late:build", "lane 'mine', late:build: the module late has no function"),
        ("import os; os._exit(7)", "late:build", "entry point tried_one: the import ended the process with exit code"),
        ("", "late", "entry point tried_one: on_demand('late') names no function of a module"),
    ],
)
def test_what_is_imported_on_demand_is_tried_too(bare: Install, source: str, target: str, reason: str) -> None:
    (bare("one-dist", {"one": LANE.format(target=target)}) / "late.py").write_text(source)
    found = probe(discover().claims["one"][0])
    assert found.startswith(reason)
    assert bool(found) == bool(reason)


def test_an_import_on_demand_that_hangs_is_given_up(bare: Install) -> None:
    (bare("one-dist", {"one": LANE.format(target="late:build")}) / "late.py").write_text("while True: pass")
    assert probe(discover().claims["one"][0], seconds=2.5) == "entry point tried_one: still importing after 2.5 s"


EXTRAS = ("tokenizers", "safetensors", "httpx", "onnxruntime", "llama_cpp", "numkong")


def test_no_built_in_needs_an_extra_to_be_importable() -> None:
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({EXTRAS!r}))\n"
        "from comis_core.host import Host\nfrom comis_core.specs import OnDemand\n"
        "builds = [spec.build for kind in Host().load().by_kind.values() for spec in kind]\n"
        "print(len([build.resolve() for build in builds if isinstance(build, OnDemand)]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    assert int(done.stdout) > 10


def test_an_object_that_was_given_is_in_this_process_already() -> None:
    assert probe(discover({"mine": object()}).claims["mine"][0]) == ""
