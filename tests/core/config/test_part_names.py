"""Options that name parts of the pipeline: a name that no plugin offers is a problem at its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs
import pytest

from comis_core.config import Config, OwnedSection, Schema
from comis_core.specs import PluginInfo, Preset, Section

Load = Callable[..., Config]
Refuse = Callable[..., list[str]]

MINE = PluginInfo(name="mine", distribution="comis-mine", version="1.0")
PARTS = {"lane": ("words", "meaning"), "expander": ("near",)}


@attrs.frozen(kw_only=True)
class Naming:
    """Options that name parts in every way there is."""

    lane: str = attrs.field(default="absent", metadata={"help": "A lane.", "parts": ("lane",)})
    either: tuple[str, ...] = attrs.field(default=(), metadata={"help": "Parts.", "parts": ("lane", "expander")})
    factors: Mapping[str, Mapping[str, float]] = attrs.field(
        factory=dict, metadata={"help": "Factors by kind and part.", "parts": ("lane", "expander")}
    )


def schema_of(**more: Any) -> Schema:
    """A schema with one section that names parts."""
    enabled = more.pop("enabled_plugin", True)
    owned = OwnedSection(section=Section("rag.mine", Naming), owner=MINE, enabled_plugin=enabled)
    return Schema([owned], **{"parts": PARTS, **more})


def text_of(keys: str) -> str:
    """A config whose agent `a` has these keys of the section."""
    return f"agents:\n  a:\n    rag:\n      mine:\n        {keys}\n"


@pytest.mark.parametrize(
    ("keys", "where"),
    [
        ("lane: wrods", "config.yaml:5:15: agents.a.rag.mine.lane: no plugin offers a lane 'wrods'"),
        ("either: [near, wrods]", "config.yaml:5:24: agents.a.rag.mine.either[1]: no plugin offers a lane or expander"),
        ("factors: {kind: {wrods: 2}}", "config.yaml:5:26: agents.a.rag.mine.factors.kind.wrods: no plugin offers"),
    ],
)
def test_a_name_that_no_plugin_offers_is_refused_at_its_place(refuse_text: Refuse, keys: str, where: str) -> None:
    (problem,) = refuse_text(text_of(keys), schema=schema_of())
    assert problem.startswith(where)


def test_the_problem_guesses_what_was_meant_and_lists_what_there_is(refuse_text: Refuse) -> None:
    (problem,) = refuse_text(text_of("either: [wrods]"), schema=schema_of())
    assert "; did you mean words? (there are: meaning, near, words; " in problem


def test_a_part_of_another_stage_is_no_lane(refuse_text: Refuse) -> None:
    (problem,) = refuse_text(text_of("lane: near"), schema=schema_of())
    assert "no plugin offers a lane 'near' (there are: meaning, words; " in problem


def test_every_unknown_name_is_reported_at_once(refuse_text: Refuse) -> None:
    assert len(refuse_text(text_of("factors: {one: {wrods: 2, words: 1}, two: {naer: 2}}"), schema=schema_of())) == 2


@pytest.mark.parametrize("keys", ["lane: words", "lane: ''", "either: [words, near]", "factors: {kind: {near: 2}}"])
def test_names_that_some_plugin_offers_pass(load_text: Load, keys: str) -> None:
    assert load_text(text_of(keys), schema=schema_of()).warnings == ()


def test_a_default_may_name_what_is_not_there(load_text: Load) -> None:
    assert load_text("agents:\n  a: {}\n", schema=schema_of()).setting("agents.a.rag.mine.lane") == "absent"


def test_the_name_of_a_plugin_that_is_not_enabled_says_which_line_to_add(refuse_text: Refuse) -> None:
    schema = schema_of(known_disabled={"rag.lanes.deep": "deep"})
    (problem,) = refuse_text(text_of("lane: deep"), schema=schema)
    assert problem.endswith("is installed but not enabled; add it to the file: plugins: { enable: [deep] }")


def test_an_unknown_name_passes_with_a_warning_while_a_plugin_could_not_be_loaded(load_text: Load) -> None:
    (warning,) = load_text(text_of("lane: banana"), schema=schema_of(unavailable=["broken"])).warnings
    assert warning.path == "agents.a.rag.mine.lane"


@pytest.mark.parametrize("name", ["wrods", "words_de", "my_words", "words5"])
def test_a_name_like_a_known_one_passes_with_the_guess_while_a_plugin_could_not_be_loaded(
    load_text: Load, name: str
) -> None:
    (warning,) = load_text(text_of(f"lane: {name}"), schema=schema_of(unavailable=["broken"])).warnings
    assert "did you mean words?" in warning.message


def test_the_unknown_parts_of_a_preset_are_warned_of_at_its_own_path(load_text: Load) -> None:
    presets = {"mine": Preset(name="mine", agent={"rag": {"mine": {"lane": "banana"}}}, plugin=MINE)}
    text = "agents:\n  a: { preset: mine }\n  b: { preset: mine }\n"
    (warning,) = load_text(text, presets, schema=schema_of(unavailable=["broken"])).warnings
    assert str(warning).startswith("preset 'mine' of plugin 'mine' (comis-mine 1.0): rag.mine.lane: ")


def test_parts_that_a_preset_names_are_not_the_users(load_text: Load) -> None:
    presets = {"mine": Preset(name="mine", agent={"rag": {"mine": {"lane": "words", "either": ["near"]}}})}
    text = "agents:\n  a:\n    preset: mine\n    rag: { mine: { either: [meaning] } }\n"
    parts = load_text(text, presets, schema=schema_of()).named_parts("a")
    assert [(part.name, part.place.line) for part in parts] == [("meaning", 4)]


def test_a_fusion_that_no_plugin_offers_is_refused_with_every_other_problem(refuse_text: Refuse) -> None:
    schema = attrs.evolve(schema_of(), parts={**PARTS, "fusion": ("rrf", "score")})
    text = "agents:\n  a:\n    rag:\n      fusion: { method: scor }\n  b: { rag: { mine: { lane: wrods } } }\n"
    fusion, lane = refuse_text(text, schema=schema)
    assert fusion.startswith("config.yaml:4:25: agents.a.rag.fusion.method: no plugin offers a fusion 'scor'")
    assert "; did you mean score? (there are: rrf, score; " in fusion
    assert "a lane 'wrods'" in lane


def test_names_in_keys_of_a_disabled_plugin_are_not_judged(load_text: Load) -> None:
    assert load_text(text_of("lane: wrods"), schema=schema_of(enabled_plugin=False)).warnings == ()


def test_a_preset_with_an_unknown_name_is_refused_once_and_named(refuse_text: Refuse) -> None:
    presets = {"mine": Preset(name="mine", agent={"rag": {"mine": {"lane": "wrods"}}}, plugin=MINE)}
    text = "agents:\n  a: { preset: mine }\n  b: { preset: mine }\n"
    (problem,) = refuse_text(text, presets, schema=schema_of())
    assert problem.startswith("preset 'mine' of plugin 'mine' (comis-mine 1.0): rag.mine.lane: no plugin offers")
