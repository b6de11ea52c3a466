"""Commands on the configuration: init, check, show, schema."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click

from comis_core.cli.files import written
from comis_core.cli.options import Target, as_json, print_json, show_rows, target
from comis_core.errors import ComisError, ConfigError

if TYPE_CHECKING:
    from comis_core.config import Config, Schema, Setting
    from comis_core.host import Registry


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), default="config.yaml")
@click.option("--preset", default="tuned", show_default=True, help="The pipeline to start from.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def init(file: Path, preset: str, force: bool) -> None:
    """Write a config FILE to start from (default: config.yaml here)."""
    from comis_core.config import template

    if file.exists() and not force:
        raise ComisError(f"{file} exists already", hint="choose another name, or replace it with --force")
    registry, schema = _schema_of(None)
    if preset not in registry.presets:
        raise ComisError(f"there is no preset {preset!r}", hint=f"known: {', '.join(sorted(registry.presets))}")
    text = template(schema, registry.presets[preset])
    file.parent.mkdir(parents=True, exist_ok=True)
    with written(file) as out:
        out.write(text)
    click.echo(
        f"wrote {file}; use it with `--config {file}`, or for all commands: export COMIS_CONFIG={file.absolute()}"
    )


@click.group()
def config() -> None:
    """Check and show the configuration; its JSON Schema."""


@config.command()
@target
@as_json
def check(target: Target, as_json: bool) -> None:
    """Look the config over: every problem at once, then what is allowed but worth a look."""
    try:
        registry, settings = _settings(target)
    except ConfigError as error:
        if as_json:
            print_json({"problems": list(error.problems) or [error.message], "warnings": [], "inactive": []})
            raise SystemExit(2) from None
        raise
    if as_json:
        print_json({
            "problems": [],
            "warnings": [str(warning) for warning in settings.warnings],
            "inactive": [str(key) for key in settings.inactive],
            "plugins": [str(failure) for failure in registry.failures],
        })
        return
    for failure in registry.failures:
        click.secho(f"plugin: {failure}", fg="yellow")
    for warning in settings.warnings:
        click.secho(f"warning: {warning}", fg="yellow")
    if settings.inactive:
        click.echo("not active in this version, or switched off:")
        for key in settings.inactive:
            click.echo(f"  {key}")
    if settings.file is not None and not settings.file.exists():
        click.echo(f"there is no {settings.source}: the defaults hold (`comis init` writes a config)")
    else:
        click.secho(f"{settings.source}: no problems", fg="green")


@config.command()
@click.option("--effective", is_flag=True, help="Every key, after preset and defaults, with its origin.")
@target
@as_json
def show(target: Target, as_json: bool, effective: bool) -> None:
    """Show what the config says; --effective adds what the preset and the defaults say."""
    _, settings = _settings(target)
    rows = [row for row in settings.effective(target.agent) if effective or row.origin != "default"]
    show_rows(
        rows,
        as_json=as_json,
        row=attrs.asdict,
        line=_effective_line,
        nothing=f"{settings.source} sets nothing; --effective shows the defaults",
    )


def _effective_line(row: Setting) -> str:
    mark = "" if row.active else "  (not active in this version)"
    return f"{row.path}: {row.value}  " + click.style(f"# {row.origin}{mark}", dim=True)


@config.command()
@target
def schema(target: Target) -> None:
    """Print the JSON Schema of config.yaml, for editors."""
    from comis_core.config import json_schema

    print_json(json_schema(_schema_of(target.config)[1]))


def _schema_of(source: Path | None) -> tuple[Registry, Schema]:
    from comis_core.config import read
    from comis_core.host import Host

    registry = Host.of(read(source if source is not None else {})).load(tolerant=True)
    return registry, registry.schema()


def _settings(target: Target) -> tuple[Registry, Config]:
    from comis_core.engine import load_settings

    loaded = load_settings(target.config, preset=target.preset, tolerant=True)
    return loaded.registry, loaded.settings
