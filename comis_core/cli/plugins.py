"""Commands on plugins: they run whatever the configuration says and whatever a plugin does."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from comis_core.cli.options import Target, as_json, cell, print_json, target
from comis_core.errors import ComisError

if TYPE_CHECKING:
    from comis_core.host import PluginReport, Registry

STYLES = {"active": "green", "failed": "red"}


@click.group()
def plugins() -> None:
    """List, show and order plugins."""


@plugins.command("list")
@target
@as_json
def list_(target: Target, as_json: bool) -> None:
    """Every installed plugin, whether it is on, and why not."""
    registry = _registry(target)
    if as_json:
        print_json([attrs.asdict(report) for report in registry.reports])
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("plugin", "from", "state", "contributes", "reason")
    for report in registry.reports:
        table.add_row(
            cell(report.name),
            cell(f"{report.distribution} {report.version}"),
            f"[{STYLES.get(report.state, 'dim')}]{report.state}",
            cell(", ".join(f"{stage} {name}" for stage, name in report.contributes)),
            cell(report.reason),
        )
    Console().print(table)
    for problem in registry.missing:
        click.secho(problem, err=True, fg="yellow")
    for distribution, reason in registry.unreadable.items():
        click.secho(f"{distribution}: its metadata cannot be read: {reason}", err=True, fg="yellow")


@plugins.command()
@click.argument("name")
@target
@as_json
def show(target: Target, as_json: bool, name: str) -> None:
    """Everything about the plugin NAME: where it comes from, its parts, its options."""
    registry = _registry(target)
    report = registry.report(name)
    if report is None:
        from comis_core.config import did_you_mean

        guess = did_you_mean(name, [each.name for each in registry.reports])
        raise ComisError(f"no plugin {name!r} is installed", hint=f"did you mean {guess}?" if guess else "")
    options = _options(registry, report)
    if as_json:
        print_json({**attrs.asdict(report), "options": options})
        return
    for label, value in (
        ("plugin", report.name),
        ("distribution", f"{report.distribution} {report.version}"),
        ("entry point", report.entry_point),
        ("state", f"{report.state}{f': {report.reason}' if report.reason else ''}"),
        ("contributes", ", ".join(f"{stage} {part}" for stage, part in report.contributes) or "nothing"),
    ):
        click.echo(f"{label:>14}  {value}")
    for option in options:
        click.echo(f"{'option':>14}  {option['path']} = {option['default']}  {option['help']}")


@plugins.command()
@target
@as_json
def order(target: Target, as_json: bool) -> None:
    """The agent's pipeline, stage by stage, in the order in which it runs."""
    import comis_core

    with tempfile.TemporaryDirectory(prefix="comis-order-") as folder:
        place = Path(folder) / "empty.db"
        with comis_core.open(place, config=_source(target), preset=target.preset) as engine:
            pipeline = engine.pipeline(target.agent, tenant=target.tenant)
            stages, notes, failures = pipeline.describe(), pipeline.notes, pipeline.degraded
    if as_json:
        print_json(stages)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("stage", "name", "weight", "order", "plugin")
    for row in stages:
        table.add_row(row["stage"], cell(row["name"]), f"{row['weight']:g}", str(row["order"]), cell(row["plugin"]))
    Console().print(table)
    for note in notes:
        click.secho(f"note: {note}", err=True, dim=True)
    for failure in failures:
        click.secho(f"degraded: {failure}", err=True, fg="yellow")


def _source(target: Target) -> Path | dict[str, Any]:
    """The config that counts, by name: opened on a file of its own, an engine looks for none."""
    from comis_core.config import read

    if target.source is not None:
        return target.source
    file = read().file
    return file if file is not None and file.exists() else {}


def _registry(target: Target) -> Registry:
    """The plugins as the config wants them; as they are by default when the config cannot even be read."""
    from comis_core.config import read
    from comis_core.host import Host

    try:
        host = Host.of(read(target.source))
    except ComisError as error:
        click.secho(f"the config is not taken into account: {error}", err=True, fg="yellow")
        host = Host()
    return host.load(tolerant=True)


def _options(registry: Registry, report: PluginReport) -> list[dict[str, Any]]:
    from comis_core.config import to_key

    rows = []
    for owned in registry.sections:
        if owned.owner is None or owned.owner.name != report.name:
            continue
        head = "memory" if owned.section.level == "engine" else "agents.<name>"
        instance = owned.section.options_class()
        for field in attrs.fields(owned.section.options_class):
            path = ".".join(filter(None, (head, owned.section.path, to_key(field.name))))
            rows.append({
                "path": path,
                "default": str(getattr(instance, field.name)),
                "help": field.metadata.get("help", ""),
            })
    return rows
