from __future__ import annotations

import attrs
import pytest

from comis_core.config import CORE_SECTIONS, OwnedSection, Schema, load
from comis_core.config.nodes import show_path
from comis_core.config.reserved import RESERVED_SECTIONS
from comis_core.errors import ConfigError, PluginError
from comis_core.specs import PluginInfo, Section


def plugin(name: str) -> PluginInfo:
    return PluginInfo(name=name, distribution=f"comis-{name}", version="1.0")


@attrs.frozen
class Weight:
    weight: float = 0.5


@attrs.frozen
class Nested:
    mmr: float = 0.5


@attrs.frozen
class Lambda:
    enabled: bool = False
    lambda_: float = 0.9


@attrs.frozen
class Nothing:
    """A part without options."""


def owned(path: str, options_class: type[object], name: str, **named: bool) -> OwnedSection:
    return OwnedSection(section=Section(path, options_class), owner=plugin(name), **named)


def test_a_key_with_two_owners_is_an_error_naming_both() -> None:
    with pytest.raises(PluginError) as caught:
        Schema([owned("rag.lanes.mine", Weight, "one"), owned("rag.lanes.mine", Weight, "two")])
    assert caught.value.message == (
        "the config key rag.lanes.mine.weight has two owners: "
        "plugin 'one' (comis-one 1.0) and plugin 'two' (comis-two 1.0)"
    )
    assert "plugins.disable" in caught.value.hint


def test_a_key_of_the_core_has_its_owner() -> None:
    @attrs.frozen
    class Mine:
        max_results: int = 7

    with pytest.raises(PluginError, match=r"rag\.maxResults has two owners: the core and plugin 'mine'"):
        Schema([owned("rag", Mine, "mine")])


def test_a_key_cannot_also_be_a_group() -> None:
    with pytest.raises(PluginError, match=r"rag\.maxResults has two owners: the core and plugin 'mine'"):
        Schema([owned("rag.maxResults", Weight, "mine")])


def test_a_group_cannot_also_be_a_key() -> None:
    with pytest.raises(PluginError, match=r"rag\.mmr has two owners: plugin 'one' .* and plugin 'two'"):
        Schema([owned("rag.mmr", Lambda, "one"), owned("rag", Nested, "two")])


def test_one_path_may_hold_the_keys_of_several_plugins() -> None:
    schema = Schema([owned("rag.scoring", Weight, "one"), owned("rag.scoring", Lambda, "two")])
    config = load({"agents": {"default": {"rag": {"scoring": {"weight": 1, "lambda": 1}}}}}, schema)
    assert config.options(Section("rag.scoring", Weight)) == Weight(1.0)
    assert config.options(Section("rag.scoring", Lambda)) == Lambda(lambda_=1.0)


def test_two_parts_of_one_plugin_may_share_a_section() -> None:
    schema = Schema([owned("rag.lanes.mine", Weight, "one"), owned("rag.lanes.mine", Weight, "one")])
    assert load({}, schema).setting("rag.lanes.mine.weight") == 0.5


def test_a_plugin_takes_a_reserved_key_over() -> None:
    schema = Schema([owned("rag.mmr", Lambda, "mmr")])
    config = load({"agents": {"default": {"rag": {"mmr": {"lambda": 0.4}}}}}, schema)
    assert config.options(Section("rag.mmr", Lambda)) == Lambda(lambda_=0.4)
    assert config.setting("rag.mmr.enabled") is False
    assert config.inactive == ()


def test_a_plugin_that_takes_one_key_of_a_reserved_section_leaves_the_others() -> None:
    @attrs.frozen
    class Threshold:
        threshold: int = 7

    schema = Schema([OwnedSection(section=Section("compaction", Threshold, "engine"), owner=plugin("compaction"))])
    config = load({"memory": {"compaction": {"threshold": 9, "targetSize": 500}}}, schema)
    assert config.options(Section("compaction", Threshold, "engine")) == Threshold(9)
    assert [key.path for key in config.inactive] == ["memory.compaction.targetSize"]


def test_a_plugin_may_make_a_group_of_a_reserved_key() -> None:
    schema = Schema([owned("rag.queryUnderstanding.synonyms", Weight, "synonyms")])
    config = load({"agents": {"default": {"rag": {"queryUnderstanding": {"synonyms": {"weight": 2}}}}}}, schema)
    assert config.setting("rag.queryUnderstanding.synonyms.weight") == 2.0


def test_a_disabled_plugin_yields_its_keys_to_another() -> None:
    old = owned("rag.lanes.fts", Weight, "fts", enabled_plugin=False)
    new = owned("rag.lanes.fts", Lambda, "better"), owned("rag.lanes.fts", Weight, "better")
    config = load({"agents": {"default": {"rag": {"lanes": {"fts": {"weight": 3}}}}}}, Schema([old, *new]))
    assert config.options(new[1].section) == Weight(3.0)
    assert config.inactive == ()


def test_two_disabled_plugins_contest_nothing() -> None:
    off = [owned("rag.lanes.fts", Weight, name, enabled_plugin=False) for name in ("one", "two")]
    assert load({}, Schema(off)).setting("rag.lanes.fts.weight") == 0.5


def test_the_keys_of_a_disabled_plugin_stay_known_and_are_listed() -> None:
    schema = Schema([owned("rag.lanes.mine", Weight, "mine", enabled_plugin=False)])
    config = load({"agents": {"a": {"rag": {"lanes": {"mine": {"weight": 1}}}}}}, schema)
    (key,) = config.inactive
    assert (key.path, key.reason) == ("agents.a.rag.lanes.mine.weight", "plugin 'mine' (comis-mine 1.0) is disabled")


@pytest.mark.parametrize(
    ("data", "path", "name"),
    [
        ({"agents": {"a": {"rag": {"lanes": {"mine": {"depth": 2}}}}}}, "agents.a.rag.lanes.mine", "mine"),
        ({"memory": {"vault": {"key": 1}}}, "memory.vault", "vault"),
        ({"agents": {"a": {"rag": {"scoring": {"moodAlpha": 1}}}}}, "agents.a.rag.scoring.moodAlpha", "mood"),
    ],
)
def test_a_key_of_a_plugin_that_is_not_enabled_says_which_line_to_add(
    data: dict[str, object], path: str, name: str
) -> None:
    known = {"rag.lanes.mine": "mine", "memory.vault": "vault", "rag.scoring.moodAlpha": "mood"}
    with pytest.raises(ConfigError) as caught:
        load(data, Schema(known_disabled=known))
    (problem,) = caught.value.problems
    assert problem.startswith(f"<python>: {path}: belongs to the plugin {name!r}, which is installed but not enabled")
    assert problem.endswith(f"plugins: {{ enable: [{name}] }}")


def test_an_unknown_key_passes_with_a_warning_while_a_plugin_could_not_be_loaded() -> None:
    data = {"agents": {"a": {"rag": {"lanes": {"broken": {"depth": 2}}}}}}
    (warning,) = load(data, Schema(unavailable=["broken"])).warnings
    assert warning.path == "agents.a.rag.lanes.broken"
    assert "it may belong to the plugin 'broken', which could not be loaded" in warning.message


def test_a_mistyped_key_stays_an_error_while_a_plugin_could_not_be_loaded() -> None:
    with pytest.raises(ConfigError, match="did you mean maxResults"):
        load({"agents": {"a": {"rag": {"maxResult": 2}}}}, Schema(unavailable=["broken"]))


def test_a_key_of_a_plugin_that_is_not_enabled_stays_an_error_while_another_could_not_be_loaded() -> None:
    schema = Schema(unavailable=["broken"], known_disabled={"rag.lanes.deep": "deep"})
    with pytest.raises(ConfigError, match="belongs to the plugin 'deep'"):
        load({"agents": {"a": {"rag": {"lanes": {"deep": {"depth": 2}}}}}}, schema)


def test_a_part_without_options_has_a_group_that_must_stay_empty() -> None:
    section = Section("rag.lanes.bare", Nothing)
    schema = Schema([OwnedSection(section=section, owner=plugin("bare"))])
    assert load({"agents": {"default": {"rag": {"lanes": {"bare": {}}}}}}, schema).options(section) == Nothing()
    with pytest.raises(ConfigError, match=r"unknown key \(allowed here: nothing\)"):
        load({"agents": {"default": {"rag": {"lanes": {"bare": {"zzz": 1}}}}}}, schema)


@pytest.mark.parametrize("path", ["rag.lanes.my_lane", "rag..mine", "Rag", "rag.lanes.", "rag lanes"])
def test_a_path_that_is_not_camel_case_is_refused(path: str) -> None:
    with pytest.raises(PluginError, match=r"plugin 'mine' .*camelCase keys joined by dots"):
        Schema([owned(path, Weight, "mine")])


def test_a_level_that_does_not_exist_is_refused() -> None:
    section = Section("mine", Weight, "tenant")  # type: ignore[arg-type] # the fault under test
    with pytest.raises(PluginError, match="level is 'agent' or 'engine', not 'tenant'"):
        Schema([OwnedSection(section=section, owner=plugin("mine"))])


def test_every_faulty_section_is_reported_at_once() -> None:
    with pytest.raises(PluginError, match=r"(?s)plugin 'one'.*plugin 'two'"):
        Schema([owned("Rag", Weight, "one"), owned("rag.lanes.x", int, "two")])


def test_registration_order_changes_nothing() -> None:
    parts = [owned(f"rag.lanes.{name}", Weight, name) for name in ("one", "two", "three")]
    parts += [owned("rag.mmr", Lambda, "mmr"), owned("rag.lanes.off", Weight, "off", enabled_plugin=False)]
    data = {"agents": {"a": {"rag": {"lanes": {"two": {"weight": 4}}, "mmr": {"lambda": 1}}}}}
    forward, backward = (load(data, Schema(order)) for order in (parts, parts[::-1]))
    assert sorted(map(str, forward.effective("a"))) == sorted(map(str, backward.effective("a")))


def test_every_key_of_core_and_reserve_has_a_help_text() -> None:
    schema = Schema()
    leaves = [*schema.engine.leaves(), *schema.agent.leaves(), *schema.plugins.leaves()]
    assert [show_path(path) for path, leaf in leaves if not leaf.field.help] == []
    assert len(leaves) > len(CORE_SECTIONS) + len(RESERVED_SECTIONS)
