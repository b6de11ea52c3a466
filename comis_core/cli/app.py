"""The command tree: names only; a command's module is imported when it is called, so that `comis --help` is quick."""

from __future__ import annotations

import errno
import logging
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from comis_core.errors import ComisError, ConfigError

COMMANDS: Mapping[str, tuple[str, str]] = {
    "quickstart": ("comis_core.cli.quickstart:quickstart", "Store a sample conversation and ask it five questions."),
    "init": ("comis_core.cli.config:init", "Write a config.yaml to start from."),
    "store": ("comis_core.cli.memories:store", "Remember something."),
    "recall": ("comis_core.cli.recall:recall", "Find what matters for a question, as a prompt block."),
    "search": ("comis_core.cli.recall:search", "Find memories, without diversity or budget."),
    "explain": ("comis_core.cli.recall:explain", "Show how an answer came about, or why a memory is not in it."),
    "replay": ("comis_core.cli.traces:replay", "Walk a stored recall again and compare."),
    "get": ("comis_core.cli.memories:get", "Show one memory, its annotations and its history."),
    "update": ("comis_core.cli.memories:update", "Change a memory; the prior version is kept."),
    "link": ("comis_core.cli.links:link", "Say that one memory is a cause of another."),
    "links": ("comis_core.cli.links:links", "Show what a memory caused and what caused it."),
    "evict": ("comis_core.cli.memories:evict", "Hide memories from recall until they are restored."),
    "restore": ("comis_core.cli.memories:restore", "Show evicted memories to recall again."),
    "delete": ("comis_core.cli.memories:delete", "Remove memories and everything derived from them."),
    "clear": ("comis_core.cli.memories:clear", "Remove the non-system, non-pinned memories of an agent or tenant."),
    "browse": ("comis_core.cli.memories:browse", "List memories by date."),
    "import": ("comis_core.cli.transfer:import_", "Read memories from JSONL."),
    "export": ("comis_core.cli.transfer:export", "Write memories as JSONL."),
    "plugins": ("comis_core.cli.plugins:plugins", "List, show and order plugins."),
    "models": ("comis_core.cli.models:models", "Download local models."),
    "config": ("comis_core.cli.config:config", "Check and show the configuration; its JSON Schema."),
    "eval": ("comis_core.cli.evaluate:evaluate", "Measure recall on your own data, pipeline against pipeline."),
    "doctor": ("comis_core.cli.doctor:doctor", "Look at configuration, plugins and file, and repair what is derived."),
    "backup": ("comis_core.cli.maintenance:backup", "Copy the database while it is in use."),
    "vacuum": ("comis_core.cli.maintenance:vacuum", "Rewrite the file without what was deleted."),
}
"""Command name -> (where it lives, help)."""

EXTENSIONS = "comis.commands"
"""Entry-point group of commands that plugins bring."""


class LazyGroup(click.Group):
    """A group whose commands are imported when called; plugins' commands come from entry points, by name only."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Built-in commands in the order of a first visit, then those of plugins."""
        return [*COMMANDS, *sorted(set(_extensions()) - set(COMMANDS))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module."""
        if cmd_name in COMMANDS:
            return _load(COMMANDS[cmd_name][0])
        extension = _extensions().get(cmd_name)
        return _load_extension(cmd_name, extension) if extension is not None else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Help from the table, so that nothing is imported for it."""
        rows = [(name, text) for name, (_, text) in COMMANDS.items()]
        rows += [
            (name, f"from {entry.dist.name if entry.dist else 'a plugin'}") for name, entry in _extensions().items()
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _extensions() -> dict[str, Any]:
    """Command name -> entry point; of a name that several claim the first on the import path counts."""
    from importlib_metadata import distributions

    found: dict[str, Any] = {}
    for distribution in distributions():
        try:
            entries = [entry for entry in distribution.entry_points if entry.group == EXTENSIONS]
        except Exception as error:  # noqa: BLE001 - `comis plugins` and `comis doctor` name what cannot be read
            logging.getLogger(__name__).debug("metadata of %s: %r", distribution, error)
            continue
        for entry in entries:
            found.setdefault(entry.name, entry)
    return {name: entry for name, entry in found.items() if name not in COMMANDS}


def _load(target: str) -> click.Command:
    module, _, name = target.partition(":")
    command: click.Command = getattr(import_module(module), name)
    return command


def _load_extension(name: str, entry: Any) -> click.Command:
    try:
        command = entry.load()
    except Exception as error:
        raise click.ClickException(f"command {name!r} ({entry.value}) cannot be imported: {error!r}") from error
    if not isinstance(command, click.Command):
        raise click.ClickException(f"command {name!r} ({entry.value}) is no click command")
    return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="comis-core", prog_name="comis")
def app() -> None:
    """Recall for agents: store what an agent learns, find the few memories that matter."""


def run(arguments: list[str] | None = None) -> None:
    """Run the command line. Exit code 0; 1 when a command failed; 2 for wrong usage or configuration."""
    _tell_failures_once()
    try:
        _main(arguments)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.Abort:
        _say("stopped")
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except ConfigError as error:
        _say(str(error))
        sys.exit(2)
    except ComisError as error:
        _say(error.message, error.hint)
        sys.exit(1)
    except BrokenPipeError:
        _close_quietly()
        sys.exit(1)
    except OSError as error:
        _say_what_the_system_said(error)
        _close_quietly()
        sys.exit(1)


def _main(arguments: list[str] | None) -> None:
    """The command; what it printed has left the process when it returns, or it says here that it could not."""
    try:
        app.main(args=arguments, prog_name="comis", standalone_mode=False)
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()


def _say_what_the_system_said(error: OSError) -> None:
    words = error.strerror or str(error)
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    if error.filename:
        words = f"{words}: {error.filename}"
    elif full:
        words = f"the output could not be written: {words}"
    _say(words, "free some space, or write to another place" if full else "")


def _tell_failures_once() -> None:
    """What plugins do wrong is told by the commands themselves; the log with its tracebacks is for programs."""
    log = logging.getLogger("comis_core")
    log.addHandler(logging.NullHandler())
    log.propagate = False


def _say(message: str, hint: str = "") -> None:
    click.secho(f"Error: {message}", err=True, fg="red")
    if hint:
        click.echo(f"  {hint}", err=True)


def _close_quietly() -> None:
    """What could not be printed (`comis browse | head`, a full disk) is not tried again at exit, with a traceback."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
