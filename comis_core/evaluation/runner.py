"""Run one variant of the pipeline over cases: a fresh store a case, every question, depth 100, time per query."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from comis_core.evaluation.data import Case, Question
from comis_core.evaluation.metrics import Scores, mean, score_ranking
from comis_core.evaluation.story import Names, fill

if TYPE_CHECKING:
    from comis_core.agent import Agent
    from comis_core.engine import Engine

Progress = Callable[[int, int], None]
"""Called with (questions done, questions in all)."""


@attrs.frozen(kw_only=True)
class Variant:
    """A named way to open an engine on an empty file."""

    name: str
    open: Callable[[Path], Engine]
    agent: str = "default"


@attrs.frozen(kw_only=True)
class Answer:
    """What one question brought: `ranked` are the data's memory ids, best first."""

    set: str
    case: str
    id: str
    category: str
    ranked: tuple[str, ...]
    scores: Scores
    milliseconds: float


@attrs.frozen(kw_only=True)
class Run:
    """All answers of one variant, and what its engine had to say."""

    variant: str
    answers: tuple[Answer, ...]
    notes: tuple[str, ...]
    degraded: tuple[str, ...]

    def by(self, *, headline: frozenset[str] | None = None) -> Mapping[tuple[str, str], Scores]:
        """Mean scores by (set, category); category "" is the whole set, or its `headline` categories if given."""
        groups: dict[tuple[str, str], list[Scores]] = {}
        for answer in self.answers:
            groups.setdefault((answer.set, answer.category), []).append(answer.scores)
            if headline is None or answer.category in headline:
                groups.setdefault((answer.set, ""), []).append(answer.scores)
        return {group: mean(rows) for group, rows in sorted(groups.items())}


def run_variant(variant: Variant, cases: Sequence[Case], *, depth: int = 100, progress: Progress | None = None) -> Run:
    """Answer every question of every case.

    Only the question's text, the asker and "now" go in; maxResults is `depth`, there is no character budget and no
    score floor. Every row of a case is stored. A question about the past sees what it asks for (`Question.filters`).
    """
    total = sum(len(case.questions) for case in cases)
    answers: list[Answer] = []
    notes: set[str] = set()
    degraded: set[str] = set()
    for case in cases:
        with (
            tempfile.TemporaryDirectory(prefix="comis-eval-") as folder,
            variant.open(Path(folder) / "case.db") as engine,
        ):
            engine.pipeline(variant.agent)  # what is wrong with the configuration is no row's fault
            agent = engine.agent(variant.agent)
            names = fill(agent, case, operator=engine.agent(variant.agent, admin=True))
            engine.drain()
            for question in case.questions:
                answer, said, failed = _ask(agent, case, question, names, depth)
                answers.append(answer)
                notes |= said
                degraded |= failed
                if progress:
                    progress(len(answers), total)
    return Run(
        variant=variant.name, answers=tuple(answers), notes=tuple(sorted(notes)), degraded=tuple(sorted(degraded))
    )


def _ask(agent: Agent, case: Case, question: Question, names: Names, depth: int) -> tuple[Answer, set[str], set[str]]:
    now = question.now or case.last_moment
    started = time.perf_counter()
    recall = agent.recall(
        question.text,
        sender=question.asker,
        filters=question.filters,
        now=now,
        max_results=depth,
        max_context_chars=0,
        min_score=0.0,
    )
    milliseconds = (time.perf_counter() - started) * 1000
    found = (id for item in recall for id in (item.memory.id, *item.folded))
    ranked = tuple(name for id in found for name in names.of(id, as_of=question.record_as_of))
    answer = Answer(
        set=case.set,
        case=case.name,
        id=question.id,
        category=question.category,
        ranked=ranked,
        scores=score_ranking(ranked, question.relevant),
        milliseconds=milliseconds,
    )
    return answer, set(recall.notes), {str(failure) for failure in recall.degraded}
