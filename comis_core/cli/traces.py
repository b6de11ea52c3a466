"""Commands on stored traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from comis_core.cli.options import Target, as_json, print_json, show_rows, target
from comis_core.cli.recall import answer_row, say_problems, say_why_not, show_items, show_trace, trace_row
from comis_core.errors import NotFoundError

if TYPE_CHECKING:
    from comis_core.agent import Agent
    from comis_core.engine import Replayed, StoredTrace


@click.command()
@click.argument("trace", required=False)
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many are listed.")
@target
@as_json
def replay(target: Target, as_json: bool, trace: str | None, limit: int) -> None:
    """Walk the stored recall TRACE again over what is there now; without TRACE, list the last ones.

    The ranking is the same as long as the candidates are still there and the pipeline has not changed; else what made
    the difference is said. `comis recall --keep-trace` and the option rag.traces.keep store traces.
    """
    with target.handle(finish=False) as agent:
        if trace is None:
            _list(agent.traces(limit=limit), as_json)
            return
        replayed = agent.replay(trace)
    if as_json:
        compared = {name: list(getattr(replayed, name)) for name in ("gone", "come", "reasons")}
        print_json({**answer_row(replayed.now), "same": replayed.same, **compared})
        return
    show_items(replayed.now)
    _compare(replayed)
    say_problems(replayed.now)


def explain_stored(agent: Agent, trace_id: str, why_not: str | None, as_json: bool) -> None:
    """Print how a stored answer came about, or why a memory was not in it, which may have been deleted since.

    Raises NotFoundError for a trace, or a memory that neither the trace nor the agent knows.
    """
    stored = agent.trace(trace_id)
    if why_not is not None:
        if why_not.casefold() not in stored.trace.candidates:
            agent.get(why_not)
        say_why_not(why_not, agent.why_not_then(trace_id, why_not), as_json)
        return
    if as_json:
        print_json({**_row(stored), "trace": trace_row(stored.trace)})
        return
    show_trace(stored.trace, {id: _words(agent, id) for id, _ in stored.answer})
    for place, (id, score) in enumerate(stored.answer, 1):
        click.echo(f"{place:>2}. {score:.3f}  {_words(agent, id)}")


def _list(stored: list[StoredTrace], as_json: bool) -> None:
    show_rows(
        stored,
        as_json=as_json,
        row=_row,
        line=lambda each: f"{each.id}  {each.asked_at:%Y-%m-%d %H:%M}  {each.kind}, {len(each.answer)} items",
        nothing="no traces are stored",
    )


def _row(stored: StoredTrace) -> dict[str, object]:
    answer = [{"id": id, "score": score} for id, score in stored.answer]
    return {"id": stored.id, "kind": stored.kind, "asked_at": stored.asked_at.isoformat(), "answer": answer}


def _compare(replayed: Replayed) -> None:
    if replayed.same:
        click.secho("the same ranking as then", fg="green")
        return
    click.secho("not the ranking of then", fg="yellow")
    for id in replayed.gone:
        click.echo(f"  {id} is not in it any more")
    for id in replayed.come:
        click.echo(f"  {id} was not in it")
    for reason in replayed.reasons:
        click.echo(f"  {reason}")


def _words(agent: Agent, id: str) -> str:
    """What a memory says now; its id when it is gone."""
    try:
        return agent.get(id).content
    except NotFoundError:
        return f"{id} (gone)"
