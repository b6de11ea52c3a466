"""The config that `comis init` writes: short, commented, ready to load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from comis_core.config.nodes import KeyPath
from comis_core.config.options import plain
from comis_core.config.schema import Branch, Leaf, Schema, leaf_at
from comis_core.specs import Preset

_ENGINE_KEYS = (
    "dbPath",
    "language",
    "recall.embeddingModel",
    "languageModel.provider",
    "languageModel.model",
    "languageModel.baseUrl",
    "languageModel.apiKeyEnv",
)
_RAG_KEYS = ("rag.maxResults", "rag.maxContextChars", "rag.minScore", "rag.fusion.method")
_SHOWN_INSTEAD: Mapping[KeyPath, str] = {("recall", "embeddingModel"): "auto"}
"""The hosted default counts only where it is written, so that the template must not invite to write it."""
_OWNER_KEY = ("elevatedReply", "senderTrustMap")
_HEAD = """\
# Configuration of comis-core. A key that is commented out has the value shown; remove the `# ` to change it.
# All keys: `comis config schema`. What counts in the end, and why: `comis config show --effective`.
"""


@attrs.frozen(eq=False, repr=False)
class _Line:
    """One key of the template. active: not commented out."""

    path: KeyPath
    value: Any
    help: str
    active: bool


def template(schema: Schema, preset: Preset) -> str:
    """YAML text that names the preset and shows the keys that people change, with the values they have under it.

    It loads under the schema as it is, and also with every key uncommented.
    """
    engine_paths = [tuple(key.split(".")) for key in _ENGINE_KEYS]
    agent_paths = [*(tuple(key.split(".")) for key in _RAG_KEYS), *_lane_weights(schema.agent), _OWNER_KEY]
    engine = [_line(schema.engine, path, preset.engine) for path in engine_paths]
    agent = [_line(schema.agent, path, preset.agent) for path in agent_paths]
    chosen = _Line(("preset",), preset.name, preset.help or "A named set of values; keys written here win.", True)
    lines = [_HEAD, *_render("memory", [line for line in engine if line], 1), "agents:"]
    lines += _render("default", [chosen, *(line for line in agent if line)], 2, indent="  ")
    return "\n".join(lines) + "\n"


def _lane_weights(agent: Branch) -> Iterator[tuple[str, ...]]:
    """The weight of every lane that is at work."""
    for path, leaf in agent.leaves():
        if path[:2] == ("rag", "lanes") and path[-1] == "weight" and not leaf.owned.inactive_reason:
            yield tuple(str(part) for part in path)


def _line(branch: Branch, path: KeyPath, overlay: Mapping[str, Any]) -> _Line | None:
    leaf = leaf_at(branch, path)
    if leaf is None:
        return None
    value = _SHOWN_INSTEAD.get(path) or _value(leaf, path, overlay)
    return _Line(path, value, leaf.field.help, active=path == ("dbPath",))


def _value(leaf: Leaf, path: KeyPath, overlay: Mapping[str, Any]) -> Any:
    """The value that a key has under a preset's overlay."""
    value: Any = overlay
    for part in path:
        if not isinstance(value, Mapping) or part not in value:
            return plain(getattr(leaf.owned.section.options_class(), leaf.field.attribute.name))
        value = value[part]
    return plain(value)


def _render(head: str, lines: list[_Line], depth: int, indent: str = "") -> Iterator[str]:
    """Lines below a head, keys of one group together; a group is commented out unless a key in it is active."""
    yield f"{indent}{head}:"
    margin = "  " * depth
    open_groups: KeyPath = ()
    for line in lines:
        groups = line.path[:-1]
        mark = "" if line.active else "# "
        for level, group in enumerate(groups):
            if groups[: level + 1] != open_groups[: level + 1]:
                yield f"{margin}{mark}{'  ' * level}{group}:"
        open_groups = groups
        comment = f"  # {line.help}" if line.help else ""
        yield f"{margin}{mark}{'  ' * len(groups)}{line.path[-1]}: {_yaml(line.value)}{comment}"


def _yaml(value: Any) -> str:
    """A value in one line of YAML."""
    import yaml

    text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=float("inf"), sort_keys=False)
    return text.removesuffix("...\n").strip()
