"""Where a config comes from, and what can be known of it before any plugin is imported."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from comis_core.config.core import PluginsOptions
from comis_core.config.kinds import FAILED
from comis_core.config.nodes import MappingNode, Node, Place, ScalarNode, SequenceNode, from_python
from comis_core.config.options import fields_of
from comis_core.config.problems import Problems
from comis_core.errors import ConfigError

ENVIRONMENT_VARIABLE = "COMIS_CONFIG"
PYTHON = "<python>"
"""What places of a mapping given from Python are called."""


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RawConfig:
    """A config as plain data with positions, not yet checked against a schema.

    source: what messages call it. file: where it was read from; None for a mapping given from Python. folder: what
    relative paths in it are relative to.
    """

    root: MappingNode
    source: str
    file: Path | None
    folder: Path

    @property
    def plugins(self) -> PluginsOptions:
        """The `plugins` section, as far as it can be read; `structure` reports what is wrong with it."""
        section = self.at("plugins")
        entries = section.entries if isinstance(section, MappingNode) else {}
        sound: dict[str, Any] = {}
        for field in fields_of(PluginsOptions):
            if field.key in entries:
                value = field.kind.read(entries[field.key].node, (), Problems())
                sound |= {} if value is FAILED else {field.argument: value}
        return PluginsOptions(**sound)

    @property
    def presets_named(self) -> tuple[str, ...]:
        """The presets that agents name, each once, in the order of the file."""
        agents = self.at("agents")
        names = [self.preset_of(name) for name in agents.entries] if isinstance(agents, MappingNode) else []
        return tuple(dict.fromkeys(name for name in names if name))

    def preset_of(self, agent: str) -> str | None:
        """The preset that an agent names, if it names one in text."""
        node = self.at("agents", agent, "preset")
        return node.value if isinstance(node, ScalarNode) and isinstance(node.value, str) else None

    def at(self, *path: str | int) -> Node | None:
        """The value at keys and list indexes, e.g. `at("plugins", "enable", 0)`."""
        node: Node = self.root
        for part in path:
            if isinstance(node, MappingNode) and isinstance(part, str) and part in node.entries:
                node = node.entries[part].node
            elif isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.items):
                node = node.items[part]
            else:
                return None
        return node

    def where(self, *path: str | int) -> str:
        """`file:line:column` of the value at keys and list indexes; the source alone when it does not stand there."""
        node = self.at(*path)
        return str(node.place) if node is not None else self.source


def read(
    source: Path | str | Mapping[str, Any] | None = None, *, environ: Mapping[str, str] | None = None
) -> RawConfig:
    """Read a config as plain data.

    Args:
        source: a config.yaml, or the same as a mapping; None for the file that $COMIS_CONFIG names, else
            ~/.comis/config.yaml, else an empty config.
        environ: the environment; the process's own when None.

    Raises:
        ConfigError: for a file that is missing, unreadable, no UTF-8, no YAML or no mapping, for duplicate keys, tags,
            aliases that run away, and for data that has no place in a config; with file, line and column.
    """
    environ = os.environ if environ is None else environ
    if isinstance(source, Mapping):
        root = from_python(source, Place(PYTHON))
        assert isinstance(root, MappingNode)
        return RawConfig(root=root, source=PYTHON, file=None, folder=Path.cwd())
    if source is not None:
        return _read_file(_expand(source, environ), named_by="")
    if environ.get(ENVIRONMENT_VARIABLE):
        return _read_file(_expand(environ[ENVIRONMENT_VARIABLE], environ), named_by=f" (from ${ENVIRONMENT_VARIABLE})")
    return _read_file(_expand("~/.comis/config.yaml", environ), named_by=None)


def _read_file(file: Path, named_by: str | None) -> RawConfig:
    """Read a file; named_by: how it came to be named, None for the default place, where it may be missing."""
    # A mapping given from Python has no need of the parser, which takes its time to import.
    from comis_core.config.yaml_text import decode, parse

    source = str(file)
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        if named_by is not None:
            raise ConfigError(f"no config file {source}{named_by}", hint="`comis init` writes one") from None
        return RawConfig(root=MappingNode({}, Place(source)), source=source, file=file, folder=file.absolute().parent)
    except OSError as error:
        raise ConfigError(f"cannot read the config {source}{named_by or ''}: {error.strerror or error}") from None
    root = parse(decode(data, source), source) or MappingNode({}, Place(source))
    return RawConfig(root=root, source=source, file=file, folder=file.absolute().parent)


def _expand(path: Path | str, environ: Mapping[str, str]) -> Path:
    """A path with a leading `~` replaced by the home of this environment."""
    parts = Path(path).parts
    if parts[:1] == ("~",):
        return Path(environ.get("HOME") or Path.home()).joinpath(*parts[1:])
    return Path(path)
