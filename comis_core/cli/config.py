"""Commands on the configuration: init, check, show, schema."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click

from comis_core.cli.files import written
from comis_core.cli.options import Target, as_json, print_json, show_rows, target
from comis_core.errors import ComisError, ConfigError

if TYPE_CHECKING:
    from comis_core.config import Config, Schema, Setting
    from comis_core.engine import Problem
    from comis_core.host import Registry

HERE = "config.yaml"
"""What `init` writes, and what no other command finds by itself."""


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), default=HERE)
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
    """Look the config over: every problem at once, then what is allowed but worth a look.

    A plugin or model that it names and that cannot be used is a problem too, as is what would keep a recall from being
    answered. Nothing is downloaded.
    """
    from comis_core.engine.models import model_problems
    from comis_core.engine.pipelines import pipeline_problems

    try:
        registry, settings = _settings(target)
        found = [*pipeline_problems(registry, settings), *model_problems(registry, settings)]
        wrong = [*registry.missing, *(f"plugin: {failure}" for failure in registry.failures)]
        wrong += [_in_full(problem) for problem in found if not problem.minor]
        _refuse(wrong, _file_read(settings) or settings.source)
    except ConfigError as error:
        if as_json:
            print_json({"problems": list(error.problems) or [error.message], "warnings": [], "inactive": []})
            raise SystemExit(2) from None
        raise
    warnings = [*map(str, settings.warnings), *(_in_full(problem) for problem in found if problem.minor)]
    if as_json:
        print_json({
            "file": _file_read(settings),
            "problems": [],
            "warnings": warnings,
            "inactive": [str(key) for key in settings.inactive],
        })
        return
    for warning in warnings:
        click.secho(f"warning: {warning}", fg="yellow")
    if settings.inactive:
        click.echo("not active in this version, or switched off:")
        for key in settings.inactive:
            click.echo(f"  {key}")
    _say_what_was_read(target, settings, len(warnings))


def _in_full(problem: Problem) -> str:
    return f"{problem.what} ({problem.remedy})" if problem.remedy else problem.what


def _refuse(problems: list[str], source: str) -> None:
    if problems:
        raise ConfigError(f"{source} cannot be used as it is:", problems=problems)


def _file_read(settings: Config) -> str | None:
    """The config file that was read, whole path; None when there was none."""
    there = settings.file is not None and settings.file.exists()
    return str(settings.file.absolute()) if there and settings.file is not None else None


def _say_what_was_read(target: Target, settings: Config, warnings: int) -> None:
    file = _file_read(settings)
    if file is not None:
        origin = "" if target.config is not None else f" (from {_named_by()})"
        worth = f", {warnings} warning{'s' if warnings > 1 else ''}" if warnings else ""
        click.secho(f"{file}{origin}: no problems{worth}", fg="yellow" if warnings else "green")
        return
    if settings.file is None:
        click.echo("with --db and without --config no config is read: the defaults hold")
        return
    click.echo(f"there is no {settings.source}: the defaults hold (`comis init` writes a config)")
    if Path(HERE).is_file():
        click.secho(
            f"{HERE} in this folder was not read, for nobody named it: give --config {HERE}, or set $COMIS_CONFIG",
            fg="yellow",
        )


def _named_by() -> str:
    return "$COMIS_CONFIG" if os.environ.get("COMIS_CONFIG") else "the default place"


@config.command()
@click.option("--effective", is_flag=True, help="Every key, after preset and defaults, with its origin.")
@target
@as_json
def show(target: Target, as_json: bool, effective: bool) -> None:
    """Show what the config says; --effective adds what the preset and the defaults say."""
    registry, settings = _settings(target)
    for warning in settings.warnings:
        click.secho(f"warning: {warning}", err=True, fg="yellow")
    rows = [row for row in settings.effective(target.agent) if effective or row.origin != "default"]
    notes = _embedding_note(registry, settings, target.agent) if effective else {}
    show_rows(
        rows,
        as_json=as_json,
        row=lambda row: {**attrs.asdict(row), "note": notes.get(row.path, "")},
        line=lambda row: _effective_line(row, notes.get(row.path, "")),
        nothing=f"{_file_read(settings) or 'the config'} sets nothing; --effective shows the defaults",
    )


def _embedding_note(registry: Registry, settings: Config, agent: str) -> dict[str, str]:
    """What is said beside the model's key when nobody has written one, for then its default is not what embeds."""
    from comis_core.engine.models import automatic_embedder
    from comis_core.host.embedder import KEY

    chosen = automatic_embedder(registry, settings, agent)
    return {} if chosen is None else {KEY: f"the hosted model's name only: nobody has named a model, and auto {chosen}"}


def _effective_line(row: Setting, note: str) -> str:
    mark = "" if row.active else "  (not active in this version)"
    mark += f"  ({note})" if note else ""
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

    loaded = load_settings(target.source, preset=target.preset, tolerant=True)
    return loaded.registry, loaded.settings
