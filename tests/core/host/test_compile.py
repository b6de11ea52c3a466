"""From specs to a pipeline."""

from __future__ import annotations

import itertools
import random
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs
import pytest

from comis_core import hookimpl
from comis_core.config import Config, read, structure
from comis_core.errors import ConfigError, PartInactive, PluginError
from comis_core.host import Compiled, Host, Registry, compile_agent
from comis_core.model import Degraded, Scope, Trust
from comis_core.specs import (
    HOOKS,
    AnalyzerSpec,
    ColumnSpec,
    DiversifierSpec,
    ExpanderSpec,
    FusionSpec,
    LaneSpec,
    RerankerSpec,
    ScorerSpec,
    Section,
)

pytestmark = pytest.mark.usefixtures("bare")

SCOPE = Scope("acme", "helper")


class Part:
    """A part of every kind that remembers how it was built and whether it was closed."""

    max_candidates, min_results, timeout_ms = 40, 1, 800

    def __init__(self, context: Any, *options: Any) -> None:
        self.context, self.options, self.closed = context, options, 0

    def close(self) -> None:
        self.closed += 1

    def _answer(self, *arguments: Any, **named: Any) -> Any:
        raise AssertionError("compiling must not call a part")

    search = expand = fuse = load = factors = rerank = order = analyze = _answer


@attrs.frozen
class Options:
    """Options with a switch and a weight."""

    enabled: bool | None = attrs.field(default=True, metadata={"help": "Whether to use it."})
    weight: float | None = attrs.field(default=None, metadata={"help": "Weight."})
    stands_in_for: str = attrs.field(default="", metadata={"help": "Lane that it stands in for."})


def fresh_options() -> type[Any]:
    """An options class of its own, since every key has one owner."""
    return attrs.make_class("Own", [], bases=(Options,), frozen=True)


def section(key: str) -> tuple[Section, ...]:
    """A section at rag.<key>."""
    return (Section(f"rag.{key}", fresh_options()),)


def raising(error: BaseException) -> Callable[..., Any]:
    """A build that fails."""

    def build(context: Any, *options: Any) -> Any:
        raise error

    return build


RRF = FusionSpec(name="rrf", build=Part, default=True)


def plugin(*specs: Any) -> types.SimpleNamespace:
    """A plugin object with these specs."""
    hooks = {kind: hook for hook, kind in HOOKS.items()}
    by_hook = {hook: [spec for spec in specs if hooks[type(spec)] == hook] for hook in HOOKS}
    return types.SimpleNamespace(**{
        hook: hookimpl(lambda found=found: found) for hook, found in by_hook.items() if found
    })


def registry_of(*specs: Any, **host: Any) -> Registry:
    """A registry of one plugin `mine` with these specs."""
    return Host(extra={"mine": plugin(*specs)}, **host).load()


def config_of(registry: Registry, source: Mapping[str, Any] | None = None) -> Config:
    """A config under the registry's schema."""
    return structure(read(source or {}), registry.schema())


def compiled(*specs: Any, rag: Mapping[str, Any] | None = None, strict: bool = False, **more: Any) -> Compiled:
    """The pipeline of one agent with these `rag` keys."""
    registry = registry_of(*specs, strict=strict)
    config = config_of(registry, {"agents": {"helper": {"rag": dict(rag or {})}}})
    return compile_agent(registry, config, SCOPE, types.SimpleNamespace(), **more)


def names(parts: Iterable[Any]) -> list[str]:
    """The parts' names."""
    return [part.name for part in parts]


def reasons(degraded: Sequence[Degraded]) -> list[tuple[str, str]]:
    """(stage, reason) of each failure."""
    return [(failure.stage, failure.reason) for failure in degraded]


# -- what is in


def test_parts_stand_by_order_and_name_with_their_plugin_and_spec_weight() -> None:
    pipeline = compiled(
        RRF,
        LaneSpec(name="zeta", build=Part, order=1, weight=1.5),
        LaneSpec(name="beta", build=Part),
        LaneSpec(name="alpha", build=Part, weight=0.25),
        ExpanderSpec(name="near", build=Part, weight=-0.5),
        AnalyzerSpec(name="intent", build=Part),
    ).pipeline
    assert [(lane.name, lane.weight, lane.order) for lane in pipeline.lanes] == [
        ("zeta", 1.5, 1),
        ("alpha", 0.25, 100),
        ("beta", 1.0, 100),
    ]
    assert [(part.name, part.weight) for part in pipeline.expanders] == [("near", -0.5)]
    assert names(pipeline.analyzers) == ["intent"]
    assert {part.plugin for part in pipeline.lanes} == {"plugin 'mine' (in-process unversioned)"}
    assert pipeline.scope == SCOPE


@pytest.mark.parametrize(("options", "weight"), [({"weight": 2.5}, 2.5), ({"weight": 0}, 0.0), ({}, 1.5)])
def test_a_weight_of_the_options_wins_over_the_specs_and_zero_keeps_the_part_in(
    options: dict[str, float], weight: float
) -> None:
    spec = LaneSpec(name="near", build=Part, weight=1.5, sections=section("near"))
    assert [lane.weight for lane in compiled(RRF, spec, rag={"near": options}).pipeline.lanes] == [weight]


def test_a_part_that_is_switched_off_is_neither_built_nor_mentioned() -> None:
    spec = LaneSpec(name="near", build=raising(AssertionError("built")), sections=section("near"))
    pipeline = compiled(RRF, spec, rag={"near": {"enabled": False}}).pipeline
    assert (pipeline.lanes, pipeline.degraded, pipeline.notes) == ((), (), ())


def test_build_receives_the_context_and_one_options_object_a_section_in_their_order() -> None:
    first, second = section("first")[0], Section("near", fresh_options(), "engine")
    registry = registry_of(RRF, LaneSpec(name="near", build=Part, sections=(first, second)))
    config = config_of(
        registry, {"memory": {"near": {"weight": 3}}, "agents": {"helper": {"rag": {"first": {"weight": 4}}}}}
    )
    context = types.SimpleNamespace()
    part: Any = compile_agent(registry, config, SCOPE, context).pipeline.lanes[0].part
    assert part.context is context
    assert [options.weight for options in part.options] == [4, 3]


def test_settings_come_from_the_agents_keys() -> None:
    rag = {
        "enabled": False, "maxResults": 7, "maxContextChars": 0, "minScore": 0.4, "includeTrustLevels": ["system"],
        "deadlineMs": 10, "conflict": {"functionalPredicates": ["lives in"]},
    }  # fmt: skip
    settings = compiled(RRF, rag=rag).pipeline.settings
    assert (settings.enabled, settings.max_results, settings.max_context_chars) == (False, 7, 0)
    assert (settings.min_score, settings.include_trust_levels, settings.deadline_ms) == (0.4, (Trust.SYSTEM,), 10)
    assert settings.functional_predicates == ("lives in",)


def test_two_agents_of_one_config_have_pipelines_of_their_own() -> None:
    registry = registry_of(RRF, LaneSpec(name="near", build=Part, sections=section("near")))
    config = config_of(registry, {"agents": {"one": {"rag": {"near": {"enabled": False}}}, "two": {}}})
    pipelines = [
        compile_agent(registry, config, Scope("t", agent), types.SimpleNamespace()).pipeline
        for agent in ("one", "two", "unnamed")
    ]
    assert [names(pipeline.lanes) for pipeline in pipelines] == [[], ["near"], ["near"]]


def test_two_engines_with_two_configs_share_nothing() -> None:
    specs = (RRF, LaneSpec(name="near", build=Part, sections=section("near")))
    first, second = compiled(*specs, rag={"near": {"weight": 1}}), compiled(*specs, rag={"near": {"weight": 9}})
    first.close()
    assert [each.pipeline.lanes[0].weight for each in (first, second)] == [1, 9]
    assert [each.pipeline.lanes[0].part.closed for each in (first, second)] == [1, 0]  # type: ignore[attr-defined]


# -- what is left out


@pytest.mark.parametrize("switch", [None, True])
def test_a_part_with_nothing_to_work_with_is_a_note_and_nothing_is_degraded(switch: bool | None) -> None:
    spec = LaneSpec(
        name="near", build=raising(PartInactive("no embedder", hint="install one")), sections=section("near")
    )
    pipeline = compiled(RRF, spec, rag={"near": {"enabled": switch}}, strict=True).pipeline
    assert (pipeline.lanes, pipeline.degraded) == ((), ())
    assert pipeline.notes == ("lane 'near': no embedder (install one)",)


@pytest.mark.parametrize(
    ("error", "cause"),
    [(ValueError("bad"), "ValueError: bad"), (SystemExit(1), "SystemExit: 1"), (PluginError("mine"), "mine")],
)
def test_a_part_that_cannot_be_built_is_named_and_the_others_go_on(error: BaseException, cause: str) -> None:
    pipeline = compiled(RRF, LaneSpec(name="bad", build=raising(error)), LaneSpec(name="good", build=Part)).pipeline
    assert names(pipeline.lanes) == ["good"]
    (failure,) = pipeline.degraded
    assert (failure.plugin, failure.stage) == ("plugin 'mine' (in-process unversioned)", "lane")
    assert failure.reason.startswith(f"'bad' is left out: {cause}")


@pytest.mark.parametrize("returned", [None, 7, object(), Part])
def test_a_build_that_returns_something_else_is_named(returned: object) -> None:
    spec = LaneSpec(name="bad", build=lambda context: returned if returned is not Part else types.SimpleNamespace())
    (failure,) = compiled(RRF, spec).pipeline.degraded
    assert "which is no Lane" in failure.reason


def test_an_interrupt_while_building_reaches_the_caller_and_closes_what_was_built() -> None:
    built: list[Part] = []

    def build(context: Any) -> Part:
        built.append(Part(context))
        return built[-1]

    with pytest.raises(KeyboardInterrupt):
        compiled(
            FusionSpec(name="f", build=build, default=True), LaneSpec(name="x", build=raising(KeyboardInterrupt()))
        )
    assert [part.closed for part in built] == [1]


def test_under_strict_a_part_that_cannot_be_built_is_an_error_and_what_was_built_is_closed() -> None:
    built: list[Part] = []

    def build(context: Any) -> Part:
        built.append(Part(context))
        return built[-1]

    with pytest.raises(PluginError, match=r"plugins.strict is on.*\n.*'bad' is left out: OSError"):
        compiled(RRF, LaneSpec(name="a", build=build), LaneSpec(name="bad", build=raising(OSError())), strict=True)
    assert [part.closed for part in built] == [1]


def test_what_failed_before_is_repeated_by_every_recall() -> None:
    earlier = Degraded(plugin="plugin 'x'", stage="index", reason="broken")
    pipeline = compiled(RRF, degraded=[earlier], notes=["no embedder"]).pipeline
    assert (pipeline.degraded, pipeline.notes) == ((earlier,), ("no embedder",))


def test_a_plugin_that_could_not_be_imported_degrades_every_pipeline() -> None:
    class Bad:
        @hookimpl
        def comis_lanes(self) -> Any:
            raise ValueError("no luck")

    registry = Host(extra={"mine": plugin(RRF), "bad": Bad()}).load()
    pipeline = compile_agent(registry, config_of(registry), SCOPE, types.SimpleNamespace()).pipeline
    assert pipeline.degraded == registry.failures
    assert "no luck" in pipeline.degraded[0].reason


# -- columns


def test_only_columns_that_a_scorer_requires_are_built() -> None:
    pipeline = compiled(
        RRF,
        ColumnSpec(name="used", build=Part),
        ColumnSpec(name="unused", build=raising(AssertionError("built"))),
        ScorerSpec(name="first", build=Part, requires=("used", "created_at")),
        ScorerSpec(name="second", build=Part, requires=("used",)),
    ).pipeline
    assert names(pipeline.columns) == ["used"]
    assert [(scorer.name, scorer.requires) for scorer in pipeline.scorers] == [
        ("first", ("used", "created_at")),
        ("second", ("used",)),
    ]
    assert pipeline.degraded == ()


@pytest.mark.parametrize(
    ("column", "stage_reasons"),
    [
        ((), [("scorer", "'a' is left out: it needs the column 'gone', which no enabled plugin offers")]),
        (
            (ColumnSpec(name="gone", build=Part, sections=section("gone")),),
            [("scorer", "'a' is left out: it needs the column 'gone', which no enabled plugin offers")],
        ),
    ],
)
def test_a_scorer_without_its_column_is_left_out_and_named(
    column: tuple[ColumnSpec, ...], stage_reasons: list[tuple[str, str]]
) -> None:
    rag = {"gone": {"enabled": False}} if column else {}
    scorers = [ScorerSpec(name="a", build=Part, requires=("gone",)), ScorerSpec(name="b", build=Part)]
    pipeline = compiled(RRF, *column, *scorers, rag=rag).pipeline
    assert names(pipeline.scorers) == ["b"]
    assert reasons(pipeline.degraded) == stage_reasons


def test_a_column_that_cannot_be_built_takes_its_scorer_along() -> None:
    column = ColumnSpec(name="gone", build=raising(OSError("disk")))
    pipeline = compiled(RRF, column, ScorerSpec(name="a", build=Part, requires=("gone",))).pipeline
    assert [failure.stage for failure in pipeline.degraded] == ["column", "scorer"]
    assert pipeline.scorers == ()


def test_an_inactive_column_makes_its_scorer_inactive() -> None:
    column = ColumnSpec(name="gone", build=raising(PartInactive("nothing learned yet")))
    pipeline = compiled(RRF, column, ScorerSpec(name="a", build=Part, requires=("gone",))).pipeline
    assert pipeline.degraded == ()
    assert pipeline.notes == (
        "column 'gone': nothing learned yet",
        "scorer 'a': it needs the column 'gone', which is inactive",
    )


def test_a_column_whose_only_scorer_failed_is_not_loaded() -> None:
    pipeline = compiled(
        RRF, ColumnSpec(name="c", build=Part), ScorerSpec(name="a", build=raising(OSError()), requires=("c",))
    ).pipeline
    assert pipeline.columns == ()


# -- one of several


@pytest.mark.parametrize("kind", [RerankerSpec, DiversifierSpec])
def test_of_rerankers_and_diversifiers_the_first_that_can_be_built_is_used(kind: Any) -> None:
    pipeline = compiled(
        RRF,
        kind(name="d", build=raising(AssertionError("built without need"))),
        kind(name="c", build=Part),
        kind(name="b", build=raising(PartInactive("no model"))),
        kind(name="a", build=raising(OSError("disk"))),
    ).pipeline
    used = pipeline.reranker if kind is RerankerSpec else pipeline.diversifier
    assert used is not None
    assert used.name == "c"
    assert len(pipeline.degraded) == len(pipeline.notes) == 1


def test_without_a_reranker_and_a_diversifier_there_is_none() -> None:
    pipeline = compiled(RRF).pipeline
    assert (pipeline.reranker, pipeline.diversifier) == (None, None)


SCORE = FusionSpec(name="score", build=Part)


def test_the_default_fusion_is_used_unless_another_is_named() -> None:
    assert compiled(RRF, SCORE).pipeline.fusion.name == "rrf"
    assert compiled(RRF, SCORE, rag={"fusion": {"method": "score"}}).pipeline.fusion.name == "score"


def test_an_unknown_fusion_is_a_config_error_with_place_guess_and_list() -> None:
    with pytest.raises(
        ConfigError, match=r"rag.fusion.method: no plugin offers a fusion 'scor'; did you mean score\?.*rrf, score"
    ):
        compiled(RRF, SCORE, rag={"fusion": {"method": "scor"}})


def test_several_default_fusions_are_an_error_that_names_them_until_one_is_chosen() -> None:
    other = FusionSpec(name="other", build=Part, default=True)
    with pytest.raises(ConfigError, match=r"several fusions are the default: other of plugin 'mine'.*, rrf of plugin"):
        compiled(RRF, other)
    assert compiled(RRF, other, rag={"fusion": {"method": "other"}}).pipeline.fusion.name == "other"


def test_without_a_default_fusion_one_has_to_be_named() -> None:
    with pytest.raises(ConfigError, match=r"no fusion is the default: score of .*set rag.fusion.method"):
        compiled(SCORE)


def test_no_fusion_at_all_is_an_error() -> None:
    with pytest.raises(PluginError, match="no fusion can be used"):
        compiled(LaneSpec(name="a", build=Part))


def test_a_named_fusion_that_cannot_be_built_is_replaced_by_the_default_and_named() -> None:
    bad = FusionSpec(name="bad", build=raising(OSError("disk")))
    pipeline = compiled(RRF, bad, rag={"fusion": {"method": "bad"}}).pipeline
    assert pipeline.fusion.name == "rrf"
    assert pipeline.degraded[0].reason.startswith("'bad' is left out: OSError: disk")


def test_a_default_fusion_that_cannot_be_built_is_an_error_with_the_cause() -> None:
    with pytest.raises(PluginError, match=r"no fusion can be used: .*OSError: disk"):
        compiled(FusionSpec(name="bad", build=raising(OSError("disk")), default=True))


def test_a_fusion_whose_plugin_failed_is_replaced_by_the_default_and_named() -> None:
    bad = types.SimpleNamespace(comis_fusions=hookimpl(lambda: 1 / 0))
    registry = Host(extra={"mine": plugin(RRF), "bad": bad}).load()
    config = config_of(registry, {"agents": {"helper": {"rag": {"fusion": {"method": "clever"}}}}})
    pipeline = compile_agent(registry, config, SCOPE, types.SimpleNamespace()).pipeline
    assert pipeline.fusion.name == "rrf"
    assert "no plugin that works offers 'clever'" in pipeline.degraded[-1].reason


# -- closing


def test_closing_closes_every_part_once_however_often_it_is_called() -> None:
    shared = Part(None)
    result = compiled(
        RRF,
        LaneSpec(name="a", build=Part),
        LaneSpec(name="b", build=lambda c: shared),
        ScorerSpec(name="c", build=lambda c: shared),
    )
    result.close()
    result.close()
    parts: list[Any] = [result.pipeline.fusion.part, result.pipeline.lanes[0].part, shared]
    assert [part.closed for part in parts] == [1, 1, 1]


def test_a_part_that_cannot_be_closed_does_not_keep_the_others_open(caplog: pytest.LogCaptureFixture) -> None:
    class Stuck(Part):
        def close(self) -> None:
            raise OSError("stuck")

    result = compiled(RRF, LaneSpec(name="a", build=Part), LaneSpec(name="b", build=Stuck))
    result.close()
    part: Any = result.pipeline.lanes[0].part
    assert part.closed == 1
    assert "closing Stuck failed: OSError: stuck" in caplog.text


def test_parts_without_close_are_fine(caplog: pytest.LogCaptureFixture) -> None:
    lane = types.SimpleNamespace(search=lambda request: None)
    result = compiled(RRF, LaneSpec(name="a", build=lambda context: lane))
    result.close()
    assert result.pipeline.lanes[0].part is lane
    assert caplog.records == []


# -- order of registration


def test_shuffled_registration_gives_an_identical_pipeline() -> None:
    specs = [
        RRF,
        *(
            LaneSpec(name=f"lane_{letter}", build=Part, order=order)
            for letter, order in zip("dbac", (5, 5, 9, 1), strict=True)
        ),
        *(ExpanderSpec(name=f"expander_{letter}", build=Part) for letter in "zyx"),
        *(ScorerSpec(name=f"scorer_{letter}", build=Part, requires=(f"column_{letter}",)) for letter in "nm"),
        *(ColumnSpec(name=f"column_{letter}", build=Part) for letter in "nm"),
        *(DiversifierSpec(name=name, build=Part) for name in ("two", "one")),
        *(RerankerSpec(name=name, build=Part) for name in ("two", "one")),
        *(AnalyzerSpec(name=name, build=Part) for name in ("two", "one")),
    ]
    dice = random.Random(7)
    described = []
    for _ in range(12):
        dice.shuffle(specs)
        owners = {spec.name + spec.stage: "abc"[sum(map(ord, spec.name + spec.stage)) % 3] for spec in specs}
        plugins = [
            (owner, plugin(*(s for s in specs if owners[s.name + s.stage] == owner))) for owner in set(owners.values())
        ]
        dice.shuffle(plugins)
        registry = Host(extra=dict(plugins)).load()
        pipeline = compile_agent(registry, config_of(registry), SCOPE, types.SimpleNamespace()).pipeline
        described.append((pipeline.describe(), names(pipeline.columns)))
    assert len(described[0][0]) == len(specs) - 4
    assert all(one == other for one, other in itertools.pairwise(described))


def test_a_lane_may_stand_in_for_another() -> None:
    specs = LaneSpec(name="words", build=Part), LaneSpec(name="near", build=Part, sections=section("near"))
    pipeline = compiled(RRF, *specs, rag={"near": {"standsInFor": "words"}}).pipeline
    assert {lane.name: lane.stands_in_for for lane in pipeline.lanes} == {"words": "", "near": "words"}
    assert pipeline.notes == ()


def test_standing_in_for_something_that_is_no_lane_is_said() -> None:
    pipeline = compiled(
        RRF, LaneSpec(name="near", build=Part, sections=section("near")), rag={"near": {"standsInFor": "wrods"}}
    ).pipeline
    assert len(pipeline.notes) == 1
    assert "'wrods', which no plugin offers" in pipeline.notes[0]


def test_a_lane_that_stands_in_for_itself_is_refused() -> None:
    near = LaneSpec(name="near", build=Part, sections=section("near"))
    with pytest.raises(ConfigError, match=r"rag\.near\.standsInFor: the lane 'near' cannot stand in for itself"):
        compiled(RRF, near, rag={"near": {"standsInFor": "near"}})
