from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from comis_core.config import Config
from comis_core.specs import Preset

Load = Callable[..., Config]
Refuse = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("key", "value", "held"),
    [("rerankerModel", "x.gguf", "x.gguf"), ("rerankerThreads", "2", 2), ("rerankerGpu", "false", False)],
)
def test_a_moved_key_counts_in_its_new_place_with_a_notice(
    load_text: Load, tmp_path: Path, key: str, value: str, held: object
) -> None:
    config = load_text(f"memory:\n  {key}: {value}\n")
    assert config.setting(f"memory.recall.{key}") == held
    assert config.is_explicit(f"memory.recall.{key}")
    assert [str(warning) for warning in config.warnings] == [
        f"{tmp_path}/config.yaml:2:3: memory.{key}: has moved to memory.recall.{key}; it still counts"
    ]


@pytest.mark.parametrize("group", ["", "  recall:\n", "  recall: { rerankerModel: x }\n"])
def test_a_moved_key_joins_what_stands_in_its_new_group(load_text: Load, group: str) -> None:
    config = load_text(f"memory:\n{group}  rerankerThreads: 2\n")
    assert config.setting("memory.recall.rerankerThreads") == 2


def test_a_key_in_its_old_and_its_new_place_is_refused(refuse_text: Refuse, tmp_path: Path) -> None:
    problems = refuse_text("memory:\n  rerankerThreads: 2\n  recall: { rerankerThreads: 2 }\n")
    assert problems == [
        "config.yaml:2:3: memory.rerankerThreads: is now memory.recall.rerankerThreads, "
        "which stands at config.yaml:3:13 too; keep that one"
    ]


def test_a_faulty_value_under_an_old_key_is_refused_where_it_stands(refuse_text: Refuse) -> None:
    (problem,) = refuse_text("memory:\n  rerankerThreads: many\n")
    assert problem.startswith("config.yaml:2:20: memory.recall.rerankerThreads: must be a whole number")


def test_a_faulty_group_is_reported_beside_the_moved_key(refuse_text: Refuse) -> None:
    (problem,) = refuse_text("memory:\n  recall: 5\n  rerankerThreads: 2\n")
    assert "memory.recall: must be a group of keys" in problem


@pytest.mark.parametrize(
    ("text", "key", "shipped"),
    [
        ("scoring: { trustAlpha: 0.5 }", "rag.scoring.trustAlpha", "0.1"),
        ("includeTrustLevels: [system, learned, external]", "rag.includeTrustLevels", "['system', 'learned']"),
    ],
)
def test_a_changed_frozen_key_is_warned_of(load_text: Load, text: str, key: str, shipped: str) -> None:
    (warning,) = load_text(f"agents:\n  a:\n    rag:\n      {text}\n").warnings
    assert (warning.path, warning.place.line) == (f"agents.a.{key}", 4)
    assert warning.message.endswith(f"the shipped value is {shipped}")


def test_a_frozen_key_at_its_shipped_value_is_fine(load_text: Load) -> None:
    text = "agents:\n  a: { rag: { includeTrustLevels: [system, learned], scoring: { trustAlpha: 0.1 } } }\n"
    assert load_text(text).warnings == ()


def test_a_preset_that_changes_a_frozen_key_is_warned_of(load_text: Load) -> None:
    presets = {"bold": Preset(name="bold", agent={"rag": {"scoring": {"trustAlpha": 0}}})}
    (warning,) = load_text("agents:\n  a: { preset: bold }\n", presets).warnings
    assert str(warning).startswith("preset 'bold': agents.a.rag.scoring.trustAlpha: is frozen")
