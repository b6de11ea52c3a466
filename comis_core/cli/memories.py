"""Commands on single memories and on whole scopes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from comis_core.cli.options import Moment, Target, as_json, print_json, refuse_unknown, target
from comis_core.errors import NotFoundError
from comis_core.model import Filters, MemoryType, Trust
from comis_core.rows import memory_row, row_of

if TYPE_CHECKING:
    from comis_core.agent import Agent
    from comis_core.model import Annotation, Memory

KINDS = click.Choice([str(kind) for kind in MemoryType])
TRUSTS = click.Choice([str(trust) for trust in Trust])
as_admin = click.option("--admin", is_flag=True, help="Also a memory of trust system.")


@click.command()
@click.argument("content")
@click.option("--title", help="A searchable title.")
@click.option("--type", "type", type=KINDS, default="semantic", show_default=True)
@click.option("--trust", type=TRUSTS, default="learned", show_default=True)
@click.option("--sender", help="Who said it.")
@click.option("--channel", help="Where it was said.")
@click.option("--session", help="In which conversation.")
@click.option("--turn", type=click.IntRange(min=0), help="Its place in the session.")
@click.option("--tag", "tags", multiple=True, help="May be given several times.")
@click.option("--key", help="Identifier: two live memories with one key and different content conflict.")
@click.option("--occurred-at", type=Moment(), help="When it was true in the world.")
@click.option("--expires-at", type=Moment(), help="When it stops being true.")
@click.option("--pinned", is_flag=True, help="Exempt from clearing and forgetting.")
@click.option("--supersedes", multiple=True, metavar="ID", help="Memory that this one replaces.")
@click.option("--admin", is_flag=True, help="Allow trust system.")
@target
@as_json
def store(target: Target, as_json: bool, admin: bool, content: str, **fields: Any) -> None:
    """Remember CONTENT ("-" reads standard input)."""
    text = sys.stdin.read() if content == "-" else content
    given = {name: value for name, value in fields.items() if value not in (None, ())}
    _refuse_system(given.get("trust"), admin)
    with target.handle(admin=admin, new=True) as agent:
        stored = agent.store(text, **given)
    if as_json:
        print_json(row_of(stored))
        return
    for warning in stored.warnings:
        click.secho(f"warning: {warning}", err=True, fg="yellow")
    click.echo(f"{stored.id}  {'already known' if stored.duplicate else f'stored as {stored.trust}'}")


def _refuse_system(trust: str | None, admin: bool) -> None:
    """Said before anything is opened, so that a refusal leaves no new file behind."""
    if trust == Trust.SYSTEM and not admin:
        raise click.UsageError("trust 'system' is given by an administrator only: add --admin")


@click.command()
@click.argument("id")
@click.option("--as-of", type=Moment(), help="The version of that moment of record time.")
@click.option("--history", is_flag=True, help="Every version, oldest first.")
@target
@as_json
def get(target: Target, as_json: bool, id: str, as_of: datetime | None, history: bool) -> None:
    """Show the memory ID with its annotations.

    Each version has its own annotations: --as-of shows those of that moment, --history those with which each ended.
    """
    with target.handle(finish=False) as agent:
        if history:
            versions = agent.engine.store.annotated_history(agent.scope, id)
        else:
            versions = [(agent.get(id, as_of=as_of), list(agent.annotations(id, as_of=as_of)))]
    if as_json:
        rows = [{**memory_row(memory), "annotations": [row_of(row) for row in said]} for memory, said in versions]
        print_json(rows if history else rows[0])
        return
    for memory, said in versions:
        _show_version(memory, said)


def _show_version(memory: Memory, annotations: Sequence[Annotation]) -> None:
    for name, value in memory_row(memory).items():
        click.echo(f"{name:>14}  {value}")
    click.echo()
    for annotation in annotations:
        click.echo(f"{annotation.kind:>14}  {' '.join(str(value) for value in row_of(annotation).values())}")
    if annotations:
        click.echo()


@click.command()
@click.argument("id")
@click.option("--content", help="The new text.")
@click.option("--title")
@click.option("--type", "type", type=KINDS)
@click.option("--trust", type=TRUSTS)
@click.option("--tag", "tags", multiple=True, help="Replaces all tags.")
@click.option("--key")
@click.option("--occurred-at", type=Moment())
@click.option("--expires-at", type=Moment())
@click.option("--pinned/--not-pinned", default=None)
@as_admin
@target
@as_json
def update(target: Target, as_json: bool, admin: bool, id: str, **fields: Any) -> None:
    """Change the memory ID; the prior version stays in its history."""
    given = {name: value for name, value in fields.items() if value not in (None, ())}
    if not given:
        raise click.UsageError("nothing to change: give at least one option, e.g. --content")
    _refuse_system(given.get("trust"), admin)
    with target.handle(admin=admin) as agent:
        memory = agent.update(id, **given)
    if as_json:
        print_json(memory_row(memory))
    else:
        click.echo(f"{memory.id}  updated")


@click.command()
@click.argument("ids", nargs=-1, required=True)
@as_admin
@target
@as_json
def delete(target: Target, as_json: bool, admin: bool, ids: tuple[str, ...]) -> None:
    """Remove memories by IDS: every version and everything derived from them."""
    _on_each(target, ids, "deleted", lambda agent: agent.delete(*ids), admin=admin, as_json=as_json)


@click.command()
@click.argument("ids", nargs=-1, required=True)
@as_admin
@target
@as_json
def evict(target: Target, as_json: bool, admin: bool, ids: tuple[str, ...]) -> None:
    """Hide memories by IDS from recall until `comis restore`; what is hidden already stays so and is not counted."""
    _on_each(target, ids, "evicted", lambda agent: agent.evict(*ids), admin=admin, as_json=as_json)


@click.command()
@click.argument("ids", nargs=-1, required=True)
@as_admin
@target
@as_json
def restore(target: Target, as_json: bool, admin: bool, ids: tuple[str, ...]) -> None:
    """Show evicted memories by IDS to recall again; what is in sight already is not counted.

    `comis browse --evicted` marks with "-" what is hidden.
    """
    _on_each(target, ids, "restored", lambda agent: agent.restore(*ids), admin=admin, as_json=as_json)


def _on_each(
    target: Target, ids: Sequence[str], done: str, act: Callable[[Agent], int], *, admin: bool, as_json: bool
) -> None:
    """Do something to several memories, and name those that are not there. done: what is said of the others."""
    with target.handle(admin=admin) as agent:
        unknown = [id for id in dict.fromkeys(ids) if not is_there(agent, id)]
        count = act(agent)
    if as_json:
        print_json({done: count, "unknown": unknown})
    else:
        click.echo(f"{done} {count} of {len(set(ids))}")
    if unknown:
        raise NotFoundError(f"this agent has no memory {', '.join(unknown)}", hint="see `comis browse`")


def is_there(agent: Agent, id: str) -> bool:
    """Whether the agent has this memory, in sight of recall or not."""
    try:
        agent.get(id)
    except NotFoundError:
        return False
    return True


@click.command()
@click.option("--all-agents", is_flag=True, help="Every agent of the tenant.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--tenant", required=True, help="Whose memories; must be named.")
@click.option("--agent", help="Which agent's; or --all-agents.")
@click.option("--config", type=click.Path(dir_okay=False))
@click.option("--db", "database", type=click.Path(dir_okay=False))
@as_json
def clear(
    as_json: bool, tenant: str, agent: str | None, all_agents: bool, yes: bool, config: str | None, database: str | None
) -> None:
    """Remove the non-system, non-pinned memories of a named agent, or of all agents of a named tenant."""
    if (agent is None) != all_agents:
        raise click.UsageError("name one agent with --agent, or give --all-agents")
    import comis_core

    what = f"agent {agent!r} of tenant {tenant!r}" if agent else f"every agent of tenant {tenant!r}"
    with comis_core.open(database, config=config, create=False) as engine:
        refuse_unknown(engine.scopes(), engine.path, tenant=tenant, agent=agent)
        if not yes:
            click.confirm(f"Remove the memories of {what}?", abort=True, err=True)
        removed = engine.clear(tenant, agent)
    if as_json:
        print_json({"cleared": removed})
    else:
        click.echo(f"cleared {removed} memories of {what}")


@click.command()
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--cursor", help="Continue where the last page ended.")
@click.option("--type", "types", multiple=True, type=KINDS)
@click.option("--trust", "trusts", multiple=True, type=TRUSTS)
@click.option("--tag", "tags", multiple=True)
@click.option("--sender")
@click.option("--session")
@click.option("--key")
@click.option("--since", type=Moment())
@click.option("--until", type=Moment())
@click.option("--evicted", is_flag=True, help="Also what is hidden from recall.")
@target
@as_json
def browse(
    target: Target,
    as_json: bool,
    limit: int,
    cursor: str | None,
    types: tuple[str, ...],
    trusts: tuple[str, ...],
    tags: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    evicted: bool,
    **narrow: str | None,
) -> None:
    """List memories, newest first."""
    filters = Filters(
        types=frozenset(map(MemoryType, types)) or None,
        trust=frozenset(map(Trust, trusts)) or None,
        tags=frozenset(tags) or None,
        since=since,
        until=until,
    )
    given = {name: value for name, value in narrow.items() if value is not None}
    with target.handle(finish=False) as agent:
        page = agent.browse(filters=filters, limit=limit, cursor=cursor, include_evicted=evicted, **given)
    if as_json:
        print_json({"memories": [memory_row(memory) for memory in page.memories], "cursor": page.cursor})
        return
    for memory in page.memories:
        click.echo(_line(memory))
    if page.cursor:
        click.secho(f"more: --cursor {page.cursor}", dim=True)
    if not page.memories:
        click.secho("nothing here", dim=True, err=True)


def _line(memory: Memory) -> str:
    content = " ".join(memory.content.split())
    short = content if len(content) <= 90 else content[:89] + "…"
    marks = "".join(mark for mark, on in (("*", memory.pinned), ("-", memory.evicted_at is not None)) if on)
    who = f"{memory.sender}: " if memory.sender else ""
    return f"{memory.id}  {memory.created_at:%Y-%m-%d}  {memory.trust:<8} {marks}{who}{short}"
