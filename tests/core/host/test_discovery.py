"""Discovery by metadata alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from comis_core.host.discovery import discover, normalise
from comis_core.testing.distributions import make_distribution

Install = Callable[..., Path]


def test_nothing_is_imported_to_find_a_plugin(bare: Install) -> None:
    bare("loud", {"loud": "raise SystemExit('imported')"})
    (claim,) = discover().claims["loud"]
    assert (claim.distribution, claim.version, claim.entry_point, claim.builtin) == ("loud", "1.0", "tried_loud", False)
    assert "tried_loud" not in sys.modules


def test_two_distributions_that_claim_a_name_are_both_kept_the_builtin_first(bare: Install) -> None:
    bare("a-copy", {"nothing": ""}, version="3.1")
    assert [(claim.distribution, claim.version) for claim in discover().claims["nothing"]] == [
        ("comis-core", "1.0"),
        ("a-copy", "3.1"),
    ]


def test_a_distribution_that_stands_on_the_path_twice_counts_where_it_comes_first(bare: Install) -> None:
    bare("twice", {"twice": ""}, version="1.0")
    bare("Twice", {"twice": ""}, version="2.0")
    assert [claim.version for claim in discover().claims["twice"]] == ["2.0"]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("METADATA", b"Metadata-Version: 2.1\n"),
        ("METADATA", b"\xff\xfe"),
        ("entry_points.txt", b"[comis.plugins]\nx = \xff"),
    ],
)
def test_unreadable_metadata_is_named_and_hides_no_other_plugin(bare: Install, file: str, content: bytes) -> None:
    folder = bare("broken", {"broken": ""})
    bare("sound", {"sound": ""})
    (folder / "broken-1.0.dist-info" / file).write_bytes(content)
    found = discover()
    assert "broken" not in found.claims
    assert "sound" in found.claims
    (place,) = found.unreadable
    assert place.endswith("broken-1.0.dist-info")


def test_an_object_that_the_caller_gives_is_found_beside_installed_plugins(bare: Install) -> None:
    plugin = object()
    (claim,) = discover({"mine": plugin}).claims["mine"]
    assert claim.load() is plugin
    assert claim.distribution == "in-process"


def test_an_entry_point_with_an_attribute_loads_the_attribute(
    bare: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugins, modules = {"deep": "tried_deep:Holder.plugin"}, {"tried_deep": "class Holder: plugin = 7"}
    monkeypatch.syspath_prepend(str(make_distribution(tmp_path / "x", "x", plugins=plugins, modules=modules)))
    assert discover().claims["deep"][0].load() == 7


@pytest.mark.parametrize("name", ["Comis.Core", "comis_core", "COMIS--core"])
def test_names_of_distributions_compare_as_package_indexes_do(name: str) -> None:
    assert normalise(name) == "comis-core"
