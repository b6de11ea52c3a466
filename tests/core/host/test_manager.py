"""Choosing, importing and asking plugins: whoever breaks the contract is named and left out, the others go on."""

from __future__ import annotations

import logging
import sys
import types
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from comis_core import hookimpl
from comis_core.config import OwnedSection, read, structure
from comis_core.errors import ConfigError, PluginError
from comis_core.host import Host, Registry
from comis_core.specs import LaneSpec, Preset, ScorerSpec

Install = Callable[..., Path]

pytestmark = pytest.mark.usefixtures("bare")


def lane(name: str, *fields: str) -> str:
    """Source of a plugin with one lane."""
    return f"""
@hookimpl
def comis_lanes():
    yield LaneSpec({", ".join([f"name={name!r}", "build=lambda context, *options: None", *fields])})
"""


OWN_SECTION = "sections=(Section('rag.lanes.own', Options),)"


def load(*enable: str, **choices: object) -> Registry:
    """The registry with these plugins enabled."""
    return Host(enable=enable, **choices).load()  # type: ignore[arg-type]


def state(registry: Registry, plugin: str) -> tuple[str, str]:
    """(state, reason) of a plugin."""
    report = registry.report(plugin)
    assert report is not None
    return report.state, report.reason


def lanes(registry: Registry) -> list[str]:
    """Names of the lanes."""
    return [spec.name for spec in registry.specs(LaneSpec)]


def owner_of(owned: OwnedSection) -> str:
    """The plugin that a section belongs to."""
    assert owned.owner is not None
    return owned.owner.name


# -- who is imported


def test_a_builtin_is_used_without_being_enabled(install: Install) -> None:
    install("Comis_Core", {"near": lane("near")})
    assert lanes(load()) == ["near"]


def test_a_third_partys_plugin_is_not_imported_until_it_is_enabled(install: Install) -> None:
    install("far-away", {"far": lane("far")})
    registry = load()
    assert state(registry, "far") == ("not enabled", "add 'far' to plugins.enable to use it")
    assert lanes(registry) == []
    assert "tried_far" not in sys.modules
    assert lanes(load("far")) == ["far"]


def test_a_disabled_builtin_contributes_its_sections_and_nothing_else(install: Install) -> None:
    install("comis-core", {"near": lane("near", OWN_SECTION)}, version="2")
    registry = load(disable=["near"])
    assert lanes(registry) == []
    assert state(registry, "near") == ("disabled", "plugins.disable names it")
    assert [(owner_of(owned), owned.section.path) for owned in registry.sections] == [("near", "rag.lanes.own")]
    assert registry.failures == ()


def test_a_disabled_builtin_that_cannot_be_imported_is_no_failure(install: Install) -> None:
    install("comis-core", {"near": "import missing_library"}, version="2")
    registry = load(disable=["near"])
    assert registry.failures == ()
    assert state(registry, "near")[0] == "disabled"


def test_disabling_beats_enabling_and_a_disabled_third_party_is_not_imported(install: Install) -> None:
    install("far-away", {"far": lane("far")})
    assert state(load("far", disable=["far"]), "far")[0] == "disabled"
    assert "tried_far" not in sys.modules


def test_a_plugin_can_be_passed_as_an_object() -> None:
    class Mine:
        @hookimpl
        def comis_lanes(self) -> list[LaneSpec]:
            return [LaneSpec(name="passed", build=lambda context: None)]

    registry = load(extra={"mine": Mine()})
    (spec,) = registry.specs(LaneSpec)
    assert spec.plugin is not None
    assert str(spec.plugin) == "plugin 'mine' (in-process unversioned)"


@pytest.mark.parametrize("key", ["enable", "disable"])
def test_a_name_that_is_not_installed_is_a_config_error_with_a_guess(install: Install, key: str) -> None:
    install("far-away", {"far_lane": lane("far")})
    with pytest.raises(
        ConfigError, match=rf"plugins.{key}\[0\]: 'fra_lane' is not installed; did you mean 'far_lane'"
    ) as caught:
        Host(**{key: ["fra_lane"]}).load()  # type: ignore[arg-type]
    assert "`comis plugins list`" in caught.value.hint


def test_a_name_that_is_not_installed_is_shown_where_the_config_says_it(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("plugins:\n  disable: []\n  enable:\n    - nothing\n    - gone\n")
    with pytest.raises(ConfigError, match=r"config.yaml:5:\d+: plugins.enable: 'gone' is not installed"):
        Host.of(read(file)).load()


def test_a_host_does_what_the_config_says(install: Install) -> None:
    install("far-away", {"far": lane("far"), "bad": "raise ValueError"})
    raw = read({"plugins": {"enable": ["far", "bad"], "disable": ["nothing"], "strict": True}})
    host = Host.of(raw, extra={"mine": types.SimpleNamespace()})
    assert lanes(host.load(tolerant=True)) == ["far"]
    assert state(host.load(tolerant=True), "mine")[0] == "active"
    with pytest.raises(PluginError, match="ValueError"):
        host.load()


def test_the_config_learns_where_options_of_idle_plugins_would_live(install: Install) -> None:
    install("far-away", {"far_away": lane("far")})
    assert load().known_disabled == {"rag.lanes.farAway": "far_away", "memory.farAway": "far_away"}
    assert load("far_away").known_disabled == {}


def test_all_names_that_are_not_installed_are_told_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        Host(enable=["one", "two"], disable=["three"]).load()
    assert len(caught.value.problems) == 3


def test_a_tolerant_load_goes_on_without_what_is_not_installed(install: Install) -> None:
    install("far-away", {"far": lane("far")})
    registry = Host(enable=["far", "gone"], strict=True).load(tolerant=True)
    assert lanes(registry) == ["far"]
    assert registry.missing == ("plugins.enable[1]: 'gone' is not installed",)


# -- stamps


def test_every_spec_says_where_it_came_from(install: Install) -> None:
    install("far-away", {"far": lane("far") + "\n@hookimpl\ndef comis_presets(): return [Preset(name='calm')]"})
    registry = load("far")
    spec, preset = registry.specs(LaneSpec)[0], registry.presets["calm"]
    assert spec.plugin == preset.plugin
    assert spec.plugin is not None
    assert (spec.plugin.name, spec.plugin.distribution, spec.plugin.version) == ("far", "far-away", "1.0")
    assert spec.plugin.module == "tried_far"
    report = registry.report("far")
    assert report is not None
    assert report.contributes == (("lane", "far"), ("preset", "calm"))


def test_stamping_leaves_the_plugins_own_spec_untouched() -> None:
    spec = LaneSpec(name="shared", build=lambda context: None)
    plugin = types.SimpleNamespace(comis_lanes=hookimpl(lambda: [spec]))
    first, second = load(extra={"one": plugin}), load(extra={"other": plugin})
    assert spec.plugin is None
    assert [str(registry.specs(LaneSpec)[0].plugin) for registry in (first, second)] == [
        "plugin 'one' (in-process unversioned)",
        "plugin 'other' (in-process unversioned)",
    ]


# -- failing imports


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("raise ValueError('no\\nluck')", "ValueError: no luck (tried_bad.py:"),
        ("import missing_library", "ModuleNotFoundError: No module named 'missing_library'"),
        ("def broken(:", "SyntaxError: invalid syntax"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("class Leave(BaseException): pass\nraise Leave('now')", "Leave: now"),
        ("import sys; sys.exit()", "SystemExit"),
        ("from comis_core.errors import ComisError\nraise ComisError('off', hint='turn it on')", "off (turn it on)"),
        ("def __dir__(): raise RuntimeError('no dir')", "RuntimeError: no dir"),
    ],
)
def test_a_plugin_that_cannot_be_imported_is_named_with_its_cause_and_the_others_go_on(
    install: Install, source: str, cause: str
) -> None:
    install("bad-one", {"bad": source}, version="0.3")
    install("far-away", {"far": lane("far")})
    registry = load("bad", "far")
    assert lanes(registry) == ["far"]
    (failure,) = registry.failures
    assert failure.plugin == "plugin 'bad' (bad-one 0.3)"
    assert failure.reason.startswith(f"entry point tried_bad: {cause}")
    assert state(registry, "bad") == ("failed", failure.reason)


def test_an_entry_point_that_names_nothing_is_a_failed_import(install: Install) -> None:
    folder = install("bad-one", {"bad": ""})
    (folder / "bad_one-1.0.dist-info" / "entry_points.txt").write_text("[comis.plugins]\nbad = tried_bad:missing\n")
    assert "AttributeError" in state(load("bad"), "bad")[1]


def test_an_interrupt_by_the_user_is_not_taken_for_a_failing_plugin(install: Install) -> None:
    install("bad-one", {"bad": "raise KeyboardInterrupt"})
    with pytest.raises(KeyboardInterrupt):
        load("bad")


def test_a_failure_is_logged_once(install: Install, caplog: pytest.LogCaptureFixture) -> None:
    install("bad-one", {"bad": "raise ValueError('no luck')"})
    with caplog.at_level(logging.WARNING):
        load("bad")
    assert [record.message for record in caplog.records if "no luck" in record.message] == [
        message for message in caplog.messages if "plugin 'bad' (bad-one 1.0)" in message
    ]
    assert len(caplog.records) == 1


def test_strict_turns_any_failure_into_an_error_that_names_all(install: Install) -> None:
    install("bad-one", {"bad": "raise ValueError('no luck')", "worse": "raise TypeError('none at all')"})
    with pytest.raises(PluginError, match=r"(?s)plugin 'bad'.*no luck.*plugin 'worse'.*none at all"):
        load("bad", "worse", strict=True)


# -- hooks


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("@hookimpl\ndef comis_lane(): return []", "there is no hook 'comis_lane'; did you mean 'comis_lanes'?"),
        ("def comis_rerankerz(): return []", "there is no hook 'comis_rerankerz'; did you mean 'comis_rerankers'?"),
        ("def comis_lanes(): return []", "comis_lanes is not marked: write @hookimpl above it"),
        ("@hookimpl\ndef lanes(): return []", "there is no hook 'lanes'"),
        ("@hookimpl(specname='comis_lans')\ndef f(): return []", "there is no hook 'comis_lans'"),
        ("@hookimpl(wrapper=True)\ndef comis_lanes():\n    return (yield)", "comis_lanes is a hook wrapper"),
        ("@hookimpl\ndef comis_lanes(config): return []", "comis_lanes(config)"),
        ("@hookimpl\ndef comis_lanes(*, config): return []", "TypeError: comis_lanes() missing 1 required"),
    ],
)
def test_a_hook_that_does_not_exist_or_takes_the_wrong_arguments_is_named(
    install: Install, source: str, reason: str
) -> None:
    install("bad-one", {"bad": source})
    install("far-away", {"far": lane("far")})
    registry = load("bad", "far")
    assert reason in state(registry, "bad")[1]
    assert lanes(registry) == ["far"]


def test_a_module_may_import_modules_whose_names_begin_with_comis(install: Install) -> None:
    install("far-away", {"far": "import comis_core\n" + lane("far")})
    assert lanes(load("far")) == ["far"]


def test_a_hook_of_another_name_and_one_for_a_later_core_are_allowed(install: Install) -> None:
    source = """
    @hookimpl(specname="comis_scorers")
    def factors():
        return [ScorerSpec(name="odd", build=lambda context: None)]

    @hookimpl(optionalhook=True)
    def comis_dreams():
        return []
    """
    install("far-away", {"far": source})
    assert [spec.name for spec in load("far").specs(ScorerSpec)] == ["odd"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("pass", "the hook returned NoneType, not an iterable of LaneSpec"),
        ("return 3", "the hook returned int, not an iterable of LaneSpec"),
        ("return 'lanes'", "the hook returned str, not an iterable of LaneSpec"),
        ("return {'a': good('a')}", "the hook returned dict, not an iterable of LaneSpec"),
        ("return good('a')", "the hook returned LaneSpec, not an iterable of LaneSpec"),
        ("return [good('a'), 'b']", "the hook returned 'b', not LaneSpec"),
        ("return [ScorerSpec(name='a', build=print)]", "not LaneSpec"),
        ("yield good('a')\n    raise OSError('half way')", "OSError: half way"),
        ("yield good('a')\n    yield good('a')", "two lane specs are named 'a'"),
        ("yield good('Big')", "the lane name 'Big' is not lower snake case"),
        ("yield good('a-b')", "the lane name 'a-b' is not lower snake case"),
        ("yield good('a', api=2)", "speaks contract version 2, this core speaks 1: it needs a newer comis-core"),
        ("yield good('a', api=0)", "version 0, this core speaks 1: it needs a newer version of the plugin"),
        ("yield good('a', order='first')", "lane 'a': order is 'first', not an integer"),
        ("yield good('a', weight=float('nan'))", "lane 'a': weight is nan, not a finite number"),
        ("yield good('a', build=None)", "lane 'a': build is NoneType, which cannot be called"),
        ("yield good('a', sections=Section('rag.lanes.a', Options))", "sections is Section("),
        ("yield good('a', migrations='CREATE TABLE x(y)')", "'CREATE TABLE x(y)', not a tuple of Migration"),
    ],
)
def test_a_hook_that_returns_something_else_is_named_and_its_plugin_left_out(
    install: Install, body: str, reason: str
) -> None:
    source = f"""
def good(name, **fields):
    return LaneSpec(**{{"name": name, "build": lambda context: None, **fields}})

@hookimpl
def comis_lanes():
    {body}
"""
    install("bad-one", {"bad": source})
    install("far-away", {"far": lane("far")})
    registry = load("bad", "far")
    assert reason in state(registry, "bad")[1]
    assert lanes(registry) == ["far"]
    assert registry.failures[0].stage == "comis_lanes"


@pytest.mark.parametrize(
    ("hook", "item", "reason"),
    [
        ("comis_scorers", "ScorerSpec(name='a', build=print, requires='b')", "requires is 'b', not a tuple of str"),
        ("comis_indexes", "IndexSpec(name='a', build=print, serves='b')", "serves is 'b', not a tuple of str"),
        ("comis_columns", "ColumnSpec(name='trust', build=print)", "the core has a column of that name"),
        ("comis_presets", "Preset(name='a', agent='rag')", "preset 'a': agent is not a mapping"),
    ],
)
def test_fields_of_other_specs_are_checked_too(install: Install, hook: str, item: str, reason: str) -> None:
    install("bad-one", {"bad": f"@hookimpl\ndef {hook}(): return [{item}]"})
    assert reason in state(load("bad"), "bad")[1]


def test_an_async_hook_is_refused_without_a_warning_about_a_forgotten_await(install: Install) -> None:
    install("bad-one", {"bad": "@hookimpl\nasync def comis_lanes(): return []"})
    assert "not a coroutine function" in state(load("bad"), "bad")[1]


def test_what_a_failing_plugin_returned_before_still_makes_its_config_readable(install: Install) -> None:
    install("bad-one", {"bad": lane("a", OWN_SECTION) + "\n@hookimpl\ndef comis_scorers(): raise ValueError"})
    registry = load("bad")
    assert lanes(registry) == []
    assert [(owner_of(owned), owned.section.path) for owned in registry.sections] == [("bad", "rag.lanes.own")]


@pytest.mark.parametrize("key", ["agents", "memory"])
def test_the_config_of_a_plugin_that_cannot_be_imported_stays_valid(install: Install, key: str) -> None:
    install("bad-one", {"bad_one": "import missing_library"})
    registry = load("bad_one")
    own = {"badOne": {"weight": 2, "words": ["a", 1.5], "deep": {"on": True, "list": []}, "none": None}}
    levels = {"agents": {"helper": {"rag": {"lanes": own}}}, "memory": own}
    config = structure(read({key: levels[key]}), registry.schema())
    assert [warning.path.rpartition(".")[2] for warning in config.warnings] == ["badOne"]


def test_the_config_of_a_plugin_that_is_not_enabled_says_what_to_write(install: Install) -> None:
    install("far-away", {"far": lane("far")})
    own = {"agents": {"helper": {"rag": {"lanes": {"far": {"weight": 2}}}}}}
    with pytest.raises(ConfigError, match=r"enable: \[far\]"):
        structure(read(own), load().schema())


def test_a_plugin_whose_own_name_is_no_identifier_is_refused(install: Install) -> None:
    folder = install("bad-one", {"bad": ""})
    (folder / "bad_one-1.0.dist-info" / "entry_points.txt").write_text("[comis.plugins]\nBad-One = tried_bad\n")
    assert "the plugin name 'Bad-One' is not lower snake case" in state(load("Bad-One"), "Bad-One")[1]


# -- taken names


def test_a_plugin_name_that_two_distributions_claim_is_unusable_and_both_are_named(install: Install) -> None:
    install("one-dist", {"same": lane("one")}, version="1.1")
    install("two-dist", {"same": lane("two")}, version="2.2")
    install("far-away", {"far": lane("far")})
    registry = load("same", "far")
    assert lanes(registry) == ["far"]
    assert state(registry, "same")[0] == "failed"
    (failure,) = registry.failures
    assert "one-dist 1.1 (tried_same)" in failure.reason
    assert "two-dist 2.2 (tried_same)" in failure.reason


def test_a_name_claimed_twice_that_nobody_asked_for_is_reported_but_no_failure(install: Install) -> None:
    install("one-dist", {"same": ""})
    install("two-dist", {"same": ""})
    registry = load()
    assert state(registry, "same")[0] == "failed"
    assert registry.failures == ()


def test_a_builtin_whose_name_is_claimed_keeps_its_sections_readable(install: Install) -> None:
    install("squatter", {"near": ""})
    install("comis-core", {"near": lane("near", OWN_SECTION)}, version="2")
    registry = load()
    assert lanes(registry) == []
    assert len(registry.failures) == 1
    assert [owned.section.path for owned in registry.sections] == ["rag.lanes.own"]


def test_of_two_specs_with_one_name_the_builtins_stays_and_both_are_named(install: Install) -> None:
    install("comis-core", {"zebra": lane("same", "order=7")}, version="2")
    install("a-dist", {"ant": lane("same") + "    yield LaneSpec(name='other', build=print)"})
    registry = load("ant")
    assert {spec.name: spec.order for spec in registry.specs(LaneSpec)} == {"same": 7, "other": 100}
    (failure,) = registry.failures
    assert failure.plugin == "plugin 'ant' (a-dist 1.0)"
    assert failure.reason == "lane 'same' is left out: plugin 'zebra' (comis-core 2) has one of that name"


def test_of_two_third_parties_specs_with_one_name_the_first_plugin_by_name_keeps_it(install: Install) -> None:
    install("a-dist", {"wasp": lane("same", "order=1")})
    install("z-dist", {"bee": lane("same", "order=2")})
    registry = load("wasp", "bee")
    assert [spec.order for spec in registry.specs(LaneSpec)] == [2]
    report = registry.report("wasp")
    assert report is not None
    assert report.state == "active"
    assert report.reason == "lane 'same' is left out: plugin 'bee' (z-dist 1.0) has one of that name"


def test_one_name_in_two_stages_is_no_conflict(install: Install) -> None:
    scorer = "@hookimpl\ndef comis_scorers(): yield ScorerSpec(name='same', build=print)"
    install("a-dist", {"ant": f"{lane('same')}\n{scorer}"})
    assert load("ant").failures == ()


def test_a_config_key_has_one_owner(install: Install) -> None:
    install("a-dist", {"ant": lane("first", OWN_SECTION)})
    install("b-dist", {"bee": lane("second", OWN_SECTION)})
    registry = load("ant", "bee")
    assert lanes(registry) == ["first"]
    (failure,) = registry.failures
    assert failure.stage == "sections"
    assert "rag.lanes.own.enabled has two owners: plugin 'ant' (a-dist 1.0) and plugin 'bee' (b" in failure.reason


def test_a_plugin_cannot_claim_a_key_of_the_core(install: Install) -> None:
    source = """
    @attrs.frozen
    class Greedy:
        max_results: int = 7
    """
    install("a-dist", {"ant": dedent(source) + lane("first", "sections=(Section('rag', Greedy),)")})
    registry = load("ant")
    assert lanes(registry) == []
    assert "rag.maxResults has two owners: the core and plugin 'ant' (a-dist 1.0)" in state(registry, "ant")[1]


def test_the_keys_of_a_disabled_builtin_yield_to_a_plugin_that_brings_them(install: Install) -> None:
    install("comis-core", {"near": lane("near", OWN_SECTION)}, version="2")
    install("a-dist", {"ant": lane("first", OWN_SECTION)})
    registry = load("ant", disable=["near"])
    assert lanes(registry) == ["first"]
    assert registry.failures == ()


@pytest.mark.parametrize(
    ("section", "reason"),
    [
        ("Section('rag.lanes.a', dict)", "dict is not an attrs class"),
        ("Section('rag.lanes.a', Bare)", "Bare.size has no default"),
        ("Section('rag.lanes.a', Options, 'planet')", "level is 'agent' or 'engine', not 'planet'"),
        ("Section('rag.lanes.my_lane', Options)", "a path is camelCase keys joined by dots"),
        ("Section(7, Options)", "AttributeError: 'int' object has no attribute 'split'"),
    ],
)
def test_a_section_that_cannot_stand_in_a_config_is_named_and_its_plugin_left_out(
    install: Install, section: str, reason: str
) -> None:
    bare = "@attrs.frozen\nclass Bare:\n    size: int\n"
    install("bad-one", {"bad": bare + lane("a", f"sections=({section},)")})
    install("far-away", {"far": lane("far", OWN_SECTION)})
    registry = load("bad", "far")
    assert lanes(registry) == ["far"]
    assert reason in state(registry, "bad")[1]


def test_one_object_cannot_be_two_plugins() -> None:
    plugin = types.SimpleNamespace(comis_lanes=hookimpl(lambda: [LaneSpec(name="a", build=print)]))
    registry = load(extra={"one": plugin, "two": plugin})
    assert lanes(registry) == ["a"]
    assert "already registered" in state(registry, "two")[1]


# -- order


def test_specs_are_sorted_by_order_and_name_whatever_the_order_of_registration(install: Install) -> None:
    sources = {
        "ant": lane("b") + "\n@hookimpl(tryfirst=True)\ndef comis_scorers(): yield ScorerSpec(name='z', build=print)",
        "bee": lane("a") + "\n@hookimpl(trylast=True)\ndef comis_scorers(): yield ScorerSpec(name='y', build=print)",
        "cat": lane("c", "order=5"),
    }
    install("forward", sources)
    forward = load("ant", "bee", "cat")
    backward = load("cat", "bee", "ant")
    assert lanes(forward) == lanes(backward) == ["c", "a", "b"]
    assert [spec.name for spec in forward.specs(ScorerSpec)] == ["y", "z"]


def test_two_hosts_share_nothing(install: Install) -> None:
    install("a-dist", {"ant": lane("a")})
    install("b-dist", {"bee": lane("b")})
    first, second = load("ant"), load("bee", disable=["ant"])
    assert (lanes(first), lanes(second)) == (["a"], ["b"])
    assert state(first, "bee")[0] == "not enabled"


# -- what the registry offers


def test_migrations_are_grouped_by_plugin_and_a_shared_one_counts_once(install: Install) -> None:
    source = """
    TABLES = (Migration("0001", "CREATE TABLE ant_x(y)"),)

    @hookimpl
    def comis_lanes():
        yield LaneSpec(name="a", build=print, migrations=TABLES)

    @hookimpl
    def comis_indexes():
        yield IndexSpec(name="a", build=print, migrations=(*TABLES, Migration("0002", "CREATE TABLE ant_z(y)")))
    """
    install("a-dist", {"ant": source})
    assert {plugin: [step.name for step in steps] for plugin, steps in load("ant").migrations().items()} == {
        "ant": ["0001", "0002"]
    }


def test_a_plugin_can_be_taken_out_after_loading(install: Install) -> None:
    install("a-dist", {"ant": lane("a", OWN_SECTION)})
    install("b-dist", {"bee": lane("b")})
    registry = load("ant", "bee").without("ant", "migrate", "its tables are newer than it knows")
    assert lanes(registry) == ["b"]
    assert state(registry, "ant") == ("failed", "its tables are newer than it knows")
    assert [str(failure) for failure in registry.failures] == [
        "plugin 'ant' (a-dist 1.0) (migrate): its tables are newer than it knows"
    ]
    assert [owner_of(owned) for owned in registry.sections] == ["ant"]


def test_presets_are_by_name() -> None:
    plugin = types.SimpleNamespace(
        comis_presets=hookimpl(lambda: [Preset(name="b", agent={"rag": {"maxResults": 3}}), Preset(name="a")])
    )
    registry = load(extra={"mine": plugin})
    assert list(registry.presets) == ["a", "b"]
    assert registry.presets["b"].agent == {"rag": {"maxResults": 3}}
