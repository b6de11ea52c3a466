from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from comis_core.config import Schema, json_schema, load
from comis_core.errors import ConfigError


@pytest.fixture
def exported(schema: Schema) -> dict[str, Any]:
    return json_schema(schema)


def rag(exported: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = exported["$defs"]["agent"]["properties"]["rag"]["properties"]
    return properties


def test_it_is_a_json_schema(exported: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(exported)
    assert exported["$schema"].endswith("2020-12/schema")


def test_it_has_type_range_default_and_help_of_a_key(exported: dict[str, Any]) -> None:
    score = rag(exported)["minScore"]
    assert (score["type"], score["minimum"], score["maximum"], score["default"]) == ("number", 0, 1, 0.1)
    assert score["description"]


def test_it_has_the_words_of_a_choice(exported: dict[str, Any]) -> None:
    recall = exported["properties"]["memory"]["properties"]["recall"]["properties"]
    assert recall["rerankerGpu"]["enum"] == ["auto", "metal", "cuda", "vulkan", False]
    assert rag(exported)["includeTrustLevels"]["items"] == {"enum": ["external", "learned", "system"]}


def test_it_says_what_is_not_active_frozen_or_moved(exported: dict[str, Any]) -> None:
    assert rag(exported)["mmr"]["properties"]["lambda"]["description"].endswith("(not active in this version)")
    assert rag(exported)["scoring"]["properties"]["trustAlpha"]["description"].endswith("(frozen)")
    assert exported["properties"]["memory"]["properties"]["rerankerModel"]["deprecated"] is True


def groups(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [group for item in schema for group in groups(item)]
    if not isinstance(schema, dict):
        return []
    here = [schema] if "properties" in schema and isinstance(schema["properties"], dict) else []
    return here + [group for value in schema.values() for group in groups(value)]


def test_no_group_allows_a_key_it_does_not_name(exported: dict[str, Any]) -> None:
    found = groups(exported)
    assert len(found) > 20
    assert all(group["additionalProperties"] is False for group in found)


@pytest.mark.parametrize(
    "data",
    [
        {"memory": {"enabeld": True}},
        {"memory": {"dbPath": 5}},
        {"memory": {"recall": {"rerankerGpu": "gpu"}}},
        {"memory": {"recall": {"rerankerThreads": 0}}},
        {"agents": {"a": {"rag": {"minScore": 1.5}}}},
        {"agents": {"a": {"rag": {"includeTrustLevels": "system"}}}},
        {"agents": {"a": {"rag": {"includeTrustLevels": []}}}},
        {"agents": {"a": {"rag": {"lanes": {"ftss": {}}}}}},
        {"agents": {"a": {"elevatedReply": {"senderTrustMap": {"ana": "friend"}}}}},
        {"agents": {"a": {"learning": {"reflect": {"corroboration": {"mode": "nobody"}}}}}},
        {"agents": ["a"]},
        {"plugins": {"enable": "x"}},
        {"extra": 1},
    ],
)
def test_it_refuses_what_the_loader_refuses(exported: dict[str, Any], schema: Schema, data: dict[str, Any]) -> None:
    assert list(jsonschema.Draft202012Validator(exported).iter_errors(data))
    with pytest.raises(ConfigError):
        load(data, schema)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"memory": None, "agents": None, "plugins": None},
        {"agents": {"a": None, "b": {"rag": None}}},
        {"agents": {"a": {"rag": {"rerank": {"enabled": None}}, "preset": None}}},
        {"agents": {"a": {"elevatedReply": {"senderTrustMap": {"ana": "learned"}}}}},
    ],
)
def test_it_accepts_what_the_loader_accepts(exported: dict[str, Any], schema: Schema, data: dict[str, Any]) -> None:
    assert list(jsonschema.Draft202012Validator(exported).iter_errors(data)) == []
    load(data, schema)


def test_its_defaults_are_valid_values(exported: dict[str, Any]) -> None:
    properties = [item for group in groups(exported) for item in group["properties"].values() if "default" in item]
    assert len(properties) > 60
    for item in properties:
        jsonschema.validate(item["default"], item)
