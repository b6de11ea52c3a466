"""Options that commands share, and the engine they open."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
import click

from comis_core.errors import NotFoundError

if TYPE_CHECKING:
    from comis_core.agent import Agent
    from comis_core.engine import Engine
    from comis_core.model import Scope

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

SHOWN = 10
"""Agents of a file that an error names."""

_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(Z|[+-]\d\d:?\d\d|)")


@attrs.frozen(kw_only=True)
class Target:
    """Which file, config and scope a command works on."""

    config: Path | None
    database: Path | None
    preset: str | None
    agent: str
    tenant: str

    @property
    def source(self) -> Path | dict[str, Any] | None:
        """The config that an engine on this file and config reads: with a database and no config none is looked for."""
        return {} if self.config is None and self.database is not None else self.config

    def path(self) -> Path:
        """The database file, for commands that open no engine; the config is read only when none was named."""
        if self.database is not None:
            return self.database
        from comis_core.engine import load_settings

        return load_settings(self.config, preset=self.preset, tolerant=True).settings.database_path()

    @contextmanager
    def engine(self, *, finish: bool = True, create: bool = False) -> Iterator[Engine]:
        """The engine.

        Args:
            finish: whether its background work is done before it is closed, since no later process is sure to come;
                commands that only read leave it to those that write.
            create: make the file if there is none; for commands that store something.
        """
        import comis_core

        with comis_core.open(self.database, config=self.config, preset=self.preset, create=create) as engine:
            yield engine
            if finish:
                engine.drain()

    @contextmanager
    def handle(self, *, admin: bool = False, finish: bool = True, new: bool = False) -> Iterator[Agent]:
        """The agent's handle.

        Args:
            admin: whether it may change system memories.
            finish: as for `engine`.
            new: whether file and agent may be new, for commands that store something; an unknown one is an error else.
        """
        with self.engine(finish=finish, create=new) as engine:
            if not new:
                refuse_unknown(engine.scopes(), engine.path, tenant=self.tenant, agent=self.agent)
            yield engine.agent(self.agent, tenant=self.tenant, admin=admin)


def refuse_unknown(scopes: Sequence[Scope], path: Path, *, tenant: str, agent: str | None) -> None:
    """Raise NotFoundError if nothing was ever stored for this agent of this tenant; None is any agent of it."""
    if any(scope.tenant == tenant and agent in (None, scope.agent) for scope in scopes):
        return
    known = [f"--tenant {shlex.quote(scope.tenant)} --agent {shlex.quote(scope.agent)}" for scope in scopes[:SHOWN]]
    more = f", and {len(scopes) - SHOWN:,} more" if len(scopes) > SHOWN else ""
    whose = f"tenant {tenant!r}" if agent is None else f"agent {agent!r} of tenant {tenant!r}"
    raise NotFoundError(
        f"{path} has nothing of {whose}",
        hint=f"it has {', '.join(known)}{more}" if known else "nothing was ever stored in it",
    )


def target(command: F) -> F:
    """Add --config, --db, --preset, --agent and --tenant; the command receives `target`."""
    import functools

    @functools.wraps(command)
    def wrapper(
        config: Path | None, database: Path | None, preset: str | None, agent: str, tenant: str, **rest: Any
    ) -> Any:
        place = Target(config=config, database=database, preset=preset, agent=agent, tenant=tenant)
        return command(target=place, **rest)

    path = click.Path(path_type=Path, dir_okay=False)
    for option in (
        click.option("--tenant", default="default", show_default=True, help="Whose agent it is."),
        click.option("--agent", default="default", show_default=True, help="Whose memory it is."),
        click.option("--preset", help="Pipeline preset, e.g. tuned or comis; keys in the config win."),
        click.option("--db", "database", type=path, help="Database file; overrides memory.dbPath."),
        click.option("--config", type=path, help="config.yaml; else $COMIS_CONFIG, else ~/.comis/config.yaml."),
    ):
        wrapper = option(wrapper)
    return wrapper  # type: ignore[return-value]


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")


class Moment(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2 only
    """An ISO date or time with its zone; without one it is refused, as it is in Python."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Parse, or fail with the accepted form."""
        if isinstance(value, datetime):
            return value
        day = _DAY.fullmatch(value)
        try:
            # A day begins at midnight. `fromisoformat` would take the zone behind it for a time of day.
            moment = datetime.fromisoformat(f"{day[1]}T00:00{day[2]}" if day else value)
        except ValueError:
            self.fail(f"{value!r} is no ISO date or time, such as 2026-03-01Z or 2026-03-01T09:30+01:00", param, ctx)
        if moment.tzinfo is None:
            self.fail(f"{value!r} has no time zone; write {value}Z for UTC, or {value}+01:00", param, ctx)
        return moment


def cell(value: object) -> Any:
    """A table cell that shows a value as it is: nothing in it is markup."""
    from rich.text import Text

    return Text(str(value))


def show_rows(
    found: Sequence[T], *, as_json: bool, row: Callable[[T], Any], line: Callable[[T], str], nothing: str
) -> None:
    """A list for scripts, or a line each for people, and what there is to say of none."""
    if as_json:
        print_json([row(each) for each in found])
        return
    for each in found:
        click.echo(line(each))
    if not found:
        click.secho(nothing, dim=True, err=True)


def print_json(value: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))
