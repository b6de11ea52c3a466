"""Whether what a hook returned keeps the contract; every function raises PluginError with the one thing to change."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from comis_core.errors import PluginError
from comis_core.protocols import CORE_COLUMNS
from comis_core.specs import API_VERSION, ColumnSpec, Migration, Preset, Section, Spec

NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*")


def check_name(name: object, what: str) -> None:
    """Names of plugins and specs are lower snake case: they become config keys and table prefixes."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise PluginError(f"the {what} name {name!r} is not lower snake case, such as 'my_{what.replace(' ', '_')}'")


def check_item(item: object, kind: type[Any]) -> None:
    """An item of what a hook returned is a usable spec or preset of the type that the hook promises."""
    if not isinstance(item, kind):
        raise PluginError(f"the hook returned {item!r:.80}, not {kind.__name__}")
    check_name(item.name, f"{kind.stage.replace('_', ' ')}")
    if isinstance(item, Preset):
        check_preset(item)
    elif isinstance(item, Spec):
        check_spec(item)


def check_preset(preset: Preset) -> None:
    """A preset is two mappings of config."""
    for level in ("agent", "engine"):
        if not isinstance(getattr(preset, level), Mapping):
            raise PluginError(f"preset {preset.name!r}: {level} is not a mapping of config keys")


def check_spec(spec: Spec) -> None:
    """A spec speaks this contract's version and each of its fields has the type that it promises.

    What its sections say is checked where all of them meet (`conflicts`).
    """
    what = f"{spec.stage} {spec.name!r}"
    check_api(spec, what)
    if not callable(spec.build):
        raise PluginError(f"{what}: build is {type(spec.build).__name__}, which cannot be called")
    if isinstance(spec.order, bool) or not isinstance(spec.order, int):
        raise PluginError(f"{what}: order is {spec.order!r}, not an integer")
    check_weight(getattr(spec, "weight", 0.0), what)
    check_tuple(spec.sections, Section, what, "sections")
    check_tuple(spec.migrations, Migration, what, "migrations")
    for field in ("requires", "serves"):
        check_tuple(getattr(spec, field, ()), str, what, field)
    if isinstance(spec, ColumnSpec) and spec.name in CORE_COLUMNS:
        raise PluginError(f"{what}: the core has a column of that name")


def check_api(spec: Spec, what: str) -> None:
    """A spec of another contract version is refused, with the side that has to move."""
    if spec.api != API_VERSION or isinstance(spec.api, bool):
        newer = isinstance(spec.api, int) and spec.api > API_VERSION
        remedy = "a newer comis-core" if newer else "a newer version of the plugin"
        raise PluginError(
            f"{what} speaks contract version {spec.api!r}, this core speaks {API_VERSION}: it needs {remedy}"
        )


def check_weight(weight: object, what: str) -> None:
    """A default weight is a finite number."""
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight):
        raise PluginError(f"{what}: weight is {weight!r}, not a finite number")


def check_tuple(value: object, kind: type[Any], what: str, field: str) -> None:
    """A lone item where a tuple belongs is the usual slip; a string would even iterate."""
    if not isinstance(value, tuple) or not all(isinstance(item, kind) for item in value):
        raise PluginError(f"{what}: {field} is {value!r:.80}, not a tuple of {kind.__name__}")
