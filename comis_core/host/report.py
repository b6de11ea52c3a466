"""What became of every plugin: for `comis plugins` and for messages."""

from __future__ import annotations

from typing import Literal

import attrs

from comis_core.model.shown import Compared
from comis_core.specs import PluginInfo

State = Literal["active", "disabled", "not enabled", "failed"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class PluginReport(Compared):
    """One installed plugin, what it contributes and, where it contributes nothing, why."""

    name: str
    distribution: str
    version: str
    entry_point: str
    builtin: bool
    state: State
    reason: str = ""
    """Why it is not active, or which of its specs were left out."""
    contributes: tuple[tuple[str, str], ...] = ()
    """(stage, spec name), in the order of the stages and then of running."""

    @property
    def label(self) -> str:
        """Plugin, distribution and version in the words that messages use."""
        return str(PluginInfo(name=self.name, distribution=self.distribution, version=self.version))
