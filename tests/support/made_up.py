"""The made-up sets, and what a pipeline finds in their cases."""

from __future__ import annotations

import functools
from typing import Any

from synthetic import sets
from synthetic.writing import Draft

from comis_core.evaluation import Case, Scores, Variant, run_variant
from comis_core.evaluation.variants import Pipeline
from comis_core.text import Analyser

ANALYSER = Analyser()

Overrides = dict[str, Any]


@functools.cache
def drafts() -> tuple[Draft, ...]:
    """Every case of every set."""
    return tuple(sets.drafts())


def of_set(name: str) -> list[Draft]:
    """The cases of a set."""
    return [draft for draft in drafts() if draft.set == name]


def stems(text: str) -> set[str]:
    """The stems of a text without stop words."""
    return {token.stem for token in ANALYSER.analyse(text).content}


def measured(cases: list[Case], preset: str, rag: Overrides) -> Scores:
    """Means over all questions, without vectors."""
    return by_category(cases, preset, rag)[""]


def by_category(cases: list[Case], preset: str, rag: Overrides) -> dict[str, Scores]:
    """Means over the questions of each category, and over all questions under "", without vectors."""
    pipeline = Pipeline(preset=preset, overrides={"embedding": "none", "rag": rag})
    run = run_variant(Variant(name=preset, open=pipeline), cases)
    assert not run.degraded
    return {category: scores for (_, category), scores in run.by().items()}
