from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from comis_core.config import Config, Schema, template
from comis_core.specs import Preset

Load = Callable[..., Config]

TUNED = Preset(
    name="tuned",
    agent={"rag": {"maxResults": 8, "lanes": {"fts": {"weight": 0.5}}, "fusion": {"method": "score"}}},
    help="What measures best.",
)


@pytest.fixture
def text(schema: Schema) -> str:
    return template(schema, TUNED)


def uncommented(text: str) -> str:
    return re.sub(r"^( *)# (?=( *)[a-zA-Z]+:)", r"\1", text, flags=re.MULTILINE)


def test_it_loads_and_names_the_preset(text: str, load_text: Load) -> None:
    config = load_text(text, {"tuned": TUNED})
    assert (config.preset("anybody"), config.setting("rag.maxResults")) == ("tuned", 8)
    assert (config.warnings, config.inactive) == ((), ())


def test_it_changes_nothing_but_the_preset(text: str, load_text: Load) -> None:
    explicit = [s.path for s in load_text(text, {"tuned": TUNED}).effective() if "config.yaml" in s.origin]
    assert explicit == ["memory.dbPath", "agents.default.preset"]


def test_it_loads_with_every_key_uncommented_and_says_the_same(text: str, load_text: Load) -> None:
    before = load_text(text, {"tuned": TUNED})
    after = load_text(uncommented(text), {"tuned": TUNED})
    changed = {s.path: s.value for s in after.effective()}
    before_values = {s.path: s.value for s in before.effective()}
    assert {path: value for path, value in changed.items() if before_values[path] != value} == {
        "memory.recall.embeddingModel": "auto"  # what the hosted default means as long as it is not written
    }
    assert after.is_explicit("rag.maxResults")
    assert after.is_explicit("memory.languageModel.apiKeyEnv")


def test_it_shows_the_values_of_the_preset(text: str) -> None:
    assert "#   maxResults: 8  # " in text
    assert "#     method: score  # " in text
    assert "#       weight: 0.5  # " in text
    assert "# What measures best." in text


def test_it_shows_only_lanes_that_are_at_work(text: str) -> None:
    assert "fts:" in text
    assert "vector:" in text
    assert "temporal" not in text


def test_it_is_short(text: str) -> None:
    assert len(text.splitlines()) < 40
