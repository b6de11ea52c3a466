"""What specs offer beside their fields."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import attrs
import pytest

from comis_core.errors import PluginError
from comis_core.specs import AnalyzerSpec, ColumnSpec, PluginInfo, on_demand


def test_a_build_on_demand_imports_nothing_before_it_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part_of_a_plugin.py").write_text("def build(*given):\n    return given\n")
    monkeypatch.syspath_prepend(tmp_path)
    build = on_demand("part_of_a_plugin:build")
    assert "part_of_a_plugin" not in sys.modules
    assert build("context", "options") == ("context", "options")
    monkeypatch.delitem(sys.modules, "part_of_a_plugin")


@pytest.mark.parametrize("target", ["", "pkg.mod", "pkg.mod:", ":build", "pkg..mod:build", "pkg.mod:a.b", "a b:c", 7])
def test_a_target_that_names_no_function_is_refused_at_once(target: Any) -> None:
    with pytest.raises(PluginError, match=r"names no function of a module \(write 'package\.module:function'\)"):
        on_demand(target)


def test_a_target_is_looked_up_without_being_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part_unbuilt.py").write_text("def build(*given):\n    raise ValueError(given)\n\nnumber = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert callable(on_demand("part_unbuilt:build").resolve())
    with pytest.raises(PluginError, match="the module part_unbuilt has no function 'number'"):
        on_demand("part_unbuilt:number").resolve()
    with pytest.raises(PluginError, match="the module part_unbuilt has no function 'gone'"):
        on_demand("part_unbuilt:gone")()
    monkeypatch.delitem(sys.modules, "part_unbuilt")


def test_a_spec_without_fields_of_its_own_is_as_much_a_record_as_the_others() -> None:
    spec = AnalyzerSpec(name="mine", build=str)
    stamped = attrs.evolve(spec, plugin=PluginInfo(name="mine", distribution="mine", version="1"))
    assert type(stamped) is AnalyzerSpec
    assert stamped != spec
    assert spec == AnalyzerSpec(name="mine", build=str)
    assert spec.__eq__(ColumnSpec(name="mine", build=str)) is NotImplemented
    assert repr(spec).startswith("AnalyzerSpec(name='mine'")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        spec.order = 1  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        vars(spec)
