"""Commands on the file itself."""

from __future__ import annotations

from pathlib import Path

import click

from comis_core.cli.options import Target, as_json, print_json, target


@click.command()
@click.option("--drop-space", metavar="FINGERPRINT", help="Remove the vectors of a model that is no longer used, too.")
@target
@as_json
def vacuum(target: Target, as_json: bool, drop_space: str | None) -> None:
    """Rewrite the file so that nothing of what was deleted is left in it."""
    with target.engine() as engine:
        before = engine.path.stat().st_size
        dropped = engine.drop_space(drop_space) if drop_space is not None else 0
        left = engine.vacuum()
        after = engine.path.stat().st_size
    if as_json:
        print_json({"bytes_before": before, "bytes_after": after, "dropped": dropped, "not_tidied": list(left)})
        return
    if dropped:
        click.echo(f"removed the vectors of {dropped:,} memories")
    for name in left:
        words = f"index {name} is not up to date or its plugin is not here: words of deleted memories may be left in it"
        click.secho(words, err=True, fg="yellow")
    click.echo(f"{before:,} bytes before, {after:,} after")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@target
@as_json
def backup(target: Target, as_json: bool, file: Path) -> None:
    """Copy the database, as it is now, to FILE, where nothing may be yet; others may read and write meanwhile.

    The copy is compared with SQLite's own checks before it takes its name.
    """
    from comis_core.clock import SystemClock
    from comis_core.store import Store

    with Store.open(target.path(), clock=SystemClock(), read_only=True) as store:
        store.backup(file)
    size = file.stat().st_size
    if as_json:
        print_json({"file": str(file), "bytes": size})
    else:
        click.echo(f"{file}: {size:,} bytes, sound")
