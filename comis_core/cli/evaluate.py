"""`comis eval`: measure pipelines against each other on evaluation cases."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from comis_core.cli.files import written
from comis_core.cli.options import as_json, cell, print_json
from comis_core.errors import ComisError

if TYPE_CHECKING:
    from comis_core.evaluation import Case, Comparison, Run

COMPARED = ("recall_at_10", "reciprocal_rank")


@click.command("eval")
@click.argument("data", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--config", "configs", multiple=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--preset", "presets", multiple=True, help="A preset to measure; may be given several times.")
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="A key of the agent's section, e.g. rag.mmr.enabled=true.",
)
@click.option("--agent", default="default", show_default=True, help="The agent section to use.")
@click.option(
    "--cache",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File that keeps embeddings between runs; default: the user's cache folder.",
)
@click.option("--depth", type=click.IntRange(1, 1000), default=100, show_default=True, help="Results asked for.")
@click.option(
    "--headline",
    default="",
    metavar="CATEGORIES",
    help="Comma-separated categories that make a set's total; default: all but adversarial.",
)
@click.option("--ablate", is_flag=True, help="Switch each enabled plugin off in turn and show what it is worth.")
@click.option("--run-out", type=click.Path(path_type=Path, dir_okay=False), help="Write every ranking as JSONL.")
@as_json
def evaluate(
    data: Path,
    configs: tuple[Path, ...],
    presets: tuple[str, ...],
    overrides: tuple[str, ...],
    agent: str,
    cache: Path | None,
    depth: int,
    headline: str,
    ablate: bool,
    run_out: Path | None,
    as_json: bool,
) -> None:
    """Measure recall on the cases at or below DATA.

    A case is a folder with memories.jsonl (id, content, sender, session, turn, created_at, type) and queries.jsonl (id,
    text, relevant, category, now), and may have edges.jsonl (cause, effect) and turns.jsonl (id, text, recalled, cited
    or answer, at). A time without a zone is UTC. Several --config and --preset are compared with the first one.
    """
    from comis_core.evaluation import find_cases, run_variant
    from comis_core.evaluation.variants import ablations, variants

    cases = [case for case in find_cases(data) if case.questions]
    if not cases:
        raise ComisError(f"the cases at {data} hold no question")
    totals = _headline(headline, cases)
    asked = variants(
        configs=configs, presets=presets, overrides=overrides, agent=agent, cache=cache or _default_cache()
    )
    if ablate:
        asked = [asked[0], *ablations(asked[0])]
    runs = []
    for variant in asked:
        with _progress(variant.name, cases) as progress:
            runs.append(run_variant(variant, cases, depth=depth, progress=progress))
    comparisons = [_compare(runs[0], run, totals) for run in runs[1:]]
    if run_out:
        _write(run_out, runs)
    if as_json:
        print_json([_run_row(run, totals, rows) for run, rows in zip(runs, [{}, *comparisons], strict=True)])
    else:
        _show(runs, totals, comparisons)


def _default_cache() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("comis-core", ensure_exists=True) / "embeddings.db"


def _headline(named: str, cases: Sequence[Case]) -> frozenset[str]:
    """The categories that make a total: those named, else all but adversarial."""
    known = frozenset(question.category for case in cases for question in case.questions)
    if not named:
        return known - {"adversarial"}
    wanted = frozenset(word.strip() for word in named.split(","))
    if unknown := sorted(wanted - known):
        raise click.BadParameter(
            f"no question has the category {unknown[0]!r}; there are: {', '.join(sorted(known))}",
            param_hint="--headline",
        )
    return wanted


def _compare(a: Run, b: Run, headline: frozenset[str]) -> dict[str, list[Comparison]]:
    """Comparisons by set, over the headline categories."""
    from comis_core.evaluation import compare

    rows: dict[str, list[Comparison]] = {}
    for name in sorted({answer.set for answer in a.answers}):
        pairs = [(x, y) for x, y in zip(a.answers, b.answers, strict=True) if x.set == name and x.category in headline]
        cases = [x.case for x, _ in pairs]
        rows[name] = [
            compare(
                metric,
                cases,
                [getattr(x.scores, metric) for x, _ in pairs],
                [getattr(y.scores, metric) for _, y in pairs],
            )
            for metric in COMPARED
            if pairs
        ]
    return rows


def _run_row(run: Run, headline: frozenset[str], comparisons: Mapping[str, Sequence[Comparison]]) -> dict[str, Any]:
    import attrs

    return {
        "variant": run.variant,
        "milliseconds": _timing(run),
        "scores": [
            {"set": group[0], "category": group[1] or None, **attrs.asdict(scores)}
            for group, scores in run.by(headline=headline).items()
        ],
        "against_first": {name: [attrs.asdict(row) for row in rows] for name, rows in comparisons.items()},
        "notes": list(run.notes),
        "degraded": list(run.degraded),
    }


def _timing(run: Run) -> dict[str, float]:
    times = sorted(answer.milliseconds for answer in run.answers)
    return {"p50": statistics.median(times), "p95": times[min(len(times) - 1, int(0.95 * len(times)))]}


def _write(path: Path, runs: Sequence[Run]) -> None:
    with written(path) as out:
        for run in runs:
            for answer in run.answers:
                row = {"set": answer.set, "case": answer.case, "id": answer.id, "ranked": list(answer.ranked)}
                out.write(
                    json.dumps(row if len(runs) == 1 else {"variant": run.variant, **row}, ensure_ascii=False) + "\n"
                )


def _show(
    runs: Sequence[Run], headline: frozenset[str], comparisons: Sequence[Mapping[str, Sequence[Comparison]]]
) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    for run in runs:
        timing = _timing(run)
        table = Table(
            "set", "category", "n", "r@1", "r@5", "r@10", "MRR", "nDCG@10",
            title=cell(f"{run.variant}: {timing['p50']:.2f} ms a query (p95 {timing['p95']:.2f})"),
        )  # fmt: skip
        for (name, category), row in run.by(headline=headline).items():
            values = (row.recall_at_1, row.recall_at_5, row.recall_at_10, row.reciprocal_rank, row.ndcg_at_10)
            style = None if category else "bold"
            table.add_row(
                cell(name),
                cell(category or "total"),
                str(row.questions),
                *(f"{value:.3f}" for value in values),
                style=style,
            )
        console.print(table)
        for line in (*run.notes, *(f"degraded: {failure}" for failure in run.degraded)):
            console.print(cell(line), style="dim")
    if comparisons:
        console.print(_comparison_table(runs, comparisons))


def _comparison_table(runs: Sequence[Run], comparisons: Sequence[Mapping[str, Sequence[Comparison]]]) -> Any:
    from rich.table import Table

    table = Table(
        "variant",
        "set",
        "metric",
        "difference",
        "95 % interval",
        "cases won/lost",
        title=cell(f"against {runs[0].variant}"),
    )
    for run, by_set in zip(runs[1:], comparisons, strict=True):
        for name, rows in by_set.items():
            for row in rows:
                table.add_row(
                    cell(run.variant), cell(name), row.metric, f"{row.difference:+.4f}",
                    f"{row.low:+.4f} {row.high:+.4f}",
                    f"{row.cases_won}/{row.cases_lost}", style="bold" if row.clear else None,
                )  # fmt: skip
    return table


@contextmanager
def _progress(name: str, cases: Sequence[Case]) -> Iterator[Any]:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(name, total=sum(len(case.questions) for case in cases))
        yield lambda done, total: progress.update(task, completed=done, total=total)
