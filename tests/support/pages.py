"""Reference pages that are made from the code: run this file to write them anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import attrs
import click

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def config_page() -> str:
    """Every config key with its default, its owner and what it does."""
    from comis_core.config import to_key
    from comis_core.host import Host

    schema = Host().load().schema()
    lines = [
        "# Configuration",
        "",
        "Every key of `config.yaml`, made from the schema (`comis config schema` prints it as JSON Schema). Keys of plugins",
        "name their plugin; keys marked *later* are known and accepted, and nothing in this version obeys them.",
        "",
        "The file is the one that `--config` (`config=`) names, else the one that `$COMIS_CONFIG` names, else",
        "`~/.comis/config.yaml`, which may be missing; a `config.yaml` in the current folder is not looked for. With a database",
        "and no config (`--db`, or the path given to `comis_core.open`) no file is read. `comis config check` says which file it",
        "read, and whether the plugins and models that it names can be used; nothing is downloaded.",
        "",
        "`agents.default` holds the keys of every agent that the file does not name. An agent that it names has the keys of its own",
        "section and of the preset named there, and nothing else: sections do not inherit from `default`, neither keys nor preset.",
        "Without a `preset` of its own it runs the preset of the call (`--preset`, `preset=`), else `comis`; `comis config check`",
        "warns of it where `default` names another one.",
        "",
        "`recall.embeddingModel` shows the hosted model's name as its default, and that counts only where it is written: with",
        "nothing written `auto` chooses, and `comis config show --effective` says what.",
        "",
        "A key that names a lane or an expander (`rag.lanes.adjacent.words`, `rag.queryUnderstanding.intentWeights`) takes the names",
        "that `comis plugins list` shows. A name that no plugin at hand offers is an error with its place and the names there are; one",
        "of a part that is switched off, or of a plugin that `plugins.disable` names, is a warning of `comis config check`.",
    ]
    for level, head in (("engine", "memory"), ("agent", "agents.<name>")):
        lines += ["", f"## `{head}`", "", "| key | default | plugin | what it does |", "|---|---|---|---|"]
        rows = []
        for owned in schema.of_level(level):  # type: ignore[arg-type]
            instance = owned.section.options_class()
            for field in attrs.fields(owned.section.options_class):
                key = ".".join(filter(None, (owned.section.path, to_key(field.name))))
                owner = owned.owner.name if owned.owner else ("core" if owned.active else "*later*")
                rows.append((
                    key,
                    owned.rank,
                    _plain(getattr(instance, field.name)),
                    owner,
                    field.metadata.get("help", ""),
                ))
        seen: dict[str, tuple[str, str, str]] = {}
        for key, _, default, owner, text in sorted(rows, key=lambda row: (row[0], -row[1])):
            seen.setdefault(key, (default, owner, text))
        lines += [f"| `{key}` | {default} | {owner} | {text} |" for key, (default, owner, text) in seen.items()]
    return "\n".join([*lines, ""])


def cli_page() -> str:
    """Every command with its help."""
    from comis_core.cli.app import COMMANDS, app

    lines = [
        "# Command line",
        "",
        "Made from the commands' own help. Exit codes: 0, 1 (failed), 2 (usage or configuration).",
        "",
        "`store` and `import` make the file and the agent that they are given. Every other command fails (1) where there is no",
        "such file, or nothing was ever stored for that agent of that tenant, and names those that are there; so does one",
        "that is given the id of no memory. An agent whose memories are all gone is known, and has nothing.",
        "",
        "A `TIME` is an ISO date or time with its zone: `2026-03-01T09:30+01:00`, `2026-03-01T09:30Z`, or `2026-03-01Z`",
        "for the first moment of that day in UTC. One without a zone is refused, as it is in Python and in imports.",
    ]
    context = click.Context(app, info_name="comis", **app.context_settings)
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        lines += _command_help(command, name, context)
    return "\n".join([*lines, ""])


def plugins_page() -> str:
    """Every built-in and what it contributes."""
    from comis_core.host import Host

    lines = [
        "# Built-in plugins",
        "",
        "Each is one entry point of the group `comis.plugins`, with its own page, and takes the same road as a stranger's.",
        "",
        "| plugin | contributes |",
        "|---|---|",
    ]
    lines += [
        f"| [{report.name}]({report.name}.md) | {', '.join(f'{stage} `{name}`' for stage, name in report.contributes)} |"
        for report in Host().load().reports
        if report.builtin
    ]
    return "\n".join([*lines, ""])


def _command_help(command: click.Command, name: str, parent: click.Context) -> list[str]:
    context = click.Context(command, info_name=name, parent=parent, max_content_width=100, terminal_width=100)
    lines = ["", f"## `{context.command_path}`", "", "```text", command.get_help(context), "```"]
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            child = command.get_command(context, inner)
            assert child is not None
            lines += _command_help(child, inner, context)
    return lines


def _plain(value: object) -> str:
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`[{', '.join(str(item) for item in value)}]`"
    return f"`{value}`" if str(value) else '`""`'


PAGES: Mapping[Path, Callable[[], str]] = {
    DOCS / "reference" / "config.md": config_page,
    DOCS / "reference" / "cli.md": cli_page,
    DOCS / "plugins" / "index.md": plugins_page,
}

if __name__ == "__main__":
    for path, make in PAGES.items():
        path.write_text(make(), encoding="utf-8")
