"""Commands that ask: recall, search, explain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from comis_core.cli.options import Moment, Target, as_json, cell, print_json, target
from comis_core.model import Filters, MemoryType, Trust
from comis_core.rows import memory_row

if TYPE_CHECKING:
    from comis_core.model import Recall, Trace

CANDIDATES = 25
"""Candidates that `explain` lists; `--json` has all."""


def asking(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what every question can carry."""
    for option in (
        click.option("--sender", help="Who asks."),
        click.option("--time-zone", default="UTC", show_default=True, help="IANA zone of the asker."),
        click.option("--limit", type=click.IntRange(1, 1000), help="At most so many results."),
        click.option("--min-score", type=click.FloatRange(0, 1), help="Hide what scores lower."),
        click.option("--type", "types", multiple=True, type=click.Choice([str(kind) for kind in MemoryType])),
        click.option("--trust", "trusts", multiple=True, type=click.Choice([str(trust) for trust in Trust])),
        click.option("--tag", "tags", multiple=True),
        click.option("--since", type=Moment(), help="Event time (else record time) from then on."),
        click.option("--until", type=Moment(), help="Event time (else record time) before then."),
        click.option("--now", type=Moment(), help="The moment of asking."),
        click.option("--as-of", type=Moment(), help="What was known at that moment of record time."),
        click.option("--as-of-event", type=Moment(), help="What had happened by that moment of event time."),
    ):
        command = option(command)
    return command


keep_trace = click.option("--keep-trace", is_flag=True, default=None, help="Store how the answer came about.")


def _filters(given: dict[str, Any]) -> Filters:
    return Filters(
        types=frozenset(map(MemoryType, given["types"])) or None,
        trust=frozenset(map(Trust, given["trusts"])) or None,
        tags=frozenset(given["tags"]) or None,
        since=given["since"],
        until=given["until"],
        record_as_of=given["as_of"],
        event_as_of=given["as_of_event"],
    )


@click.command()
@click.argument("query")
@asking
@keep_trace
@target
@as_json
def recall(target: Target, as_json: bool, query: str, limit: int | None, keep_trace: bool | None, **given: Any) -> None:
    """Find what matters for QUERY: the block for the prompt."""
    with target.handle(finish=False) as agent:
        answer = agent.recall(query, max_results=limit, keep_trace=keep_trace, **_how(given))
    if as_json:
        print_json(answer_row(answer))
        return
    click.echo(answer.text or "nothing found")
    say_problems(answer)


@click.command()
@click.argument("query")
@asking
@keep_trace
@target
@as_json
def search(target: Target, as_json: bool, query: str, limit: int | None, keep_trace: bool | None, **given: Any) -> None:
    """Find memories for QUERY, with scores and reasons."""
    with target.handle(finish=False) as agent:
        answer = agent.search(query, limit=limit or 10, keep_trace=keep_trace, **_how(given))
    if as_json:
        print_json(answer_row(answer))
    else:
        show_items(answer)
        say_problems(answer)


@click.command()
@click.argument("query", required=False)
@click.option("--why-not", metavar="ID", help="Why this memory is not in the answer.")
@click.option("--trace", "trace_id", metavar="ID", help="Explain a stored answer instead of asking a QUERY.")
@asking
@target
@as_json
def explain(
    target: Target,
    as_json: bool,
    query: str | None,
    limit: int | None,
    why_not: str | None,
    trace_id: str | None,
    **given: Any,
) -> None:
    """Show how the answer to QUERY came about: stages, lanes, scores, factors, moves."""
    if (query is None) == (trace_id is None):
        raise click.UsageError("give either a QUERY or a stored trace with --trace ID")
    with target.handle(finish=False) as agent:
        if trace_id is not None:
            from comis_core.cli.traces import explain_stored

            explain_stored(agent, trace_id, why_not, as_json)
            return
        how = _how(given)
        question = query or ""
        if why_not is not None:
            agent.get(why_not)
            say_why_not(why_not, agent.why_not(question, why_not, max_results=limit, **how), as_json)
            return
        answer = agent.recall(question, max_results=limit, **how)
    if as_json:
        print_json({**answer_row(answer), "trace": trace_row(answer.trace)})
        return
    show_trace(answer.trace, {item.memory.id: item.memory.content for item in answer})
    for place, item in enumerate(answer, 1):
        click.echo(f"{place}. {item.memory.content}\n   {item.why}")
    say_problems(answer)


def say_why_not(id: str, reason: str, as_json: bool) -> None:
    """Print why a memory is not in an answer."""
    print_json({"id": id, "reason": reason}) if as_json else click.echo(f"{id}: {reason}")


def _how(given: dict[str, Any]) -> dict[str, Any]:
    return {
        "sender": given["sender"],
        "time_zone": given["time_zone"],
        "min_score": given["min_score"],
        "now": given["now"],
        "filters": _filters(given),
    }


def answer_row(answer: Recall) -> dict[str, Any]:
    """An answer as JSON-ready data."""
    return {
        "items": [
            {
                "score": item.score,
                "base": item.base,
                "factors": dict(item.factors),
                "sources": dict(item.sources),
                "folded": list(item.folded),
                "superseded_by": item.superseded_by,
                "memory": memory_row(item.memory),
            }
            for item in answer
        ],
        "text": answer.text,
        "notes": list(answer.notes),
        "degraded": [str(failure) for failure in answer.degraded],
        "milliseconds": answer.milliseconds,
        "trace_id": answer.trace_id,
    }


def trace_row(trace: Trace) -> dict[str, Any]:
    """A trace as JSON-ready data."""
    return {
        "inputs": dict(trace.inputs),
        "stages": [dict(stage) for stage in trace.stages],
        "candidates": {name: dict(row) for name, row in trace.candidates.items()},
    }


def show_items(answer: Recall) -> None:
    """Print items with their reasons."""
    for place, item in enumerate(answer, 1):
        memory = item.memory
        day: datetime = memory.occurred_at or memory.created_at
        who = f"{memory.sender}, " if memory.sender else ""
        click.echo(f"{place:>2}. {item.score:.3f}  {memory.content}")
        click.secho(f"           {who}{day:%Y-%m-%d} · {item.why} · {memory.id}", dim=True)


def show_trace(trace: Trace, names: Mapping[str, str]) -> None:
    """Print stages with their cost, then every candidate with what became of it. names: memory id -> what to show."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    stages = Table("stage", "ms", "what", title=f"{sum(stage['milliseconds'] for stage in trace.stages):.2f} ms")
    for stage in trace.stages:
        rest = {name: value for name, value in stage.items() if name not in {"name", "milliseconds"}}
        stages.add_row(
            str(stage["name"]),
            f"{stage['milliseconds']:.2f}",
            cell(", ".join(f"{name} {value}" for name, value in rest.items())),
        )
    console.print(stages)
    rows = sorted(trace.candidates.items(), key=lambda entry: -entry[1].get("score", entry[1]["fused"]))
    shown = f"the best {CANDIDATES} of {len(rows)} candidates" if len(rows) > CANDIDATES else f"{len(rows)} candidates"
    candidates = Table("memory", "left at", "found by (rank, claim)", "fused", "factors", "score", title=shown)
    for id, row in rows[:CANDIDATES]:
        candidates.add_row(
            cell(names.get(id, id)[:48]),
            str(row.get("left", "")),
            cell(", ".join(f"{lane} #{found['rank']} {found['score']:.2f}" for lane, found in row["found"].items())),
            f"{row['fused']:.3f}",
            ", ".join(f"{name} {value:.3f}" for name, value in row.get("factors", {}).items() if value != 1.0),
            f"{row['score']:.3f}" if "score" in row else "",
        )
    console.print(candidates)


def say_problems(answer: Recall) -> None:
    """Notes, failures and the stored trace, on standard error."""
    for note in answer.notes:
        click.secho(f"note: {note}", err=True, dim=True)
    for failure in answer.degraded:
        click.secho(f"degraded: {failure}", err=True, fg="yellow")
    if answer.trace_id is not None:
        click.secho(f"trace: {answer.trace_id}", err=True, dim=True)
