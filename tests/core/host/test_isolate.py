"""Importing a plugin in a process of its own."""

from __future__ import annotations

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


def test_an_object_that_was_given_is_in_this_process_already() -> None:
    assert probe(discover({"mine": object()}).claims["mine"][0]) == ""
