"""Which of the installed plugins are imported: built-ins unless disabled, a third party's only when enabled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import attrs

from comis_core.host.discovery import Candidate, Discovery
from comis_core.host.guard import did_you_mean
from comis_core.host.report import PluginReport, State


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Choice:
    """What the config decides about one plugin name, before anything is imported."""

    candidate: Candidate
    state: State
    reason: str = ""
    missed: bool = False
    """Whether its absence is a failure: it was wanted, and its name cannot be used."""

    @property
    def name(self) -> str:
        """The plugin's name."""
        return self.candidate.name

    @property
    def imported(self) -> bool:
        """Whether to import it: built-ins that are off are still asked for their sections."""
        return self.state == "active" or self.candidate.builtin

    def report(
        self, *, state: State | None = None, reason: str = "", contributes: Sequence[tuple[str, str]] = ()
    ) -> PluginReport:
        """The report of this plugin after loading."""
        return PluginReport(
            name=self.name,
            distribution=self.candidate.distribution,
            version=self.candidate.version,
            entry_point=self.candidate.entry_point,
            builtin=self.candidate.builtin,
            state=state or self.state,
            reason=reason or self.reason,
            contributes=tuple(contributes),
        )


def choose(found: Discovery, enable: Collection[str], disable: Collection[str]) -> list[Choice]:
    """One choice a plugin name: built-ins first, then by name."""
    choices = [_choose(name, claims, enable, disable) for name, claims in found.claims.items()]
    return sorted(choices, key=lambda choice: (not choice.candidate.builtin, choice.name))


def _choose(name: str, claims: Sequence[Candidate], enable: Collection[str], disable: Collection[str]) -> Choice:
    wanted = name in enable or any(claim.builtin or claim.given is not None for claim in claims)
    if name in disable:
        return Choice(candidate=claims[0], state="disabled", reason="plugins.disable names it")
    if len(claims) > 1:
        reason = f"{len(claims)} distributions claim the name {name!r}: {', '.join(map(str, claims))}; keep one of them"
        return Choice(candidate=claims[0], state="failed", reason=reason, missed=wanted)
    if not wanted:
        return Choice(candidate=claims[0], state="not enabled", reason=f"add {name!r} to plugins.enable to use it")
    return Choice(candidate=claims[0], state="active")


def not_installed(found: Discovery, names: Sequence[str], where: Callable[[int], str]) -> list[str]:
    """One problem a name that nothing installed has. where: place in `names` -> where the config says so."""
    return [
        f"{where(index)}: {name!r} is not installed{did_you_mean(name, found.claims)}"
        for index, name in enumerate(names)
        if name not in found.claims
    ]
