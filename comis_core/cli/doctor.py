"""The doctor: it runs whatever the configuration says and whatever plugins do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import click

from comis_core.cli.options import Target, as_json, print_json, target

if TYPE_CHECKING:
    from comis_core.engine import Diagnosis


@click.command()
@click.option("--repair", is_flag=True, help="Build derived tables again where they are not sound.")
@click.option("--isolate", is_flag=True, help="Import each plugin in a process of its own first, with a time limit.")
@target
@as_json
def doctor(target: Target, as_json: bool, repair: bool, isolate: bool) -> None:
    """Look at configuration, plugins and file: every derived table against the truth. Exit code 1 when something is
    wrong.

    Nothing that was stored is ever removed. While an index is compared, others can read and have to wait to write.
    """
    from comis_core.engine.checkup import check_up

    found = check_up(target.database, config=target.config, preset=target.preset, repair=repair, isolate=isolate)
    if as_json:
        print_json({
            "path": None if found.path is None else str(found.path),
            "sound": found.sound,
            "problems": [attrs.asdict(problem) for problem in found.problems],
            "repaired": list(found.repaired),
            "facts": dict(found.facts),
        })
    else:
        _show(found)
    if not found.sound:
        raise SystemExit(1)


def _show(found: Diagnosis) -> None:
    for done in found.repaired:
        click.secho(f"repaired: {done}", fg="green")
    for problem in found.problems:
        click.secho(str(problem), dim=problem.minor, fg=None if problem.minor else "red")
        if problem.remedy:
            click.echo(f"    {problem.remedy}")
    for name, value in found.facts.items():
        click.secho(f"{name:>10}  {_shown(value) or 'none'}", dim=True)
    if found.sound:
        click.secho(f"{found.path}: sound", fg="green")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {count:,}" for key, count in value.items())
    return value if isinstance(value, str) else f"{value:,}"
