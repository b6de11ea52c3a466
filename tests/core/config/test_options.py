"""What an options class of a plugin may be made of, and how strictly it is read."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Literal

import attrs
import pytest
from attrs.validators import deep_iterable, ge, in_, le, matches_re, max_len, optional

from comis_core.config import Config, OwnedSection, Schema, json_schema, load
from comis_core.errors import ConfigError, PluginError
from comis_core.specs import PluginInfo, Section

OWNER = PluginInfo(name="mine", distribution="comis-mine", version="1.2")


class Colour(enum.StrEnum):
    RED = "red"
    GREEN = "green"


@attrs.frozen
class Limits:
    low: int = attrs.field(default=0, validator=ge(0))
    high: int = attrs.field(default=10, metadata={"help": "The upper end."})

    def __attrs_post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"low ({self.low}) is above high ({self.high})")


@attrs.frozen
class Options:
    colour: Colour = Colour.RED
    level: Literal["auto", 1, 2, None] = "auto"
    names: tuple[str, ...] = ()
    counts: list[int] = attrs.field(factory=list)
    unique: frozenset[str] = frozenset()
    ordered: Sequence[float] = ()
    weights: Mapping[str, float] = attrs.field(factory=dict)
    groups: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    limits: Limits = attrs.field(factory=Limits)
    synonyms: bool | Mapping[str, tuple[str, ...]] = True
    ceiling: float | None = attrs.field(default=None, validator=optional(le(5)))
    lambda_: float = 0.5
    code: str = attrs.field(default="a1", validator=[matches_re(r"[a-z]\d"), max_len(2)])
    odd_numbers: tuple[int, ...] = attrs.field(default=(), validator=deep_iterable(in_([1, 3, 5])))


SECTION = Section("rag.lanes.mine", Options)


@pytest.fixture
def schema() -> Schema:
    return Schema([OwnedSection(section=SECTION, owner=OWNER)])


def given(schema: Schema, values: Mapping[str, Any]) -> Config:
    return load({"agents": {"default": {"rag": {"lanes": {"mine": values}}}}}, schema)


def problems(schema: Schema, values: Mapping[str, Any]) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        given(schema, values)
    head = "<python>: agents.default.rag.lanes.mine"
    assert all(problem.startswith(head) for problem in caught.value.problems)
    return [problem.removeprefix(head) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("key", "value", "attribute", "held"),
    [
        ("colour", "green", "colour", Colour.GREEN),
        ("level", 2, "level", 2),
        ("level", None, "level", None),
        ("names", ["a", "b"], "names", ("a", "b")),
        ("counts", [1, 2], "counts", [1, 2]),
        ("unique", ["a", "a"], "unique", frozenset({"a"})),
        ("ordered", [1, 2.5], "ordered", (1.0, 2.5)),
        ("weights", {"fts": 1}, "weights", {"fts": 1.0}),
        ("groups", {"a": ["b", "c"]}, "groups", {"a": ("b", "c")}),
        ("limits", {"low": 3}, "limits", Limits(low=3)),
        ("synonyms", False, "synonyms", False),
        ("synonyms", {"car": ["auto"]}, "synonyms", {"car": ("auto",)}),
        ("ceiling", None, "ceiling", None),
        ("ceiling", 4, "ceiling", 4.0),
        ("lambda", 1, "lambda_", 1.0),
    ],
)
def test_a_value_of_each_type_arrives(schema: Schema, key: str, value: Any, attribute: str, held: Any) -> None:
    assert getattr(given(schema, {key: value}).options(SECTION), attribute) == held


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("colour", "blue", ".colour: must be one of red, green"),
        ("level", True, ".level: must be one of auto, 1, 2, none, not true (a truth value)"),
        ("level", "2", ".level: must be one of auto, 1, 2, none"),
        ("names", "ab", ".names: must be a list"),
        ("counts", [1, True, 2.0], ".counts[1]: must be a whole number, not true (a truth value)"),
        ("unique", ["a", 1], ".unique[1]: must be text"),
        ("weights", {"fts": "1"}, ".weights.fts: must be a number"),
        ("groups", {"a": "b"}, ".groups.a: must be a list"),
        ("groups", {"a": [1]}, ".groups.a[0]: must be text"),
        ("limits", {"lowest": 1}, ".limits.lowest: unknown key; did you mean low? (allowed here: high, low)"),
        ("limits", {"low": -1}, ".limits.low: 'low' must be >= 0: -1"),
        ("limits", {"low": 5, "high": 4}, ".limits: low (5) is above high (4)"),
        ("limits", [1], ".limits: must be a group of keys, not a list"),
        ("synonyms", {"car": "auto"}, ".synonyms.car: must be a list"),
        ("synonyms", 1, ".synonyms: must be true or false, not 1 (a number)"),
        ("synonyms", [1], ".synonyms: must be true or false or a group of keys, not a list"),
        ("ceiling", 6, ".ceiling: 'ceiling' must be <= 5: 6.0"),
        ("lambda_", 1, ".lambda_: unknown key; did you mean lambda?"),
        ("code", "zz", ".code: 'code' must match regex"),
        ("oddNumbers", [1, 2], ".oddNumbers: 'oddNumbers' must be in [1, 3, 5] (got 2)"),
    ],
)
def test_a_value_of_another_type_is_refused_where_it_stands(schema: Schema, key: str, value: Any, words: str) -> None:
    assert problems(schema, {key: value})[0].startswith(words)


def test_every_item_and_every_validator_is_heard_at_once(schema: Schema) -> None:
    found = problems(schema, {"counts": ["x", 1, "y"], "limits": {"low": -1, "hihg": 1}, "ceiling": 9, "code": "zz"})
    assert sorted(problem.split(":")[0] for problem in found) == [
        ".ceiling",
        ".code",
        ".counts[0]",
        ".counts[2]",
        ".limits.hihg",
        ".limits.low",
    ]


def test_defaults_stand_where_nothing_is_written(schema: Schema) -> None:
    assert given(schema, {}).options(SECTION) == Options()


def test_the_same_object_is_handed_out_every_time(schema: Schema) -> None:
    config = given(schema, {"names": ["a"]})
    assert config.options(SECTION) is config.options(SECTION, "somebody")


def test_ranges_and_words_are_exported(schema: Schema) -> None:
    agent = json_schema(schema)["$defs"]["agent"]
    mine = agent["properties"]["rag"]["properties"]["lanes"]["properties"]["mine"]["properties"]
    assert mine["colour"] == {"enum": ["red", "green"], "default": "red"}
    assert mine["ceiling"] == {"type": ["number", "null"], "maximum": 5, "default": None}
    assert mine["code"] == {"type": "string", "pattern": r"[a-z]\d", "maxLength": 2, "default": "a1"}
    assert mine["oddNumbers"] == {"type": "array", "items": {"type": "integer", "enum": [1, 3, 5]}, "default": []}
    assert mine["limits"]["properties"]["low"] == {"type": "integer", "minimum": 0, "default": 0}
    assert mine["limits"]["properties"]["high"]["description"] == "The upper end."
    assert mine["limits"]["default"] == {"low": 0, "high": 10}
    assert mine["synonyms"]["anyOf"][0] == {"type": "boolean"}
    assert mine["weights"] == {"type": "object", "additionalProperties": {"type": "number"}, "default": {}}


@attrs.frozen
class WithoutDefault:
    weight: float


@attrs.frozen
class WithDate:
    since: date = date(2020, 1, 1)


@attrs.frozen
class WithPair:
    pair: tuple[int, int] = (1, 2)


@attrs.frozen
class WithAnything:
    anything: Any = None


@attrs.frozen
class WithoutType:
    weight = attrs.field(default=1.0)  # type: ignore[var-annotated] # the fault under test


@attrs.frozen
class WithCapitals:
    maxResults: int = 5  # noqa: N815 - the fault under test


@attrs.frozen
class WithItself:
    inner: WithItself | None = None


@attrs.frozen
class WithBadDefault:
    weight: float = attrs.field(default=2.0, validator=le(1))


class NoAttrsClass:
    weight: float = 1.0


@pytest.mark.parametrize(
    ("options_class", "words"),
    [
        (WithoutDefault, "WithoutDefault.weight has no default"),
        (WithDate, "WithDate.since: options cannot be of type"),
        (WithPair, "WithPair.pair: options cannot be of type"),
        (WithAnything, "WithAnything.anything: options cannot be of type"),
        (WithoutType, "WithoutType.weight: options cannot be of type None"),
        (WithCapitals, "WithCapitals.maxResults: 'maxResults' is not snake_case"),
        (WithItself, "WithItself.inner: WithItself holds itself"),
        (WithBadDefault, "'weight' must be <= 1: 2.0"),
        (NoAttrsClass, "NoAttrsClass is not an attrs class"),
    ],
)
def test_an_options_class_that_is_no_good_is_refused_with_its_plugin(options_class: type[Any], words: str) -> None:
    with pytest.raises(PluginError) as caught:
        Schema([OwnedSection(section=Section("rag.lanes.mine", options_class), owner=OWNER)])
    assert "plugin 'mine' (comis-mine 1.2): section 'rag.lanes.mine': " in str(caught.value)
    assert words in str(caught.value)
