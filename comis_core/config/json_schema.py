"""The schema as JSON Schema, for editors that complete and check a config.yaml."""

from __future__ import annotations

from typing import Any

from comis_core.config.moved import FROZEN, MOVED
from comis_core.config.nodes import KeyPath, show_path
from comis_core.config.schema import Branch, Leaf, Schema, leaf_at

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(schema: Schema) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a whole config: types, ranges, words, defaults, help; nothing else is allowed.

    Keys that are known and not active say so; moved keys are deprecated.
    """
    memory = _group(schema.engine, ())
    for old, path in MOVED.items():
        leaf = leaf_at(schema.engine, path)
        if leaf is not None:
            moved = _leaf(leaf, path) | {"deprecated": True, "description": f"Moved to memory.{'.'.join(path)}."}
            memory["properties"][old] = moved
    agents = {"type": ["object", "null"], "additionalProperties": {"$ref": "#/$defs/agent"}}
    return {
        "$schema": DRAFT,
        "title": "comis-core configuration",
        "type": "object",
        "properties": {
            "memory": memory | {"description": "The store and the models that every agent shares."},
            "agents": agents | {"description": "One group of keys an agent; `default` counts for all others."},
            "plugins": _group(schema.plugins, ()) | {"description": "What is imported."},
        },
        "additionalProperties": False,
        "$defs": {"agent": _group(schema.agent, ())},
    }


def _group(branch: Branch, path: KeyPath) -> dict[str, Any]:
    properties = {
        key: _leaf(child, (*path, key)) if isinstance(child, Leaf) else _group(child, (*path, key))
        for key, child in branch.children.items()
    }
    return {"type": ["object", "null"], "properties": properties, "additionalProperties": False}


def _leaf(leaf: Leaf, path: KeyPath) -> dict[str, Any]:
    default = getattr(leaf.owned.section.options_class(), leaf.field.attribute.name)
    found = leaf.field.json_schema(default)
    notes = [leaf.owned.inactive_reason, "frozen" if show_path(path) in FROZEN else ""]
    note = ", ".join(note for note in notes if note)
    if note:
        found["description"] = f"{found.get('description', '')} ({note})".strip()
    return found
