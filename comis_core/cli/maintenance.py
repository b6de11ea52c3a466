"""Commands on the file itself."""

from __future__ import annotations

import click

from comis_core.cli.options import Target, as_json, print_json, target


@click.command()
@target
@as_json
def vacuum(target: Target, as_json: bool) -> None:
    """Rewrite the file so that nothing of what was deleted is left in it."""
    with target.engine() as engine:
        before = engine.path.stat().st_size
        engine.vacuum()
        after = engine.path.stat().st_size
    if as_json:
        print_json({"bytes_before": before, "bytes_after": after})
    else:
        click.echo(f"{before:,} bytes before, {after:,} after")
