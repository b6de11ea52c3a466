"""Sections of plugins that failed before they could tell theirs: their keys stay readable, so that the engine opens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from comis_core.host.checks import NAME
from comis_core.specs import Section

Scalar = bool | int | float | str | None
Value = Scalar | tuple[Scalar, ...] | Mapping[str, Scalar | tuple[Scalar, ...]]


def placeholders(plugin: str) -> tuple[Section, ...]:
    """Sections that accept anything where the options of a plugin live by convention: `rag.lanes.<name>` and
    `memory.<name>`. What stands there is not checked, for nobody knows what it should be.
    """
    if not NAME.fullmatch(plugin):
        return ()
    field: Any = attrs.field(
        factory=dict, type=Mapping[str, Value], metadata={"help": f"Not read: plugin {plugin!r} cannot be imported."}
    )
    unread = attrs.make_class("Unread", {plugin: field}, frozen=True)
    # Older releases of attrs leave a made class without annotations, and these say what the keys accept.
    unread.__annotations__ = {plugin: Mapping[str, Value]}
    return Section("rag.lanes", unread), Section("", unread, "engine")
