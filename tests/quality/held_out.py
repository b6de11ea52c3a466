"""What a pipeline's weights are worth on a case that had no say in them: leave one out, choose on the others.

    python tests/quality/held_out.py DATA/locomo --embedding none

Every case is left out in turn. The weights start at 1.0 and are searched one after the other over the factors of
`PASSES`, on the other cases, for the highest recall@10 + MRR (recall over all categories but adversarial, MRR over all
questions). It takes minutes; `--passes 1` takes half of them. The case left out is then scored with what was chosen. `lexical` stays at 1.0, only proportions count; all
else is as in the preset `tuned`, which is scored on the same questions beside it.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

import comis_core
from comis_core.evaluation import Case, Question, Scores, compare, find_cases, score_ranking
from comis_core.evaluation.story import CaseClock, Names, fill

WEIGHTS = ("vector", "adjacent", "session", "speaker", "turnKind", "graphSpread", "dateWindow", "entityLane")
PASSES = ((0.5, 2.0), (0.7, 1.4))
LEAST_GAIN = 1e-9

Weights = Mapping[str, float]
Row = tuple[str, Scores]
"""Category and scores of one question."""


def overrides(embedding: str, weights: Weights) -> dict[str, Any]:
    """The agent's section for these weights."""
    lanes = {name: {"weight": weight} for name, weight in weights.items() if name != "entityLane"}
    rag: dict[str, Any] = {"lanes": lanes}
    if "entityLane" in weights:
        rag["entityLane"] = {"weight": weights["entityLane"]}
    return {"embedding": embedding, "rag": rag}


@attrs.define
class Bench:
    """One store a case, filled once, and every answer that was ever asked for."""

    cases: Sequence[Case]
    folder: Path
    embedding: str
    depth: int = 20
    cache: Path | None = None
    _names: dict[str, Names] = attrs.field(factory=dict)
    _rows: dict[tuple[str, tuple[tuple[str, float], ...]], list[Row]] = attrs.field(factory=dict)

    def rows(self, case: Case, weights: Weights) -> list[Row]:
        """Scores of every question of a case, in its order; no weights = those of the preset."""
        key = (case.name, tuple(sorted(weights.items())))
        if key not in self._rows:
            with self._open(case, weights) as engine:
                agent = engine.agent("default")
                if case.name not in self._names:
                    self._names[case.name] = fill(agent, case)
                    engine.drain()
                names = self._names[case.name]
                self._rows[key] = [
                    (question.category, self._ask(agent, case, question, names)) for question in case.questions
                ]
        return self._rows[key]

    def _open(self, case: Case, weights: Weights) -> comis_core.Engine:
        return comis_core.open(
            self.folder / f"{case.name}.db",
            clock=CaseClock(),
            config={},
            preset="tuned",
            overrides=overrides(self.embedding, weights),
            embedding_cache=self.cache,
        )

    def _ask(self, agent: comis_core.Agent, case: Case, question: Question, names: Names) -> Scores:
        recall = agent.recall(
            question.text,
            sender=question.asker,
            filters=question.filters,
            now=question.now or case.last_moment,
            max_results=self.depth,
            max_context_chars=0,
            min_score=0.0,
        )
        ranked = [name for item in recall for id in (item.memory.id, *item.folded) for name in names.of(id)]
        return score_ranking(ranked, question.relevant)


def average(values: Iterable[float]) -> float:
    """The mean; 0 of nothing."""
    found = list(values)
    return math.fsum(found) / len(found) if found else 0.0


def headline(rows: Sequence[Row]) -> list[Scores]:
    """Scores of all questions but the adversarial ones."""
    return [scores for category, scores in rows if category != "adversarial"]


def aim(bench: Bench, cases: Sequence[Case], weights: Weights) -> float:
    """What the search maximises."""
    rows = [row for case in cases for row in bench.rows(case, weights)]
    order = average(scores.reciprocal_rank for _, scores in rows)
    return order + average(scores.recall_at_10 for scores in headline(rows))


def choose(bench: Bench, cases: Sequence[Case], passes: int) -> Weights:
    """The best weights on these cases, found one coordinate after the other."""
    names = [name for name in WEIGHTS if name != "vector" or bench.embedding != "none"]
    weights = dict.fromkeys(names, 1.0)
    best = aim(bench, cases, weights)
    for factors in PASSES[:passes]:
        for name in names:
            tried = [weights | {name: round(weights[name] * factor, 3)} for factor in factors]
            scored = [(aim(bench, cases, each), each) for each in tried]
            top, winner = max(scored, key=lambda pair: pair[0])
            if top > best + LEAST_GAIN:
                best, weights = top, winner
    return weights


def report(label: str, rows: Sequence[Row]) -> None:
    """Print one line of the table."""
    scores = headline(rows)
    order = average(each.reciprocal_rank for each in scores)
    adversarial = average(each.reciprocal_rank for category, each in rows if category == "adversarial")
    print(f"{label:32} {average(each.recall_at_10 for each in scores):.3f} {order:.3f} {adversarial:.3f}", flush=True)


def difference(label: str, cases: Sequence[str], preset: Sequence[Row], held: Sequence[Row]) -> None:
    """Print the preset's lead over what was chosen without the case, with its 95 % interval."""
    chosen = [(case, a[1], b[1]) for case, a, b in zip(cases, held, preset, strict=True) if a[0] != "adversarial"]
    names = [case for case, _, _ in chosen]
    for metric in ("recall_at_10", "reciprocal_rank"):
        found = compare(
            metric, names, [getattr(a, metric) for _, a, _ in chosen], [getattr(b, metric) for _, _, b in chosen]
        )
        print(f"{label} {metric}: {found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}]")


def main() -> None:
    """Run the search and print recall@10, MRR and adversarial MRR of each case left out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--embedding", default="none")
    parser.add_argument("--depth", type=int, default=20)
    parser.add_argument("--passes", type=int, default=len(PASSES))
    parser.add_argument("--cache", type=Path, help="file that keeps embeddings between runs")
    asked = parser.parse_args()
    cases = find_cases(asked.data)
    with tempfile.TemporaryDirectory(prefix="held-out-") as folder:
        bench = Bench(cases, Path(folder), asked.embedding, asked.depth, asked.cache)
        held: list[Row] = []
        print(f"{'case left out':32} r@10  MRR   adversarial MRR")
        for case in cases:
            weights = choose(bench, [other for other in cases if other is not case], asked.passes)
            report(case.name, bench.rows(case, weights))
            print("   ", ", ".join(f"{name} {weight:g}" for name, weight in weights.items()), flush=True)
            held += bench.rows(case, weights)
        preset = [row for case in cases for row in bench.rows(case, {})]
        report("all, weights chosen elsewhere", held)
        report("all, preset tuned", preset)
        difference("tuned - held out", [case.name for case in cases for _ in case.questions], preset, held)


if __name__ == "__main__":
    main()
