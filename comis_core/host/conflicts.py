"""Names and config keys that two plugins claim: the earlier plugin (built-ins first, then by name) keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from comis_core.config import OwnedSection, Schema
from comis_core.errors import ComisError, PluginError
from comis_core.host.guard import guarded
from comis_core.host.loading import Loading
from comis_core.model import Degraded
from comis_core.specs import Preset, Section, Spec


def refuse_taken_keys(loadings: Sequence[Loading], used: frozenset[str]) -> tuple[OwnedSection, ...]:
    """Stop each plugin whose options clash with those of the core or of an earlier plugin.

    Args:
        loadings: every imported plugin, the earlier first.
        used: names of those that contribute parts; the keys of the others yield to theirs.

    Returns:
        The sections of all, fit for one schema.
    """
    owned = [_owned(loading, used) for loading in loadings]
    together = tuple(section for sections in owned for section in sections)
    if not _clash(together):
        return together
    accepted: tuple[OwnedSection, ...] = ()
    for loading, sections in zip(loadings, owned, strict=True):
        clash = _clash((*accepted, *sections))
        if clash and loading.error is None:
            loading.stage, loading.error = "sections", PluginError(clash)
        accepted = accepted if clash else (*accepted, *sections)
    return accepted


def without_taken_names(loadings: Sequence[Loading]) -> tuple[list[Spec | Preset], list[Degraded]]:
    """The specs of all plugins, each name of a stage once, and what was left out for it."""
    kept: dict[tuple[str, str], Spec | Preset] = {}
    refused: list[Degraded] = []
    for loading in loadings:
        for spec in loading.specs:
            first = kept.setdefault((spec.stage, spec.name), spec)
            if first is not spec:
                reason = f"{spec.stage} {spec.name!r} is left out: {first.plugin} has one of that name"
                refused.append(Degraded(plugin=str(loading.info), stage=spec.stage, reason=reason))
    return list(kept.values()), refused


def _owned(loading: Loading, used: frozenset[str]) -> list[OwnedSection]:
    """The plugin's sections; one that several specs share counts once."""
    sections: dict[Section, None] = {}
    for spec in loading.specs:
        sections |= dict.fromkeys(spec.sections if isinstance(spec, Spec) else ())
    active = loading.error is None and loading.candidate.name in used
    return [OwnedSection(section=section, owner=loading.info, enabled_plugin=active) for section in sections]


def _clash(sections: Iterable[OwnedSection]) -> str:
    """What stops these sections from standing in one schema, or nothing."""
    try:
        guarded(Schema, tuple(sections))
    except ComisError as error:
        return "; ".join(error.message.splitlines())
    return ""
