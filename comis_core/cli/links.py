"""Commands on causes and effects."""

from __future__ import annotations

import click

from comis_core.cli.options import Target, as_json, print_json, show_rows, target
from comis_core.rows import row_of


@click.command()
@click.argument("cause")
@click.argument("effect")
@click.option("--confidence", type=click.FloatRange(0.0, 1.0), default=1.0, show_default=True)
@target
@as_json
def link(target: Target, as_json: bool, cause: str, effect: str, confidence: float) -> None:
    """Say that the memory CAUSE is a cause of the memory EFFECT."""
    with target.handle() as agent:
        agent.link(cause, effect, confidence)
    if as_json:
        print_json({"cause": cause, "effect": effect, "confidence": confidence})
    else:
        click.echo(f"{cause}  is a cause of  {effect}")


@click.command()
@click.argument("id")
@target
@as_json
def links(target: Target, as_json: bool, id: str) -> None:
    """Show what the memory ID caused and what caused it, the surest first."""
    with target.handle(finish=False) as agent:
        found = agent.links(id)
    show_rows(
        found,
        as_json=as_json,
        row=row_of,
        line=lambda each: f"{each.cause}  ->  {each.effect}  {each.confidence:g}",
        nothing="no causes and no effects",
    )
