"""Parts that are built once an engine."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any

import attrs
import pytest

from comis_core import hookimpl
from comis_core.config import Config, read, structure
from comis_core.errors import PartInactive, PluginError
from comis_core.host import Host, Registry, build_extractors, build_indexes, build_validators, enabled_names
from comis_core.specs import ExpanderSpec, ExtractorSpec, IndexSpec, LaneSpec, Section, ValidatorSpec

pytestmark = pytest.mark.usefixtures("bare")


class Part:
    """An index, extractor and validator."""

    def __init__(self, context: Any, *options: Any) -> None:
        self.options, self.closed = options, 0

    def close(self) -> None:
        self.closed += 1

    def _answer(self, *arguments: Any) -> Any:
        raise AssertionError("building must not call a part")

    prepare = apply = check = clear = extract = validate = _answer


@attrs.frozen
class Options:
    """A switch and a size."""

    enabled: bool = attrs.field(default=True, metadata={"help": "Whether to use it."})
    size: int = attrs.field(default=1, metadata={"help": "A size."})


LANE_SECTION = (Section("rag.lanes.words", Options),)
LANE = LaneSpec(name="words", build=Part, sections=LANE_SECTION)


def made(*specs: Any, agents: Mapping[str, Any] | None = None, strict: bool = False) -> tuple[Registry, Config]:
    """Registry and config of one plugin with these specs."""
    by_hook: dict[str, list[Any]] = {}
    for spec in specs:
        hook = {"index": "comis_indexes", "lane": "comis_lanes", "expander": "comis_expanders"}.get(spec.stage)
        by_hook.setdefault(hook or f"comis_{spec.stage}s", []).append(spec)
    hooks = {hook: hookimpl(lambda found=found: found) for hook, found in by_hook.items()}
    registry = Host(extra={"mine": types.SimpleNamespace(**hooks)}, strict=strict).load()
    return registry, structure(read({"agents": dict(agents or {})}), registry.schema())


def lanes(**fields: Any) -> dict[str, Any]:
    """An agent whose words lane has these options."""
    return {"rag": {"lanes": {"words": fields}}}


CONTEXT: Any = types.SimpleNamespace()


@pytest.mark.parametrize(
    ("agents", "kept"),
    [
        ({}, True),
        ({"default": lanes(enabled=False)}, False),
        ({"helper": lanes(enabled=False)}, True),
        ({"default": lanes(enabled=False), "helper": lanes(enabled=True)}, True),
        ({"default": lanes(enabled=False), "helper": lanes(enabled=False)}, False),
    ],
)
def test_an_index_is_kept_up_while_any_agent_enables_what_it_serves(agents: dict[str, Any], kept: bool) -> None:
    registry, config = made(LANE, IndexSpec(name="words", build=Part, serves=("words",)), agents=agents)
    assert [index.name for index in build_indexes(registry, config, CONTEXT).parts] == (["words"] if kept else [])


def test_an_index_that_serves_nobody_installed_is_not_kept_up_and_one_without_a_list_always() -> None:
    registry, config = made(
        IndexSpec(name="idle", build=Part, serves=("missing",)),
        IndexSpec(name="always", build=Part),
        IndexSpec(name="itself", build=Part, serves=("itself",)),
    )
    assert [index.name for index in build_indexes(registry, config, CONTEXT).parts] == ["always"]


def test_an_index_serves_any_kind_of_part() -> None:
    registry, config = made(
        ExpanderSpec(name="near", build=Part), IndexSpec(name="graph", build=Part, serves=("other", "near"))
    )
    assert [index.name for index in build_indexes(registry, config, CONTEXT).parts] == ["graph"]
    assert enabled_names(registry, config) == {"near"}


def test_an_engine_part_gets_the_options_of_agents_that_the_file_does_not_name() -> None:
    index = IndexSpec(name="words", build=Part, sections=LANE_SECTION, serves=("words",))
    registry, config = made(LANE, index, agents={"default": lanes(size=7), "helper": lanes(size=9)})
    part: Any = build_indexes(registry, config, CONTEXT).parts[0].index
    assert part.options == (Options(size=7),)


def test_the_version_of_an_index_may_depend_on_its_options() -> None:
    registry, config = made(
        IndexSpec(name="a", build=Part, version="3"),
        IndexSpec(name="b", build=Part, sections=LANE_SECTION, version=lambda context, options: f"size {options.size}"),
        agents={"default": lanes(size=7)},
    )
    assert [(index.name, index.version) for index in build_indexes(registry, config, CONTEXT).parts] == [
        ("a", "3"),
        ("b", "size 7"),
    ]


def test_an_index_whose_version_raises_is_left_out_and_named() -> None:
    registry, config = made(IndexSpec(name="a", build=Part, version=lambda context: str(1 / 0)))
    built = build_indexes(registry, config, CONTEXT)
    assert built.parts == ()
    assert "version raised ZeroDivisionError" in built.degraded[0].reason


def test_extractors_follow_the_parts_they_serve() -> None:
    registry, config = made(
        LANE,
        ExtractorSpec(name="always", build=Part),
        ExtractorSpec(name="served", build=Part, serves=("words",), order=1),
        ExtractorSpec(name="idle", build=Part, serves=("missing",)),
    )
    assert [part.name for part in build_extractors(registry, config, CONTEXT).parts] == ["served", "always"]


def raising(error: Exception) -> Any:
    """A build that fails."""

    def build(context: Any) -> Any:
        raise error

    return build


def test_every_enabled_validator_is_built_and_one_that_fails_is_named() -> None:
    registry, config = made(
        ValidatorSpec(name="good", build=Part),
        ValidatorSpec(name="bad", build=raising(OSError("disk"))),
        ValidatorSpec(name="idle", build=raising(PartInactive("no word list"))),
        ValidatorSpec(name="off", build=Part, sections=LANE_SECTION),
        agents={"default": lanes(enabled=False)},
    )
    built = build_validators(registry, config, CONTEXT)
    assert [part.name for part in built.parts] == ["good"]
    assert "OSError: disk" in built.degraded[0].reason
    assert built.notes == ("validator 'idle': no word list",)


def test_under_strict_a_failing_engine_part_is_an_error_and_the_others_are_closed() -> None:
    shared = Part(None)
    registry, config = made(
        ValidatorSpec(name="a", build=lambda context: shared),
        ValidatorSpec(name="b", build=raising(OSError())),
        strict=True,
    )
    with pytest.raises(PluginError, match="'b' is left out: OSError"):
        build_validators(registry, config, CONTEXT)
    assert shared.closed == 1


def test_engine_parts_are_closed_together() -> None:
    registry, config = made(ValidatorSpec(name="a", build=Part))
    built = build_validators(registry, config, CONTEXT)
    built.close()
    part: Any = built.parts[0].part
    assert part.closed == 1
